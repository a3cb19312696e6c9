import { DaemonCommand } from '../../src/terminal/cli/command.js';
import { clientIdArg } from '../../src/terminal/cli/flags.js';

export default class SessionsReconnect extends DaemonCommand {
  static override summary = 'Reconnect a session now';
  static override description =
    `Closes a live connection and opens a new one; skips the wait before the next attempt. Work in flight is \
not lost. Does not wait for the result: see sessions show.`;
  static override examples = [
    '<%= config.bin %> <%= command.id %> acme',
    '<%= config.bin %> <%= command.id %> acme --json',
  ];
  static override args = { clientId: clientIdArg() };

  async run(): Promise<{ ok: boolean; clientId: string; status: string }> {
    const { args, flags } = await this.parse(SessionsReconnect);
    const client = await this.daemon(flags);
    const answer = await client.reconnect(args);
    if (!this.jsonEnabled()) this.output.line(`${answer.clientId} connects again (${answer.status})`);
    return answer;
  }
}
