import { callCommand } from '../../src/terminal/cli/call-command.js';

export default callCommand('unblockPerson', {
  summary: 'Unblock a person',
  description: 'Messages that the person wrote while blocked do not arrive.',
  examples: ['acme +15550000002'],
  args: ['clientId', 'jid'],
  print: (_, given) => `unblocked ${given('jid')}`,
});
