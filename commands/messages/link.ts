import { Args } from '@oclif/core';
import { DaemonCommand } from '../../src/terminal/cli/command.js';
import { roomArgs } from '../../src/terminal/cli/flags.js';

export default class MessagesLink extends DaemonCommand {
  static override summary = "Print the permanent link to a message's file";
  static override description =
    'Anyone with the link can download the file without a token. Exits with 5 if the message has no file.';
  static override examples = [
    '<%= config.bin %> <%= command.id %> acme +15550000002 3EB0A9253D5F6C2B1E7A90',
    'curl -o photo.jpg "$(<%= config.bin %> <%= command.id %> acme Bob 3EB0A9253D5F6C2B1E7A90)"',
  ];
  static override args = {
    ...roomArgs(),
    messageId: Args.string({ required: true, description: 'id of the message' }),
  };

  async run(): Promise<{ url: string }> {
    const { args, flags } = await this.parse(MessagesLink);
    const { findRoom } = await import('../../src/terminal/cli/history.js');
    const client = await this.daemon(flags);
    const { chatRoomId } = await findRoom(client, args.clientId, args.room);
    const { url } = await client.getMessageMediaUrl({ chatRoomId, messageId: args.messageId });
    if (!this.jsonEnabled()) this.output.line(url);
    return { url };
  }
}
