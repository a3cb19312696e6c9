import { Flags } from '@oclif/core';
import { requireManager, uninstall } from '../../src/terminal/cli/service/manager.js';
import { ServiceCommand } from '../../src/terminal/cli/service/service-command.js';
import { confirm } from '../../src/terminal/cli/terminal.js';

export default class ServiceUninstall extends ServiceCommand {
  static override summary = 'Stop the service and remove it';
  static override description = 'Keeps the data of the daemon. Asks first, unless --yes is given.';
  static override examples = [
    '<%= config.bin %> <%= command.id %>',
    'sudo <%= config.bin %> <%= command.id %> --system --yes',
  ];
  static override flags = { yes: Flags.boolean({ description: 'skip the confirmation' }) };

  async run(): Promise<{ removed: string }> {
    const { flags } = await this.parse(ServiceUninstall);
    if (!flags.yes) await confirm('Stop the service and remove it?');
    const removed = await uninstall(requireManager(), this.scopeOf(flags));
    if (!this.jsonEnabled()) this.output.line(`removed ${removed}`);
    return { removed };
  }
}
