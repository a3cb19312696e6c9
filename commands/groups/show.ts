import type { GroupDetail, GroupMember } from '../../src/contract/index.js';
import { plainLine } from '../../src/domain/text.js';
import { DaemonCommand } from '../../src/terminal/cli/command.js';
import { groupArgs } from '../../src/terminal/cli/flags.js';
import { timerName } from '../../src/terminal/cli/timer.js';

export default class GroupsShow extends DaemonCommand {
  static override summary = 'Show a group and its members';
  static override description =
    'Lists each member with name, phone number and role. Names come from the contacts of the number.';
  static override examples = ['<%= config.bin %> <%= command.id %> acme 120363040000000001@g.us'];
  static override args = groupArgs();

  async run(): Promise<GroupDetail> {
    const { args, flags } = await this.parse(GroupsShow);
    const client = await this.daemon(flags);
    const { group } = await client.getGroup(args);
    if (!this.jsonEnabled()) await this.show(group);
    return group;
  }

  private async show({ name, jid, topic, addressingMode, members, ...settings }: GroupDetail): Promise<void> {
    this.output.fields({
      group: plainLine(name),
      jid,
      topic: plainLine(topic),
      addressing: addressingMode,
      settings: settingsText(settings),
    });
    this.output.line();
    const rows = members.map((member) => [
      plainLine(member.displayName),
      member.phone,
      member.jid,
      roleOf(member),
    ]);
    await this.output.table(['NAME', 'PHONE', 'JID', 'ROLE'], rows);
  }
}

function settingsText({
  isAnnounce,
  isLocked,
  membersAdd,
  joinApproval,
  disappearingSeconds,
}: Omit<GroupDetail, 'name' | 'jid' | 'topic' | 'addressingMode' | 'members'>): string {
  const settings = [
    isAnnounce && 'only admins write',
    isLocked && 'only admins change it',
    membersAdd ? 'members add people' : 'only admins add people',
    joinApproval && 'admins approve who joins',
    disappearingSeconds > 0 && `messages disappear after ${timerName(disappearingSeconds)}`,
  ];
  return settings.filter(Boolean).join(', ');
}

function roleOf({ isAdmin, isSuperAdmin }: GroupMember): string {
  if (isSuperAdmin) return 'owner';
  return isAdmin ? 'admin' : '';
}
