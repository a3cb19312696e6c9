import { Flags } from '@oclif/core';
import { DaemonCommand } from '../../src/terminal/cli/command.js';
import { CliError } from '../../src/terminal/cli/errors.js';
import { clientIdArg } from '../../src/terminal/cli/flags.js';

export default class SessionsDisconnect extends DaemonCommand {
  static override summary = 'Log a number out and delete its session';
  static override description =
    'Also unlinks the device on the phone. To use the number again, pair it again.';
  static override examples = [
    '<%= config.bin %> <%= command.id %> acme',
    '<%= config.bin %> <%= command.id %> acme --yes --json',
  ];
  static override args = { clientId: clientIdArg() };
  static override flags = { yes: Flags.boolean({ char: 'y', description: 'skip the confirmation' }) };

  async run(): Promise<{ ok: boolean; clientId: string; warning?: string }> {
    const { args, flags } = await this.parse(SessionsDisconnect);
    if (!flags.yes) {
      if (this.jsonEnabled())
        throw new CliError('usage', '--json cannot ask for confirmation', { suggestions: ['add --yes'] });
      const { confirm } = await import('../../src/terminal/cli/terminal.js');
      await confirm(`Log ${args.clientId} out and delete its session?`);
    }
    const client = await this.daemon(flags);
    const answer = await client.disconnect(args);
    if (answer.warning) this.output.warning(answer.warning);
    if (!this.jsonEnabled()) this.output.line(`${args.clientId} is disconnected`);
    return answer;
  }
}
