import { callCommand } from '../../src/terminal/cli/call-command.js';
import { receiverText } from '../../src/terminal/cli/receivers.js';

export default callCommand('updateReceiver', {
  summary: 'Resume calls to a paused receiver',
  description: 'Delivers waiting events first, in order.',
  examples: ['acme 2'],
  args: ['clientId', 'id'],
  fixed: { paused: false },
  words: { id: 'id of the receiver, from receivers list' },
  without: 'others',
  say: ({ receiver }) => receiverText(receiver),
});
