import { callCommand } from '../../src/terminal/cli/call-command.js';

export default callCommand('cancelHeldMessage', {
  summary: 'Cancel a message that waits until its policy allows it',
  description:
    'Exits with 5 if no such message waits, for example because it was sent, and with 6 while it is being sent.',
  examples: ['acme 3EB0C767D097B7C6A3F1'],
  args: ['clientId', 'messageId'],
  words: { messageId: 'id of the message, from outbox list' },
  print: ({ messageId }) => `cancelled ${messageId}`,
});
