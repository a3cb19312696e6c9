import { callCommand } from '../../src/terminal/cli/call-command.js';

export default callCommand('starMessage', {
  summary: "Star a message on the account's own devices",
  description: 'Nobody else sees the star. The phone lists the message under its starred messages.',
  examples: [
    'acme +15550000002 3A5F0C767D097B7C6A3F1',
    'acme 120363040000000001@g.us 3EB0C767D097B7C6A3F1 --json',
  ],
  args: ['clientId', 'to', 'messageId'],
  fixed: { starred: true },
  print: (_, given) => `starred ${given('messageId')}`,
});
