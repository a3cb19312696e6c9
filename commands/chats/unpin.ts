import { callCommand } from '../../src/terminal/cli/call-command.js';

export default callCommand('pinChat', {
  summary: 'Unpin a chat on all devices of the account',
  description: 'The chat returns to its normal position.',
  examples: ['acme +15550000002'],
  args: ['clientId', 'to'],
  fixed: { pinned: false },
  print: (_, given) => `unpinned the chat with ${given('to')}`,
});
