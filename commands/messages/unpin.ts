import { sendCommand } from '../../src/terminal/cli/call-command.js';

export default sendCommand('pinMessage', {
  summary: 'Unpin a message for everyone in its chat',
  description: 'Prints the id of the unpinning message.',
  examples: ['acme +15550000002 3A5F0C767D097B7C6A3F1'],
  args: ['clientId', 'to', 'messageId'],
  fixed: { pinned: false },
  onlyArgs: true,
});
