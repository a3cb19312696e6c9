import { callCommand } from '../../src/terminal/cli/call-command.js';
import { ENABLED_AS_STATE } from '../../src/terminal/cli/request-inputs.js';

export default callCommand('setEnableGroupAi', {
  summary: 'Turn the events of group messages on or off',
  description: 'Off by default. Messages that arrive while events are off are not delivered later.',
  examples: ['acme on', 'acme off --json'],
  args: ['clientId', 'enabled'],
  ...ENABLED_AS_STATE,
  part: ({ clientId, enabled }) => ({ clientId, enabled }),
  print: ({ clientId, enabled }) => `group events of ${clientId} are ${enabled ? 'on' : 'off'}`,
});
