import { callCommand } from '../../src/terminal/cli/call-command.js';

export default callCommand('sendTyping', {
  summary: 'Show or stop the typing indicator in a chat',
  description: 'The indicator disappears after some seconds, or when a message is sent.',
  examples: ['acme +15550000002', 'acme +15550000002 --stop'],
  args: ['clientId', 'to'],
  fixed: { composing: true },
  switches: { stop: { words: 'stop the indicator', sets: { composing: false } } },
  print: (_, given) =>
    given('composing') === 'true' ? `typing to ${given('to')}` : `stopped typing to ${given('to')}`,
});
