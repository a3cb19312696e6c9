import { Args } from '@oclif/core';
import type { MemberResult } from '../../src/contract/index.js';
import { DaemonCommand } from '../../src/terminal/cli/command.js';
import { CliError, EXIT_CODES } from '../../src/terminal/cli/errors.js';
import { groupArgs } from '../../src/terminal/cli/flags.js';
import { explainChange } from '../../src/terminal/cli/text.js';

const ACTIONS = ['add', 'remove', 'promote', 'demote'] as const;

export default class GroupsMembers extends DaemonCommand {
  static override summary = 'Add, remove, promote or demote members of a group';
  static override description = 'Needs admin rights. Exits with 7 if WhatsApp refused a member.';
  static override strict = false;
  static override examples = [
    '<%= config.bin %> <%= command.id %> acme 120363040000000001@g.us add +15550000002 +15550000003',
    '<%= config.bin %> <%= command.id %> acme 120363040000000001@g.us promote 90000000000002',
  ];
  static override args = {
    ...groupArgs(),
    action: Args.string({ required: true, options: [...ACTIONS], description: 'change to make' }),
    member: Args.string({
      required: true,
      description: 'member: name, +phone, LID digits or jid; one or more',
    }),
  };

  async run(): Promise<MemberResult[]> {
    const { args, argv, flags } = await this.parse(GroupsMembers);
    const { clientId, groupJid } = args;
    const action = ACTIONS.find((name) => name === args.action);
    if (!action) throw new CliError('usage', `choose one of ${ACTIONS.join(', ')}`);
    const participants = argv.slice(Object.keys(GroupsMembers.args).length - 1).map(String);
    const client = await this.daemon(flags);
    const { members } = await client.updateGroupMembers({ clientId, groupJid, action, participants });
    if (members.some(({ error }) => error !== 0)) process.exitCode = EXIT_CODES.refused;
    if (!this.jsonEnabled())
      for (const { jid, error } of members) this.output.line(`${jid} ${explainChange(error)}`);
    return members;
  }
}
