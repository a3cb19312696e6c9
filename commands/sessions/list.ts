import { DaemonCommand } from '../../src/terminal/cli/command.js';
import { listSessions, paintStatus, type SessionSummary } from '../../src/terminal/cli/sessions.js';

export default class SessionsList extends DaemonCommand {
  static override summary = 'List the sessions that the token can see';
  static override description =
    'Shows status, jid, webhook and node. An API secret sees only its own session.';
  static override examples = [
    '<%= config.bin %> <%= command.id %>',
    '<%= config.bin %> <%= command.id %> --json | jq -r \'.sessions[] | select(.status != "connected").clientId\'',
  ];

  async run(): Promise<{ sessions: SessionSummary[] }> {
    const { flags } = await this.parse(SessionsList);
    const sessions = await listSessions(await this.daemon(flags));
    if (!this.jsonEnabled()) await this.show(sessions);
    return { sessions };
  }

  private async show(sessions: SessionSummary[]): Promise<void> {
    if (sessions.length === 0) {
      this.output.note('no sessions yet; pair a number: switchboard pair CLIENTID');
      return;
    }
    const rows = sessions.map(({ clientId, status, jid, webhookUrl, podName }) => [
      clientId,
      paintStatus(status, this.output.paint),
      jid,
      webhookUrl,
      podName,
    ]);
    await this.output.table(['SESSION', 'STATUS', 'JID', 'WEBHOOK', 'NODE'], rows);
  }
}
