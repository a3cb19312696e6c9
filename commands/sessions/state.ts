import { DaemonCommand } from '../../src/cli/daemon-command.js';
import { EXIT_CODES } from '../../src/cli/exit-code.js';
import { clientIdArg } from '../../src/cli/flags.js';
import type { CheckStateAnswer } from '../../src/cli/wire.js';

export default class SessionsState extends DaemonCommand {
  static override summary = 'Tell whether a session is connected, for scripts';
  static override description =
    'Connected on proof of traffic, not by the state of a socket. Ends with 0 when it is, with 6 when it is not.';
  static override examples = [
    '<%= config.bin %> <%= command.id %> acme',
    'until <%= config.bin %> <%= command.id %> acme; do sleep 1; done',
  ];
  static override args = { clientId: clientIdArg() };

  async run(): Promise<CheckStateAnswer> {
    const { args, flags } = await this.parse(SessionsState);
    const client = await this.daemon(flags);
    const answer = await client.checkState(args.clientId);
    if (!answer.status) process.exitCode = EXIT_CODES.conflict;
    if (!this.jsonEnabled()) this.output.line(answer.status ? `connected as ${answer.state}` : answer.state);
    return answer;
  }
}
