import { sendCommand } from '../../src/terminal/cli/call-command.js';

export default sendCommand('forwardMessage', {
  summary: 'Forward a message to another chat',
  description: `A file is not uploaded again. Forwards messages of the hosted inbox, and own messages of \
the last 14 days. Exits with 5 if the message is unknown, with 6 if it was deleted.`,
  examples: [
    'acme +15550000003 3A5F0C767D097B7C6A3F1 +15550000002',
    'acme +15550000003 3A5F0C767D097B7C6A3F1 120363040000000001@g.us',
  ],
  args: ['clientId', 'from', 'messageId', 'to'],
  words: { from: 'chat that the message is in: name, +phone, LID digits or jid (group: …@g.us)' },
});
