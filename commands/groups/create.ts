import { callCommand } from '../../src/terminal/cli/call-command.js';
import { explainChange } from '../../src/terminal/cli/text.js';

export default callCommand('createGroup', {
  summary: 'Create a group owned by the linked number',
  description: 'Exits with 7 if WhatsApp refused a member; the group exists anyway.',
  examples: ['acme "Weekend plans" --member +15550000002 --member +15550000003'],
  args: ['clientId', 'subject'],
  names: { participants: 'member' },
  words: {
    subject: 'name of the group, up to 25 characters',
    participants: 'member: name, +phone, LID digits or jid; repeatable',
  },
  part: ({ group }) => group,
  failure: ({ group }) => (group.refused.length > 0 ? 'refused' : undefined),
  print: ({ group: { jid, participants, refused } }) => ({
    lines: [
      `created ${jid} with ${participants} members`,
      ...refused.map((person) => `${person.jid} ${explainChange(person.error)}`),
    ],
  }),
});
