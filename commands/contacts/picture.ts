import { callCommand } from '../../src/terminal/cli/call-command.js';

export default callCommand('getProfilePicture', {
  summary: "Print the link to a person's or group's profile picture",
  description: 'The link is permanent. If there is no visible picture, prints the reason.',
  examples: ['acme +15550000002', 'acme 120363040000000001@g.us --full --refresh'],
  args: ['clientId', 'jid'],
  fixed: { preview: true },
  switches: { full: { words: 'full size instead of the thumbnail', sets: { preview: false } } },
  words: {
    jid: 'name, +phone, LID digits or the jid of a person or group',
    refresh: 'ask WhatsApp even if the picture was looked up within 24 hours',
  },
  print: (picture) => {
    if ('reason' in picture) return { note: picture.reason || 'no picture' };
    return picture.storedUrl || picture.url;
  },
});
