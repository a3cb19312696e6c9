import { Args, Flags } from '@oclif/core';
import type { CreatedGroup } from '../../src/contract/index.js';
import { DaemonCommand } from '../../src/terminal/cli/command.js';
import { EXIT_CODES } from '../../src/terminal/cli/errors.js';
import { clientIdArg } from '../../src/terminal/cli/flags.js';
import { explainChange } from '../../src/terminal/cli/text.js';

export default class GroupsCreate extends DaemonCommand {
  static override summary = 'Create a group owned by the linked number';
  static override description = 'Exits with 7 if WhatsApp refused a member; the group exists anyway.';
  static override examples = [
    '<%= config.bin %> <%= command.id %> acme "Weekend plans" --member +15550000002 --member +15550000003',
  ];
  static override args = {
    clientId: clientIdArg(),
    subject: Args.string({ required: true, description: 'name of the group, up to 25 characters' }),
  };
  static override flags = {
    member: Flags.string({
      description: 'member: name, +phone, LID digits or jid; repeatable',
      required: true,
      multiple: true,
      multipleNonGreedy: true,
    }),
  };

  async run(): Promise<CreatedGroup> {
    const { args, flags } = await this.parse(GroupsCreate);
    const client = await this.daemon(flags);
    const { group } = await client.createGroup({ ...args, participants: flags.member });
    if (group.refused.length > 0) process.exitCode = EXIT_CODES.refused;
    if (this.jsonEnabled()) return group;
    this.output.line(`created ${group.jid} with ${group.participants} members`);
    for (const { jid, error } of group.refused) this.output.line(`${jid} ${explainChange(error)}`);
    return group;
  }
}
