import { Flags } from '@oclif/core';
import { DaemonCommand } from '../../src/terminal/cli/command.js';
import { CliError } from '../../src/terminal/cli/errors.js';
import { groupArgs } from '../../src/terminal/cli/flags.js';
import { TIMER_NAMES, timerSeconds } from '../../src/terminal/cli/timer.js';

export default class GroupsSet extends DaemonCommand {
  static override summary = 'Change subject, description or settings of a group';
  static override description =
    `Flags that are not given change nothing. Settings for admins need admin rights. If WhatsApp refuses one change, earlier changes \
remain. \`switchboard groups picture\` changes the picture.`;
  static override examples = [
    '<%= config.bin %> <%= command.id %> acme 120363040000000001@g.us --subject "Weekend plans"',
    '<%= config.bin %> <%= command.id %> acme 120363040000000001@g.us --announce --no-members-add --join-approval',
    '<%= config.bin %> <%= command.id %> acme 120363040000000001@g.us --disappearing 7d',
  ];
  static override args = groupArgs();
  static override flags = {
    subject: Flags.string({ description: 'name of the group, up to 25 characters' }),
    description: Flags.string({ description: 'description of the group; "" removes it' }),
    announce: Flags.boolean({ description: 'only admins write', allowNo: true }),
    locked: Flags.boolean({
      description: 'only admins change subject, description and picture',
      allowNo: true,
    }),
    'members-add': Flags.boolean({ description: 'every member may add people', allowNo: true }),
    'join-approval': Flags.boolean({
      description: 'admins approve people who join by the invite link',
      allowNo: true,
    }),
    disappearing: Flags.string({ description: 'time until messages disappear', options: [...TIMER_NAMES] }),
  };

  async run(): Promise<{ ok: boolean }> {
    const { args, flags } = await this.parse(GroupsSet);
    const { subject, description, announce, locked, disappearing } = flags;
    const settings = {
      ...{ subject, description, announce, locked },
      membersAdd: flags['members-add'],
      joinApproval: flags['join-approval'],
      disappearingSeconds: disappearing === undefined ? undefined : timerSeconds(disappearing),
    };
    if (Object.values(settings).every((value) => value === undefined))
      throw new CliError('usage', 'nothing to change', { suggestions: ['switchboard groups set --help'] });
    const client = await this.daemon(flags);
    const answer = await client.updateGroup({ ...args, ...settings });
    if (!this.jsonEnabled()) this.output.line(`changed ${args.groupJid}`);
    return answer;
  }
}
