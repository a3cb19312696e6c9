import { plainLine } from '../../src/domain/text.js';
import { callCommand } from '../../src/terminal/cli/call-command.js';
import { timerName } from '../../src/terminal/cli/timer.js';

export default callCommand('getProfile', {
  summary: 'Show the profile of a linked number',
  description:
    'Asks WhatsApp for name, text, version of the picture, and the timer of disappearing messages in new chats.',
  examples: ['acme'],
  args: ['clientId'],
  print: ({ name, about, phone, jid, pictureId, disappearingSeconds }) => ({
    fields: {
      name: plainLine(name),
      about: plainLine(about),
      phone,
      jid,
      picture: pictureId || 'none',
      disappearing: timerName(disappearingSeconds),
    },
  }),
});
