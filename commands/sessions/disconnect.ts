import { callCommand } from '../../src/terminal/cli/call-command.js';

export default callCommand('disconnect', {
  summary: 'Log a number out and delete its session',
  description: 'Also unlinks the device on the phone. To use the number again, pair it again.',
  examples: ['acme', 'acme --yes --json'],
  args: ['clientId'],
  confirm: (given) => `Log ${given('clientId')} out and delete its session?`,
  warning: ({ warning }) => warning,
  print: (_, given) => `${given('clientId')} is disconnected`,
});
