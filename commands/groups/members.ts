import { Args } from '@oclif/core';
import { DaemonCommand } from '../../src/cli/daemon-command.js';
import { EXIT_CODES } from '../../src/cli/exit-code.js';
import { groupArgs } from '../../src/cli/group-args.js';
import { changeMembers, explainChange, MEMBER_ACTIONS, type MemberChange } from '../../src/cli/groups.js';

export default class GroupsMembers extends DaemonCommand {
  static override summary = 'Add, remove, promote or demote members of a group';
  static override description = 'Needs admin rights. Ends with 7 when the network refused a member.';
  static override strict = false;
  static override examples = [
    '<%= config.bin %> <%= command.id %> acme 120363040000000001@g.us add +15550000002 +15550000003',
    '<%= config.bin %> <%= command.id %> acme 120363040000000001@g.us promote 90000000000002',
  ];
  static override args = {
    ...groupArgs(),
    action: Args.string({ required: true, options: MEMBER_ACTIONS, description: 'what is done' }),
    member: Args.string({ required: true, description: '+phone, LID digits or jid; one or more' }),
  };

  async run(): Promise<MemberChange[]> {
    const { args, argv, flags } = await this.parse(GroupsMembers);
    const { clientId, groupJid, action } = args;
    const participants = argv.slice(Object.keys(GroupsMembers.args).length - 1).map(String);
    const members = await changeMembers(await this.daemon(flags), {
      clientId,
      groupJid,
      action,
      participants,
    });
    if (members.some(({ error }) => error !== 0)) process.exitCode = EXIT_CODES.refused;
    if (!this.jsonEnabled())
      for (const { jid, error } of members) this.output.line(`${jid} ${explainChange(error)}`);
    return members;
  }
}
