import { callCommand } from '../../src/terminal/cli/call-command.js';

export default callCommand('pinChat', {
  summary: 'Pin a chat to the top of the list on all devices of the account',
  description: 'WhatsApp shows only a few pinned chats. `switchboard messages pin` pins a message.',
  examples: ['acme +15550000002'],
  args: ['clientId', 'to'],
  fixed: { pinned: true },
  print: (_, given) => `pinned the chat with ${given('to')}`,
});
