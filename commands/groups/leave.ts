import { Flags } from '@oclif/core';
import { DaemonCommand } from '../../src/terminal/cli/command.js';
import { CliError } from '../../src/terminal/cli/errors.js';
import { groupArgs } from '../../src/terminal/cli/flags.js';

export default class GroupsLeave extends DaemonCommand {
  static override summary = 'Leave a group';
  static override description = 'Afterwards only an admin of the group can add the number again.';
  static override examples = ['<%= config.bin %> <%= command.id %> acme 120363040000000001@g.us --yes'];
  static override args = groupArgs();
  static override flags = { yes: Flags.boolean({ char: 'y', description: 'skip the confirmation' }) };

  async run(): Promise<{ ok: boolean }> {
    const { args, flags } = await this.parse(GroupsLeave);
    const { clientId, groupJid } = args;
    if (!flags.yes) {
      if (this.jsonEnabled())
        throw new CliError('usage', '--json cannot ask for confirmation', { suggestions: ['add --yes'] });
      const { confirm } = await import('../../src/terminal/cli/terminal.js');
      await confirm(`Leave ${groupJid}?`);
    }
    const client = await this.daemon(flags);
    await client.leaveGroup(args);
    if (!this.jsonEnabled()) this.output.line(`${clientId} has left ${groupJid}`);
    return { ok: true };
  }
}
