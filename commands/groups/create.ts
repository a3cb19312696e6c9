import { Args, Flags } from '@oclif/core';
import { DaemonCommand } from '../../src/cli/daemon-command.js';
import { EXIT_CODES } from '../../src/cli/exit-code.js';
import { clientIdArg } from '../../src/cli/flags.js';
import { createGroup, explainChange, type NewGroup } from '../../src/cli/groups.js';

export default class GroupsCreate extends DaemonCommand {
  static override summary = 'Create a group; the number becomes its owner';
  static override description =
    'Ends with 7 when the network refused one of the members; the group is there all the same.';
  static override examples = [
    '<%= config.bin %> <%= command.id %> acme "Weekend plans" --member +15550000002 --member +15550000003',
  ];
  static override args = {
    clientId: clientIdArg(),
    subject: Args.string({ required: true, description: 'its name, at most 25 characters' }),
  };
  static override flags = {
    member: Flags.string({
      description: '+phone, LID digits or jid; repeatable',
      required: true,
      multiple: true,
      multipleNonGreedy: true,
    }),
  };

  async run(): Promise<NewGroup> {
    const { args, flags } = await this.parse(GroupsCreate);
    const group = await createGroup(await this.daemon(flags), { ...args, participants: flags.member });
    if (group.refused.length > 0) process.exitCode = EXIT_CODES.refused;
    if (this.jsonEnabled()) return group;
    this.output.line(`created ${group.jid} with ${group.participants} members`);
    for (const { jid, error } of group.refused) this.output.line(`${jid} ${explainChange(error)}`);
    return group;
  }
}
