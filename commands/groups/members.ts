import { callCommand } from '../../src/terminal/cli/call-command.js';
import { explainChange } from '../../src/terminal/cli/text.js';

export default callCommand('updateGroupMembers', {
  summary: 'Add, remove, promote or demote members of a group',
  description: 'Needs admin rights. Exits with 7 if WhatsApp refused a member.',
  examples: [
    'acme 120363040000000001@g.us add +15550000002 +15550000003',
    'acme 120363040000000001@g.us promote 90000000000002',
  ],
  args: ['clientId', 'groupJid', 'action', 'participants'],
  names: { participants: 'member' },
  words: { action: 'change to make', participants: 'member: name, +phone, LID digits or jid; one or more' },
  part: ({ members }) => members,
  failure: ({ members }) => (members.some(({ error }) => error !== 0) ? 'refused' : undefined),
  print: ({ members }) => ({ lines: members.map(({ jid, error }) => `${jid} ${explainChange(error)}`) }),
});
