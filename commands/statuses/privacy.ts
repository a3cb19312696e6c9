import { plainLine } from '../../src/domain/text.js';
import { callCommand } from '../../src/terminal/cli/call-command.js';

const WORDS = {
  contacts: 'all contacts see the statuses',
  except: 'all contacts see the statuses, but for these people',
  only: 'only these people see the statuses',
};

export default callCommand('getStatusPrivacy', {
  summary: 'Show who may see the statuses of a linked number',
  description: 'Asks WhatsApp. `switchboard statuses set-privacy` changes it.',
  examples: ['acme'],
  args: ['clientId'],
  print: ({ mode, people }) => ({
    lines: [WORDS[mode]],
    ...(mode !== 'contacts' && {
      table: {
        head: ['NAME', 'PHONE', 'LID'],
        rows: people.map(({ name, phone, lid }) => [plainLine(name), phone, lid]),
        none: 'nobody is named',
      },
    }),
  }),
});
