import { callCommand } from '../../src/terminal/cli/call-command.js';

export default callCommand('deleteChannelPost', {
  summary: 'Delete a post of a channel for everybody',
  description:
    'The number must be the owner or an admin of the channel. `switchboard channels posts` lists the ids.',
  examples: ['acme 120363040000000001@newsletter 3EB0C767D097B7C1A2B3C4 --yes'],
  args: ['clientId', 'channelJid', 'messageId'],
  confirm: (given) => `Delete ${given('messageId')} for everybody?`,
  print: (_, given) => `deleted ${given('messageId')}`,
});
