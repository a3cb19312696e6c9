import { callCommand } from '../../src/terminal/cli/call-command.js';

export default callCommand('followChannel', {
  summary: 'Follow a channel',
  description: 'Its posts then come as events of the type `channel_post`, if the session opted in to them.',
  examples: ['acme 120363040000000001@newsletter'],
  args: ['clientId', 'channelJid'],
  print: (_, given) => `${given('clientId')} follows ${given('channelJid')}`,
});
