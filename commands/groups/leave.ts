import { Flags } from '@oclif/core';
import { CliError } from '../../src/cli/cli-error.js';
import { DaemonCommand } from '../../src/cli/daemon-command.js';
import { groupArgs } from '../../src/cli/group-args.js';
import { leaveGroup } from '../../src/cli/groups.js';

export default class GroupsLeave extends DaemonCommand {
  static override summary = 'Leave a group';
  static override description = 'Only its admins can let the number in again.';
  static override examples = ['<%= config.bin %> <%= command.id %> acme 120363040000000001@g.us --yes'];
  static override args = groupArgs();
  static override flags = { yes: Flags.boolean({ char: 'y', description: 'do not ask' }) };

  async run(): Promise<{ ok: boolean }> {
    const { args, flags } = await this.parse(GroupsLeave);
    const { clientId, groupJid } = args;
    if (!flags.yes) {
      if (this.jsonEnabled())
        throw new CliError('usage', '--json does not ask questions', { suggestions: ['add --yes'] });
      const { confirm } = await import('../../src/cli/confirm.js');
      await confirm(`Leave ${groupJid}?`);
    }
    await leaveGroup(await this.daemon(flags), clientId, groupJid);
    if (!this.jsonEnabled()) this.output.line(`${clientId} has left ${groupJid}`);
    return { ok: true };
  }
}
