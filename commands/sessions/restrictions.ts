import { plainLine } from '../../src/domain/text.js';
import { callCommand } from '../../src/terminal/cli/call-command.js';

export default callCommand('restrictions', {
  summary: 'Show the restrictions that WhatsApp puts on a number',
  description:
    'Prints the time lock, under which a number cannot begin chats, and the number of chats that it may begin in this period.',
  examples: ['acme'],
  args: ['clientId'],
  print: ({ restricted, until, reason, warning, newChats }) => ({
    fields: {
      restricted: restricted ? `yes, until ${until || 'an unknown time'}` : 'no',
      reason: plainLine(reason) || 'none',
      warning: plainLine(warning) || 'none',
      'new chats': newChats.limit > 0 ? `${newChats.used} of ${newChats.limit}` : 'no limit is known',
      'next period': newChats.resetsAt || 'not known',
    },
  }),
});
