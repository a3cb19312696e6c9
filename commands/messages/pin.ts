import { sendCommand } from '../../src/terminal/cli/call-command.js';

/** The durations that WhatsApp offers, in seconds. */
const DURATIONS = { '1d': 86_400, '7d': 604_800, '30d': 2_592_000 };

export default sendCommand('pinMessage', {
  summary: 'Pin a message for everyone in its chat',
  description: 'Prints the id of the pinning message. In some groups only admins may pin messages.',
  examples: [
    'acme +15550000002 3A5F0C767D097B7C6A3F1',
    'acme 120363040000000001@g.us 3EB0C767D097B7C6A3F1 --for 30d',
  ],
  args: ['clientId', 'to', 'messageId'],
  fixed: { pinned: true },
  names: { duration: 'for' },
  words: { duration: 'time until the pin ends by itself' },
  choices: { duration: { values: DURATIONS, default: '7d' } },
});
