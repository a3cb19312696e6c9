import { callCommand } from '../../src/terminal/cli/call-command.js';

export default callCommand('refreshAvatars', {
  summary: 'Fetch the pictures of the rooms of a hosted inbox',
  description: 'Checks about seven rooms a second and exits after the last one.',
  examples: ['acme', 'acme --force --json'],
  args: ['clientId'],
  words: { force: 'also check rooms that already have a picture' },
  print: ({ rooms, updated, skipped, noPhoto, failed }) =>
    `${rooms} rooms: ${updated} updated, ${skipped} skipped, ${noPhoto} without a picture, ${failed} failed`,
});
