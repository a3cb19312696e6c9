import type { Channel } from '../../src/contract/index.js';
import { plainLine } from '../../src/domain/text.js';
import { callCommand } from '../../src/terminal/cli/call-command.js';

export default callCommand('listChannels', {
  summary: 'List the channels that a number follows',
  description: 'Asks WhatsApp, and sorts by name. The number may post where its role is owner or admin.',
  examples: ['acme', 'acme --json | jq -r ".[].jid"'],
  args: ['clientId'],
  part: ({ channels }) => byName(channels),
  print: ({ channels }) => ({
    table: {
      head: ['NAME', 'JID', 'ROLE', 'MUTED'],
      rows: byName(channels).map(({ name, jid, role, isMuted }) => [
        plainLine(name),
        jid,
        role,
        isMuted ? 'muted' : '',
      ]),
      none: 'no channels',
    },
  }),
});

function byName(channels: readonly Channel[]): Channel[] {
  return [...channels].sort((a, b) => a.name.localeCompare(b.name));
}
