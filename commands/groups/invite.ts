import { Flags } from '@oclif/core';
import { DaemonCommand } from '../../src/cli/daemon-command.js';
import { groupArgs } from '../../src/cli/group-args.js';
import { inviteLink } from '../../src/cli/groups.js';

export default class GroupsInvite extends DaemonCommand {
  static override summary = 'Show the link that lets people join a group';
  static override description =
    'Needs admin rights. With --reset the links that were given away before lead nowhere.';
  static override examples = [
    '<%= config.bin %> <%= command.id %> acme 120363040000000001@g.us',
    '<%= config.bin %> <%= command.id %> acme 120363040000000001@g.us --reset',
  ];
  static override args = groupArgs();
  static override flags = {
    reset: Flags.boolean({ description: 'revoke the current link and make a new one' }),
  };

  async run(): Promise<{ link: string }> {
    const { args, flags } = await this.parse(GroupsInvite);
    const link = await inviteLink(await this.daemon(flags), { ...args, reset: flags.reset ?? false });
    if (!this.jsonEnabled()) this.output.line(link);
    return { link };
  }
}
