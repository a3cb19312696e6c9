import { callCommand } from '../../src/terminal/cli/call-command.js';

export default callCommand('unfollowChannel', {
  summary: 'Stop following a channel',
  description: 'Its posts no longer come. The number may follow the channel again at any time.',
  examples: ['acme 120363040000000001@newsletter'],
  args: ['clientId', 'channelJid'],
  print: (_, given) => `${given('clientId')} no longer follows ${given('channelJid')}`,
});
