import { plainLine } from '../../src/domain/text.js';
import { callCommand } from '../../src/terminal/cli/call-command.js';

export default callCommand('listBlocked', {
  summary: 'List the people whom a number blocks',
  description: 'Asks WhatsApp, so the list includes people whom other devices of the account have blocked.',
  examples: ['acme', 'acme --json | jq -r ".[].jid"'],
  args: ['clientId'],
  part: ({ blocked }) => blocked,
  print: ({ blocked }) => ({
    table: {
      head: ['NAME', 'PHONE', 'JID'],
      rows: blocked.map(({ displayName, phone, jid }) => [plainLine(displayName), phone, jid]),
      none: 'nobody is blocked',
    },
  }),
});
