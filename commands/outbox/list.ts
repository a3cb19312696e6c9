import { callCommand } from '../../src/terminal/cli/call-command.js';

export default callCommand('listOutbox', {
  summary: 'List messages that wait until their policy allows them',
  description:
    'Lists messages that were sent with --when-allowed and refused by the policy, oldest first. They are sent when the policy allows \
them, and given up after 7 days.',
  examples: ['acme', "acme --json | jq -r '.messages[].messageId'"],
  args: ['clientId'],
  words: {
    limit: 'maximum number of messages',
    after: 'continue after this message, shown at the end of a page',
  },
  print: ({ messages, next }) => ({
    table: {
      head: ['MESSAGE', 'TO', 'RULE', 'ALLOWED AT'],
      rows: messages.map(({ messageId, to, rule, allowedAt, leaving }) => [
        messageId,
        to,
        rule,
        leaving ? 'leaving now' : allowedAt,
      ]),
      none: 'no message waits',
    },
    note: next && `more: --after ${next}`,
  }),
});
