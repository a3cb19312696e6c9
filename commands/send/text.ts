import { sendCommand } from '../../src/terminal/cli/call-command.js';

export default sendCommand('sendMessage', {
  summary: 'Send a text message',
  description: 'Exits with 0 only after WhatsApp has acknowledged the message.',
  examples: [
    'acme +15550000002 "Hello, Bob"',
    'acme "Weekend plans" "Hello, all"',
    'git log -1 | … acme +15550000002 -',
    'acme 120363040000000001@g.us "Hi @15550000002" --mention 15550000002',
    'acme +15550000002 "Yes" --quote 3EB0C767D097B7C6A3F1',
    'acme +15550000002 "See https://example.com/menu" --preview',
  ],
  args: ['clientId', 'to', 'body'],
  names: { linkPreview: 'preview' },
  words: {
    body: 'text to send; - reads standard input',
    linkPreview: "show a preview of the first https link; default: the daemon's setting",
  },
  stdin: 'body',
});
