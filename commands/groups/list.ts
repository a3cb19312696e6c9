import { DaemonCommand } from '../../src/cli/daemon-command.js';
import { clientIdArg } from '../../src/cli/flags.js';
import { type GroupRow, listGroups } from '../../src/cli/groups.js';
import { plainLine } from '../../src/cli/plain-text.js';

export default class GroupsList extends DaemonCommand {
  static override summary = 'List the groups that a number belongs to';
  static override description =
    `By name, as the network knows them now. Whether their messages are delivered as events is another matter:
\`switchboard sessions group-events\` turns that on.`;
  static override examples = [
    '<%= config.bin %> <%= command.id %> acme',
    '<%= config.bin %> <%= command.id %> acme --json | jq -r ".[].jid"',
  ];
  static override args = { clientId: clientIdArg() };

  async run(): Promise<GroupRow[]> {
    const { args, flags } = await this.parse(GroupsList);
    const groups = await listGroups(await this.daemon(flags), args.clientId);
    if (!this.jsonEnabled()) await this.show(groups);
    return groups;
  }

  private async show(groups: readonly GroupRow[]): Promise<void> {
    if (groups.length === 0) return this.output.note('no groups');
    const rows = groups.map((group) => [
      plainLine(group.name),
      group.jid,
      String(group.participants),
      [group.isAnnounce && 'announce', group.isLocked && 'locked'].filter(Boolean).join(', '),
    ]);
    await this.output.table(['NAME', 'JID', 'MEMBERS', 'SETTINGS'], rows);
  }
}
