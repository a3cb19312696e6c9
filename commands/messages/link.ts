import { Args } from '@oclif/core';
import { DaemonCommand } from '../../src/cli/daemon-command.js';
import { roomArgs } from '../../src/cli/room-args.js';

export default class MessagesLink extends DaemonCommand {
  static override summary = "Show the permanent link to a message's file";
  static override description =
    'Who has the link can fetch the file without a token; nobody can guess it. Ends with 5 when the message has none.';
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
    const { findRoom } = await import('../../src/cli/rooms.js');
    const client = await this.daemon(flags);
    const { chatRoomId } = await findRoom(client, args.clientId, args.room);
    const [room, message] = [chatRoomId, args.messageId].map(encodeURIComponent);
    const path = `/chatrooms/${room}/messages/${message}/media-url`;
    const { url } = await client.call<{ url: string }>('GET', path, {});
    if (!this.jsonEnabled()) this.output.line(url);
    return { url };
  }
}
