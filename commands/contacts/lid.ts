import { callCommand } from '../../src/terminal/cli/call-command.js';

export default callCommand('checkOwnerLid', {
  summary: "Look up a number's jid and LID, and whether it is on WhatsApp",
  description: `Without a number, shows the session's own addresses. Exits with 5 if the number is not on WhatsApp. \
Look up numbers one by one when you need them: WhatsApp treats bulk lookups as abuse.`,
  examples: ['acme', 'acme +15550000002 --json | jq -r .numberLid'],
  args: ['clientId', 'number'],
  words: { number: 'phone number with country code' },
  failure: ({ isOnWhatsApp }, given) => (given('number') !== '' && !isOnWhatsApp ? 'not_found' : undefined),
  say: ({ myJid, myLid, isOnWhatsApp, numberJid, numberLid, username }, given) => {
    const number = given('number');
    if (number === '') return { fields: { jid: myJid, lid: myLid } };
    if (isOnWhatsApp) return { fields: { jid: numberJid, lid: numberLid, username } };
    return { note: `${number} is not on the network` };
  },
});
