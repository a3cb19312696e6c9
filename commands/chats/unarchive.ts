import { callCommand } from '../../src/terminal/cli/call-command.js';

export default callCommand('archiveChat', {
  summary: 'Unarchive a chat on all devices of the account',
  description: 'The chat appears in the list of chats again, unpinned.',
  examples: ['acme +15550000002'],
  args: ['clientId', 'to'],
  fixed: { archived: false },
  print: (_, given) => `unarchived the chat with ${given('to')}`,
});
