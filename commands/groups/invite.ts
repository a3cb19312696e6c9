import { Flags } from '@oclif/core';
import { DaemonCommand } from '../../src/terminal/cli/command.js';
import { groupArgs } from '../../src/terminal/cli/flags.js';

export default class GroupsInvite extends DaemonCommand {
  static override summary = 'Print the invite link of a group';
  static override description = 'Needs admin rights. --reset makes earlier links invalid.';
  static override examples = [
    '<%= config.bin %> <%= command.id %> acme 120363040000000001@g.us',
    '<%= config.bin %> <%= command.id %> acme 120363040000000001@g.us --reset',
  ];
  static override args = groupArgs();
  static override flags = {
    reset: Flags.boolean({ description: 'revoke the current link and create a new one' }),
  };

  async run(): Promise<{ link: string }> {
    const { args, flags } = await this.parse(GroupsInvite);
    const client = await this.daemon(flags);
    const { link } = await client.getGroupInviteLink({ ...args, reset: flags.reset ?? false });
    if (!this.jsonEnabled()) this.output.line(link);
    return { link };
  }
}
