import { callCommand } from '../../src/terminal/cli/call-command.js';
import { RECEIVERS_HEAD, receiverRow } from '../../src/terminal/cli/receivers.js';

export default callCommand('listReceivers', {
  summary: 'List the receivers of a session',
  description:
    'Receiver 1 is the webhook of the session: change it with `switchboard sessions webhook`. WAITING counts events that wait for a \
receiver with durable retries, FAILED those that `switchboard failed list --session NAME --receiver ID` shows.',
  examples: ['acme', "acme --json | jq -r '.receivers[].url'"],
  args: ['clientId'],
  print: ({ receivers }, given) => ({
    table: {
      head: RECEIVERS_HEAD,
      rows: receivers.map(receiverRow),
      none: `${given('clientId')} has no receiver`,
    },
  }),
});
