import { callCommand } from '../../src/terminal/cli/call-command.js';

export default callCommand('getMediaFileUrl', {
  summary: 'Print the permanent link to a stored file',
  description: 'Anyone with the link can download the file without a token. Links cannot be guessed.',
  examples: ['7d9f9a1e-5a0c-4f0e-9f43-6b8f0f3f4a51', 'curl -OJ "$(… 7d9f9a1e-5a0c-4f0e-9f43-6b8f0f3f4a51)"'],
  args: ['messageId'],
  onlyArgs: true,
  names: { messageId: 'id' },
  words: { messageId: 'id of the file, from `switchboard media list`' },
  part: ({ url }) => ({ url }),
  print: ({ url }) => url,
});
