import { plainLine } from '../../src/domain/text.js';
import { callCommand } from '../../src/terminal/cli/call-command.js';

export default callCommand('getUserInfo', {
  summary: 'Show the profile of a person',
  description: `Shows name and number, if they are known, and asks WhatsApp for jid, username, business name, status text, \
picture and number of devices.`,
  examples: ['acme +15550000002', 'acme 90000000000002 --json | jq -r .jid'],
  args: ['clientId', 'jid'],
  fixed: { withContact: true },
  names: { jid: 'person' },
  words: { jid: 'name, +phone, LID digits or a full jid' },
  print: (contact) => ({
    fields: {
      name: plainLine(contact.displayName ?? ''),
      number: contact.phone ?? '',
      jid: contact.jid,
      username: contact.username,
      business: plainLine(contact.verifiedName),
      status: plainLine(contact.status),
      picture: contact.pictureId,
      devices: String(contact.devices),
    },
  }),
});
