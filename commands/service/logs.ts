import { Flags } from '@oclif/core';
import { CliError } from '../../src/terminal/cli/errors.js';
import { notInstalled, requireManager, showLogs, stateOf } from '../../src/terminal/cli/service/manager.js';
import { ServiceCommand } from '../../src/terminal/cli/service/service-command.js';

export default class ServiceLogs extends ServiceCommand {
  static override hiddenAliases = ['logs'];
  static override summary = 'Show the log of the service';
  static override description =
    'Prints the log that the service manager of this machine keeps: journalctl, or the file of launchd.';
  static override examples = [
    '<%= config.bin %> <%= command.id %>',
    '<%= config.bin %> <%= command.id %> --follow --lines 200',
  ];
  static override flags = {
    follow: Flags.boolean({ char: 'f', description: 'wait for new lines' }),
    lines: Flags.integer({
      char: 'n',
      description: 'number of last lines to show first',
      default: 50,
      min: 0,
    }),
  };

  async run(): Promise<void> {
    const { flags } = await this.parse(ServiceLogs);
    if (this.jsonEnabled()) {
      throw new CliError('usage', 'the log is not JSON: leave out --json', {
        suggestions: ['or ask the journal: journalctl --unit switchboard --output json'],
      });
    }
    const [manager, scope] = [requireManager(), this.scopeOf(flags)];
    if (!(await stateOf(manager, scope)).installed) throw notInstalled(scope);
    process.exitCode = await showLogs(
      manager.logs(scope, { follow: flags.follow ?? false, lines: flags.lines }),
    );
  }
}
