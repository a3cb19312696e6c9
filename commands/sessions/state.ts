import type { Answer } from '../../src/contract/index.js';
import { DaemonCommand } from '../../src/terminal/cli/command.js';
import { EXIT_CODES } from '../../src/terminal/cli/errors.js';
import { clientIdArg } from '../../src/terminal/cli/flags.js';
import { requireSession } from '../../src/terminal/cli/sessions.js';

export default class SessionsState extends DaemonCommand {
  static override summary = 'Check whether a session is connected, for scripts';
  static override description =
    'Exits with 0 if connected, with 5 if there is no such session, else with 6. Connected means recent traffic, not just an open socket.';
  static override examples = [
    '<%= config.bin %> <%= command.id %> acme',
    'until <%= config.bin %> <%= command.id %> acme; do sleep 1; done',
  ];
  static override args = { clientId: clientIdArg() };

  async run(): Promise<Answer<'checkState'>> {
    const { args, flags } = await this.parse(SessionsState);
    const client = await this.daemon(flags);
    const answer = await client.checkState(args);
    if (!answer.status) await requireSession(client, args.clientId);
    if (!answer.status) process.exitCode = EXIT_CODES.conflict;
    if (!this.jsonEnabled()) this.output.line(answer.status ? `connected as ${answer.state}` : answer.state);
    return answer;
  }
}
