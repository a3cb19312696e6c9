import { sendCommand } from '../../src/terminal/cli/call-command.js';

export default sendCommand('sendReaction', {
  summary: 'React to a message with an emoji',
  description: 'A new emoji replaces the earlier reaction; an empty one removes it.',
  examples: [
    'acme +15550000002 3A5F0C767D097B7C6A3F1 👍',
    'acme +15550000002 3A5F0C767D097B7C6A3F1 "" ',
    'acme +15550000002 3EB0C767D097B7C6A3F1 ❤️ --own',
  ],
  args: ['clientId', 'to', 'messageId', 'emoji'],
  words: { emoji: 'one emoji; "" removes the reaction', targetFromMe: 'the message was sent by the session' },
  names: { targetFromMe: 'own' },
});
