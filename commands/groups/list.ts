import type { GroupListItem } from '../../src/contract/index.js';
import { plainLine } from '../../src/domain/text.js';
import { callCommand } from '../../src/terminal/cli/call-command.js';

export default callCommand('listGroups', {
  summary: 'List the groups of a number',
  description: `Asks WhatsApp, and sorts by name. \`switchboard sessions group-events\` delivers messages of groups as events.`,
  examples: ['acme', 'acme --json | jq -r ".[].jid"'],
  args: ['clientId'],
  part: ({ groups }) => byName(groups),
  print: ({ groups }) => ({
    table: {
      head: ['NAME', 'JID', 'MEMBERS', 'SETTINGS'],
      rows: byName(groups).map((group) => [
        plainLine(group.name),
        group.jid,
        String(group.participants),
        [group.isAnnounce && 'announce', group.isLocked && 'locked'].filter(Boolean).join(', '),
      ]),
      none: 'no groups',
    },
  }),
});

function byName(groups: readonly GroupListItem[]): GroupListItem[] {
  return [...groups].sort((a, b) => a.name.localeCompare(b.name));
}
