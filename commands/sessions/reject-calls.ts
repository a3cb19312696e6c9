import { callCommand } from '../../src/terminal/cli/call-command.js';
import { ON_OFF } from '../../src/terminal/cli/request-inputs.js';

export default callCommand('setRejectCalls', {
  summary: 'Decline every call to a session, or let calls ring',
  description: 'Off by default. Declined calls still produce events and history entries.',
  examples: ['acme on', 'acme off --json'],
  args: ['clientId', 'enabled'],
  names: { enabled: 'state' },
  words: { enabled: 'new state' },
  choices: { enabled: ON_OFF },
  part: ({ clientId, enabled }) => ({ clientId, enabled }),
  print: ({ clientId, enabled }) => `calls to ${clientId} ${enabled ? 'are declined' : 'ring'}`,
});
