import { DaemonCommand } from '../../src/cli/daemon-command.js';
import { groupArgs } from '../../src/cli/group-args.js';
import { type GroupDetails, type MemberRow, showGroup } from '../../src/cli/groups.js';
import { plainLine } from '../../src/cli/plain-text.js';

export default class GroupsShow extends DaemonCommand {
  static override summary = 'Show a group and its members';
  static override description =
    'Who belongs to it, and who may change it. Members are named as the number knows them.';
  static override examples = ['<%= config.bin %> <%= command.id %> acme 120363040000000001@g.us'];
  static override args = groupArgs();

  async run(): Promise<GroupDetails> {
    const { args, flags } = await this.parse(GroupsShow);
    const group = await showGroup(await this.daemon(flags), args.clientId, args.groupJid);
    if (!this.jsonEnabled()) await this.show(group);
    return group;
  }

  private async show({ name, jid, topic, addressingMode, members }: GroupDetails): Promise<void> {
    this.output.fields({ group: plainLine(name), jid, topic: plainLine(topic), addressing: addressingMode });
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

function roleOf({ isAdmin, isSuperAdmin }: MemberRow): string {
  if (isSuperAdmin) return 'owner';
  return isAdmin ? 'admin' : '';
}
