import { callCommand } from '../../src/terminal/cli/call-command.js';
import { ENABLED_AS_STATE } from '../../src/terminal/cli/request-inputs.js';

export default callCommand('setRejectCalls', {
  summary: 'Decline every call to a session, or let calls ring',
  description: 'Off by default. Declined calls still produce events and history entries.',
  examples: ['acme on', 'acme off --json'],
  args: ['clientId', 'enabled'],
  ...ENABLED_AS_STATE,
  part: ({ clientId, enabled }) => ({ clientId, enabled }),
  print: ({ clientId, enabled }) => `calls to ${clientId} ${enabled ? 'are declined' : 'ring'}`,
});
