import { callCommand } from '../../src/terminal/cli/call-command.js';

export default callCommand('blockPerson', {
  summary: 'Block a person',
  description: 'Messages and calls of the person no longer arrive. The person is not notified.',
  examples: ['acme +15550000002'],
  args: ['clientId', 'jid'],
  print: (_, given) => `blocked ${given('jid')}`,
});
