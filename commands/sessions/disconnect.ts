import { Flags } from '@oclif/core';
import { CliError } from '../../src/cli/cli-error.js';
import { DaemonCommand } from '../../src/cli/daemon-command.js';
import { clientIdArg } from '../../src/cli/flags.js';

interface DisconnectResult {
  ok: boolean;
  clientId: string;
  warning?: string;
}

export default class SessionsDisconnect extends DaemonCommand {
  static override summary = 'Log a number out and delete its session';
  static override description =
    'The device is unlinked on the phone as well. The number must be paired again to be used.';
  static override examples = [
    '<%= config.bin %> <%= command.id %> acme',
    '<%= config.bin %> <%= command.id %> acme --yes --json',
  ];
  static override args = { clientId: clientIdArg() };
  static override flags = { yes: Flags.boolean({ char: 'y', description: 'do not ask' }) };

  async run(): Promise<DisconnectResult> {
    const { args, flags } = await this.parse(SessionsDisconnect);
    if (!flags.yes) {
      if (this.jsonEnabled())
        throw new CliError('usage', '--json does not ask questions', { suggestions: ['add --yes'] });
      const { confirm } = await import('../../src/cli/confirm.js');
      await confirm(`Log ${args.clientId} out and delete its session?`);
    }
    const client = await this.daemon(flags);
    const answer = await client.disconnect(args.clientId);
    if (answer.warning) this.output.warning(answer.warning);
    if (!this.jsonEnabled()) this.output.line(`${args.clientId} is disconnected`);
    return answer;
  }
}
