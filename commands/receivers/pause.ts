import { callCommand } from '../../src/terminal/cli/call-command.js';
import { RECEIVER_WORDS } from '../../src/terminal/cli/flags.js';
import { receiverText } from '../../src/terminal/cli/receivers.js';

export default callCommand('updateReceiver', {
  summary: 'Stop calls to a receiver',
  description: 'With durable retries, events wait; otherwise they become failed deliveries.',
  examples: ['acme 2'],
  args: ['clientId', 'id'],
  fixed: { paused: true },
  words: { id: RECEIVER_WORDS },
  onlyArgs: true,
  print: ({ receiver }) => receiverText(receiver),
});
