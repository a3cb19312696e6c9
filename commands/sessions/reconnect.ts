import { callCommand } from '../../src/terminal/cli/call-command.js';

export default callCommand('reconnect', {
  summary: 'Reconnect a session now',
  description: `Closes a live connection and opens a new one; skips the wait before the next attempt. Work in flight is \
not lost. Does not wait for the result: see sessions show.`,
  examples: ['acme', 'acme --json'],
  args: ['clientId'],
  print: ({ clientId, status }) => `${clientId} connects again (${status})`,
});
