import { callCommand } from '../../src/terminal/cli/call-command.js';

export default callCommand('deleteMessage', {
  summary: 'Delete a message for everyone, or only on the own devices',
  description: `Deletes own messages for everyone, for a limited time after sending; group admins can also delete messages of others. --for-me \
deletes the message only on the devices of this number.`,
  examples: [
    'acme +15550000002 3EB0C767D097B7C6A3F1',
    'acme +15550000002 3A5F0C767D097B7C6A3F1 --for-me --theirs',
  ],
  args: ['clientId', 'to', 'messageId'],
  fixed: { fromMe: true, mode: 'everyone' },
  switches: {
    'for-me': { words: 'delete only on the devices of this number', sets: { mode: 'me' } },
    theirs: { words: 'the message was sent by somebody else', sets: { fromMe: false } },
  },
  names: { chatRoomId: 'room' },
  words: { chatRoomId: 'chatRoomId, if the session keeps a history; with --for-me' },
  print: (_, given) => `deleted ${given('messageId')}`,
});
