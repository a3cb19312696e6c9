import { DaemonCommand } from '../../src/cli/daemon-command.js';
import { clientIdArg } from '../../src/cli/flags.js';
import { reconnectSession } from '../../src/cli/fleet/fleet-api.js';

export default class SessionsReconnect extends DaemonCommand {
  static override summary = 'Connect a session anew, now';
  static override description =
    `Closes a live link and opens another; one that waits for its next attempt is tried at once. Nothing that is
in flight is lost. Does not wait for the connection: sessions show tells how it went.`;
  static override examples = [
    '<%= config.bin %> <%= command.id %> acme',
    '<%= config.bin %> <%= command.id %> acme --json',
  ];
  static override args = { clientId: clientIdArg() };

  async run(): Promise<{ ok: boolean; clientId: string; status: string }> {
    const { args, flags } = await this.parse(SessionsReconnect);
    const answer = await reconnectSession(await this.daemon(flags), args.clientId);
    if (!this.jsonEnabled()) this.output.line(`${answer.clientId} connects again (${answer.status})`);
    return answer;
  }
}
