import { callCommand } from '../../src/terminal/cli/call-command.js';

export default callCommand('leaveGroup', {
  summary: 'Leave a group',
  description: 'Afterwards only an admin of the group can add the number again.',
  examples: ['acme 120363040000000001@g.us --yes'],
  args: ['clientId', 'groupJid'],
  confirm: (given) => `Leave ${given('groupJid')}?`,
  print: (_, given) => `${given('clientId')} has left ${given('groupJid')}`,
});
