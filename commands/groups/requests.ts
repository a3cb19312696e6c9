import { plainLine } from '../../src/domain/text.js';
import { callCommand } from '../../src/terminal/cli/call-command.js';
import { ageText } from '../../src/terminal/cli/text.js';

export default callCommand('listGroupRequests', {
  summary: 'List the people who ask to join a group',
  description: 'Needs admin rights. `switchboard groups answer` approves or rejects them.',
  examples: ['acme 120363040000000001@g.us', 'acme 120363040000000001@g.us --json | jq -r ".[].jid"'],
  args: ['clientId', 'groupJid'],
  part: ({ requests }) => requests,
  print: ({ requests }) => ({
    table: {
      head: ['NAME', 'PHONE', 'JID', 'ASKED'],
      rows: requests.map(({ displayName, phone, jid, requestedAt }) => [
        plainLine(displayName),
        phone,
        jid,
        ageText(requestedAt, Date.now()),
      ]),
      none: 'nobody asks to join',
    },
  }),
});
