import { sendCommand } from '../../src/terminal/cli/call-command.js';

export default sendCommand('editMessage', {
  summary: 'Edit the text of an own message',
  description: 'WhatsApp accepts edits for about 15 minutes after sending.',
  examples: ['acme +15550000002 3EB0C767D097B7C6A3F1 "Hello, Bob!"'],
  args: ['clientId', 'to', 'messageId', 'body'],
  words: { messageId: 'id of the own message', body: 'new text; - reads standard input' },
  stdin: 'body',
});
