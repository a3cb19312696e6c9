import { callCommand } from '../../src/terminal/cli/call-command.js';

export default callCommand('markUnread', {
  summary: 'Mark a chat as unread on the linked phone',
  description: 'Needs a stored message of the chat: the session must have a workspace.',
  examples: ['acme +15550000002'],
  args: ['clientId', 'to'],
  print: (_, given) => `${given('to')} is unread on the phone`,
});
