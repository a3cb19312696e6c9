import type { GroupListItem } from '../../src/contract/index.js';
import { plainLine } from '../../src/domain/text.js';
import { DaemonCommand } from '../../src/terminal/cli/command.js';
import { clientIdArg } from '../../src/terminal/cli/flags.js';

export default class GroupsList extends DaemonCommand {
  static override summary = 'List the groups of a number';
  static override description =
    `Asks WhatsApp, and sorts by name. \`switchboard sessions group-events\` delivers messages of groups as events.`;
  static override examples = [
    '<%= config.bin %> <%= command.id %> acme',
    '<%= config.bin %> <%= command.id %> acme --json | jq -r ".[].jid"',
  ];
  static override args = { clientId: clientIdArg() };

  async run(): Promise<GroupListItem[]> {
    const { args, flags } = await this.parse(GroupsList);
    const client = await this.daemon(flags);
    const { groups } = await client.listGroups(args);
    groups.sort((a, b) => a.name.localeCompare(b.name));
    if (!this.jsonEnabled()) await this.show(groups);
    return groups;
  }

  private async show(groups: readonly GroupListItem[]): Promise<void> {
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
