import { callCommand } from '../../src/terminal/cli/call-command.js';

export default callCommand('markRead', {
  summary: 'Send read receipts',
  description: "Marks messages of the other side as read and sets the room's unread count to 0.",
  examples: [
    'acme +15550000002 3EB0A9253D5F6C2B1E7A90',
    'acme 90000000000002 3EB0A9253D5F6C2B1E7A90 3EB0C767D097B7C6A3F1',
  ],
  args: ['clientId', 'to', 'messageIds'],
  names: { messageIds: 'messageId' },
  words: { messageIds: 'id of a received message; one or more' },
  print: ({ count }, given) =>
    `sent read receipts to ${given('to')} for ${count === 1 ? '1 message' : `${count} messages`}`,
});
