import { callCommand } from '../../src/terminal/cli/call-command.js';
import { explainChange } from '../../src/terminal/cli/text.js';

export default callCommand('updateGroupRequests', {
  summary: 'Approve or reject people who ask to join a group',
  description:
    'Needs admin rights. `switchboard groups requests` lists them. Exits with 7 if WhatsApp refused an answer.',
  examples: [
    'acme 120363040000000001@g.us approve +15550000002 90000000000003',
    'acme 120363040000000001@g.us reject +15550000002',
  ],
  args: ['clientId', 'groupJid', 'action', 'participants'],
  names: { participants: 'person' },
  words: { action: 'answer to give' },
  part: ({ members }) => members,
  failure: ({ members }) => (members.some(({ error }) => error !== 0) ? 'refused' : undefined),
  print: ({ members }) => ({ lines: members.map(({ jid, error }) => `${jid} ${explainChange(error)}`) }),
});
