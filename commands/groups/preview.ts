import { plainLine } from '../../src/domain/text.js';
import { callCommand } from '../../src/terminal/cli/call-command.js';

export default callCommand('getGroupInvite', {
  summary: 'Show the group of an invite, without joining it',
  description: 'The members of the group are not notified.',
  examples: ['acme https://chat.whatsapp.com/AbCdEfGhIjKlMnOpQrStUv'],
  args: ['clientId', 'invite'],
  part: ({ group }) => group,
  print: ({ group }) => ({
    fields: {
      group: plainLine(group.name),
      jid: group.jid,
      topic: plainLine(group.topic),
      members: String(group.participants),
      joining: group.joinApproval ? 'an admin has to approve' : 'at once',
      created: group.createdAt,
    },
  }),
});
