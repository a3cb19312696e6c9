import { callCommand } from '../../src/terminal/cli/call-command.js';
import { RECEIVER_WORDS } from '../../src/terminal/cli/flags.js';
import { receiverText } from '../../src/terminal/cli/receivers.js';

export default callCommand('updateReceiver', {
  summary: 'Resume calls to a paused receiver',
  description: 'Delivers waiting events first, in order.',
  examples: ['acme 2'],
  args: ['clientId', 'id'],
  fixed: { paused: false },
  words: { id: RECEIVER_WORDS },
  onlyArgs: true,
  print: ({ receiver }) => receiverText(receiver),
});
