import { callCommand } from '../../src/terminal/cli/call-command.js';

export default callCommand('muteChat', {
  summary: 'Unmute a chat on all devices of the account',
  description: 'Your phone and other devices notify you about this chat again.',
  examples: ['acme +15550000002'],
  args: ['clientId', 'to'],
  fixed: { muted: false },
  onlyArgs: true,
  print: (_, given) => `unmuted the chat with ${given('to')}`,
});
