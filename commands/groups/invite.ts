import { callCommand } from '../../src/terminal/cli/call-command.js';

export default callCommand('getGroupInviteLink', {
  summary: 'Print the invite link of a group',
  description: 'Needs admin rights. --reset makes earlier links invalid.',
  examples: ['acme 120363040000000001@g.us', 'acme 120363040000000001@g.us --reset'],
  args: ['clientId', 'groupJid'],
  words: { reset: 'revoke the current link and create a new one' },
  part: ({ link }) => ({ link }),
  print: ({ link }) => link,
});
