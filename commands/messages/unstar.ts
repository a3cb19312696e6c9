import { callCommand } from '../../src/terminal/cli/call-command.js';

export default callCommand('starMessage', {
  summary: 'Remove the star of a message',
  description: 'Has no effect on a message without a star.',
  examples: ['acme +15550000002 3A5F0C767D097B7C6A3F1'],
  args: ['clientId', 'to', 'messageId'],
  fixed: { starred: false },
  print: (_, given) => `removed the star of ${given('messageId')}`,
});
