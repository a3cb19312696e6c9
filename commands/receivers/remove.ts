import { callCommand } from '../../src/terminal/cli/call-command.js';
import { RECEIVER_WORDS } from '../../src/terminal/cli/flags.js';

export default callCommand('removeReceiver', {
  summary: 'Remove a receiver, and drop the events that wait for it',
  description:
    'Also removes its failed deliveries. To keep them and the waiting events, pause the receiver instead.',
  examples: ['acme 2'],
  args: ['clientId', 'id'],
  words: { id: RECEIVER_WORDS },
  print: ({ id, clientId, discarded }) => ({
    lines: [`removed receiver ${id} of ${clientId}`],
    note:
      discarded > 0
        ? `${discarded === 1 ? '1 event that waited for it was' : `${discarded} events that waited for it were`} dropped`
        : undefined,
  }),
});
