import { callCommand } from '../../src/terminal/cli/call-command.js';

export default callCommand('joinGroup', {
  summary: 'Join a group by its invite',
  description:
    'If an admin has to approve, sends a request to join. `switchboard groups preview` shows the group before.',
  examples: ['acme https://chat.whatsapp.com/AbCdEfGhIjKlMnOpQrStUv'],
  args: ['clientId', 'invite'],
  print: ({ joined, groupJid }) =>
    joined ? `joined ${groupJid}` : `asked to join ${groupJid}: an admin has to approve`,
});
