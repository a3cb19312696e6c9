import { Args, Flags } from '@oclif/core';
import { DaemonCommand } from '../../src/cli/daemon-command.js';
import { recipientArgs } from '../../src/cli/send-command.js';

export default class SendDelete extends DaemonCommand {
  static override summary = 'Delete a message, for everyone or on the own devices only';
  static override description =
    `For everyone works with own messages, and for a while; admins of a group delete those of others too.
With --for-me it goes from the devices of this number only.`;
  static override examples = [
    '<%= config.bin %> <%= command.id %> acme +15550000002 3EB0C767D097B7C6A3F1',
    '<%= config.bin %> <%= command.id %> acme +15550000002 3A5F0C767D097B7C6A3F1 --for-me --theirs',
  ];
  static override args = {
    ...recipientArgs(),
    messageId: Args.string({ required: true, description: 'the message' }),
  };
  static override flags = {
    'for-me': Flags.boolean({ description: 'only on the devices of this number' }),
    theirs: Flags.boolean({ description: 'somebody else wrote it' }),
    room: Flags.string({ description: 'its chat room, where the session keeps a history; with --for-me' }),
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
