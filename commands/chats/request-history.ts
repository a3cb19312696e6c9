import { callCommand } from '../../src/terminal/cli/call-command.js';

export default callCommand('requestHistory', {
  summary: 'Ask the phone for older messages of a chat',
  description:
    'Stores the messages before the oldest stored one. The phone must be switched on; the command waits up to 30 seconds for its answer. Then ' +
    '`switchboard messages list` shows them.',
  examples: ['acme +15550000002', 'acme 120363040000000001@g.us --count 20'],
  args: ['clientId', 'to'],
  words: { count: 'messages to ask for' },
  print: ({ messages, more }, given) => {
    const stored = `stored ${messages === 1 ? '1 older message' : `${messages} older messages`}`;
    const left = { true: '; the phone holds more', false: '; the phone holds no older ones' };
    return `${stored} of the chat with ${given('to')}${more === undefined ? '' : left[`${more}`]}`;
  },
});
