import { callCommand } from '../../src/terminal/cli/call-command.js';

export default callCommand('subscribePresence', {
  summary: 'Subscribe to typing and presence in a chat',
  description:
    'The number appears online meanwhile. The session must have presence among its extra events; `switchboard tail` shows the events.',
  examples: ['acme +15550000002', 'acme +15550000002 --seconds 60'],
  args: ['clientId', 'to'],
  words: { seconds: 'seconds until the subscription ends' },
  print: ({ expiresAt }, given) => `subscribed to ${given('to')} until ${expiresAt}`,
});
