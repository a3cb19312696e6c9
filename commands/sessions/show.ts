import { DaemonCommand } from '../../src/cli/daemon-command.js';
import { clientIdArg } from '../../src/cli/flags.js';
import { paintStatus } from '../../src/cli/session-status.js';
import { type SessionDetails, showSession } from '../../src/cli/sessions.js';
import type { HistoryAnswer } from '../../src/cli/wire.js';

export default class SessionsShow extends DaemonCommand {
  static override summary = 'Show a session and its state of health';
  static override description =
    'Connected means that something was heard from the network lately. The reason says why it is not.';
  static override examples = [
    '<%= config.bin %> <%= command.id %> acme',
    '<%= config.bin %> <%= command.id %> acme --json | jq -r .jid',
  ];
  static override args = { clientId: clientIdArg() };

  async run(): Promise<SessionDetails> {
    const { args, flags } = await this.parse(SessionsShow);
    const session = await showSession(await this.daemon(flags), args.clientId);
    if (!this.jsonEnabled()) this.show(session);
    return session;
  }

  private show(session: SessionDetails): void {
    this.output.fields({
      session: session.clientId,
      status: paintStatus(session.status, this.output.paint),
      reason: session.reason,
      jid: session.jid,
      node: session.podName,
      workspace: session.orgId,
      webhook: session.webhookUrl,
      ...(session.listener && { 'events now go to': session.listener.url }),
      ...(session.history && { 'past taken in': taken(session.history) }),
      'group events': session.enableGroupAi ? 'on' : 'off',
      'connected since': session.connectedAt,
      'last heard of': session.lastStanzaAt,
      reconnects: String(session.reconnects),
      'last disconnect': session.lastDisconnect,
    });
  }
}

function taken({ progress, messages }: HistoryAnswer): string {
  return `${progress} % (${messages} messages)`;
}
