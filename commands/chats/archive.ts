import { callCommand } from '../../src/terminal/cli/call-command.js';

export default callCommand('archiveChat', {
  summary: 'Archive a chat on all devices of the account',
  description: 'Archiving also unpins the chat. `switchboard chats unarchive` brings it back.',
  examples: ['acme +15550000002'],
  args: ['clientId', 'to'],
  fixed: { archived: true },
  print: (_, given) => `archived the chat with ${given('to')}`,
});
