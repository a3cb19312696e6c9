import { callCommand } from '../../src/terminal/cli/call-command.js';
import { ON_OFF } from '../../src/terminal/cli/request-inputs.js';

export default callCommand('setEnableGroupAi', {
  summary: 'Turn the events of group messages on or off',
  description: 'Off by default. Messages that arrive while events are off are not delivered later.',
  examples: ['acme on', 'acme off --json'],
  args: ['clientId', 'enabled'],
  names: { enabled: 'state' },
  words: { enabled: 'new state' },
  choices: { enabled: ON_OFF },
  part: ({ clientId, enabled }) => ({ clientId, enabled }),
  print: ({ clientId, enabled }) => `group events of ${clientId} are ${enabled ? 'on' : 'off'}`,
});
