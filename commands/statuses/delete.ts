import { callCommand } from '../../src/terminal/cli/call-command.js';

export default callCommand('deleteStatus', {
  summary: 'Delete an own status for everybody who got it',
  description: 'The id is the one that `switchboard statuses post` has printed.',
  examples: ['acme 3EB0C767D097B7C6A3F1'],
  args: ['clientId', 'messageId'],
  print: (_, given) => `deleted ${given('messageId')}`,
});
