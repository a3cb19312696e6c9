import { sendCommand } from '../../src/terminal/cli/call-command.js';

export default sendCommand('sendPollMessage', {
  summary: 'Send a poll',
  description: 'Votes arrive as vote_update events.',
  examples: [
    'acme +15550000002 "Lunch?" --option Pizza --option Soup',
    'acme +15550000002 "Which days?" --option Mon --option Tue --choose 2',
  ],
  args: ['clientId', 'to', 'pollName'],
  names: { pollName: 'question', pollOptions: 'option', selectableCount: 'choose' },
  words: {
    pollName: 'question of the poll',
    pollOptions: 'option of the poll; give 2 to 12',
    selectableCount: 'number of options that a voter may choose',
  },
});
