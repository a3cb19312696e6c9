import { callCommand } from '../../src/terminal/cli/call-command.js';

export default callCommand('unfollowChannel', {
  summary: 'Stop following a channel',
  description: 'The number gets no more posts of the channel, and may follow it again at any time.',
  examples: ['acme 120363040000000001@newsletter'],
  args: ['clientId', 'channelJid'],
  print: (_, given) => `${given('clientId')} no longer follows ${given('channelJid')}`,
});
