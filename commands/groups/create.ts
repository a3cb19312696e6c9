import { Args, Flags } from '@oclif/core';
import { DaemonCommand } from '../../src/cli/daemon-command.js';
import { clientIdArg } from '../../src/cli/flags.js';
import { createGroup, type GroupDetails, type GroupRow } from '../../src/cli/groups.js';

export default class GroupsCreate extends DaemonCommand {
  static override summary = 'Create a group; the number becomes its owner';
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

  async run(): Promise<GroupRow & GroupDetails> {
    const { args, flags } = await this.parse(GroupsCreate);
    const group = await createGroup(await this.daemon(flags), { ...args, participants: flags.member });
    if (!this.jsonEnabled()) this.output.line(`created ${group.jid} with ${group.participants} members`);
    return group;
  }
}
