import { Args, Flags } from '@oclif/core';
import { DaemonCommand } from '../../src/terminal/cli/command.js';
import { recipientArgs } from '../../src/terminal/cli/send-command.js';

export default class SendDelete extends DaemonCommand {
  static override summary = 'Delete a message for everyone, or only on the own devices';
  static override description =
    `Deletes own messages for everyone, for a limited time after sending; group admins can also delete messages of others. --for-me \
deletes the message only on the devices of this number.`;
  static override examples = [
    '<%= config.bin %> <%= command.id %> acme +15550000002 3EB0C767D097B7C6A3F1',
    '<%= config.bin %> <%= command.id %> acme +15550000002 3A5F0C767D097B7C6A3F1 --for-me --theirs',
  ];
  static override args = {
    ...recipientArgs(),
    messageId: Args.string({ required: true, description: 'id of the message' }),
  };
  static override flags = {
    'for-me': Flags.boolean({ description: 'delete only on the devices of this number' }),
    theirs: Flags.boolean({ description: 'the message was sent by somebody else' }),
    room: Flags.string({ description: 'chatRoomId, if the session keeps a history; with --for-me' }),
  };

  async run(): Promise<{ status: boolean }> {
    const { args, flags } = await this.parse(SendDelete);
    const client = await this.daemon(flags);
    const answer = await client.deleteMessage({
      ...args,
      fromMe: !flags.theirs,
      mode: flags['for-me'] ? 'me' : 'everyone',
      chatRoomId: flags.room,
    });
    if (!this.jsonEnabled()) this.output.line(`deleted ${args.messageId}`);
    return answer;
  }
}
