import { Flags } from '@oclif/core';
import type { ChatRoom, StoredMessage } from '../../src/contract/index.js';
import { DaemonCommand } from '../../src/terminal/cli/command.js';
import { roomArgs } from '../../src/terminal/cli/flags.js';

export default class MessagesList extends DaemonCommand {
  static override summary = 'Read a conversation of the hosted inbox';
  static override description =
    `Prints the newest messages of a room, oldest first: author, time, id and delivery status, then the \
text, the link to the file, and the reactions.`;
  static override examples = [
    '<%= config.bin %> <%= command.id %> acme +15550000002',
    '<%= config.bin %> <%= command.id %> acme "Weekend plans" --limit 200',
    '<%= config.bin %> <%= command.id %> acme Bob --before 3EB0A9253D5F6C2B1E7A90',
    '<%= config.bin %> <%= command.id %> acme Bob --json | jq -r ".messages[].downloadUrl | select(.)"',
  ];
  static override args = roomArgs();
  static override flags = {
    limit: Flags.integer({ char: 'n', description: 'number of messages', default: 50, min: 1, max: 200 }),
    before: Flags.string({ description: 'only messages older than this one', helpValue: 'ID' }),
  };

  async run(): Promise<{ chatRoomId: string; messages: StoredMessage[] }> {
    const { args, flags } = await this.parse(MessagesList);
    const { findRoom } = await import('../../src/terminal/cli/history.js');
    const { fetchMessages } = await import('../../src/terminal/cli/history.js');
    const { limit, before } = flags;
    const client = await this.daemon(flags);
    const room = await findRoom(client, args.clientId, args.room);
    const messages = await fetchMessages(client, room.chatRoomId, { limit, before });
    if (!this.jsonEnabled()) await this.show(room, messages, limit);
    return { chatRoomId: room.chatRoomId, messages };
  }

  private async show(room: ChatRoom, rows: readonly StoredMessage[], limit: number): Promise<void> {
    const { messageItems } = await import('../../src/terminal/cli/inbox/message-item.js');
    const { roomItem } = await import('../../src/terminal/cli/inbox/room-item.js');
    const { messageLines } = await import('../../src/terminal/cli/history.js');
    const { chatRoomId, isGroup } = room;
    const chat = { chatRoomId, isGroup, name: roomItem(room).name, ownJid: '' };
    const oldest = rows[0]?.messageId;
    if (rows.length === limit && oldest) this.output.note(`older ones: --before ${oldest}`);
    if (rows.length === 0) this.output.note('no messages');
    for (const [index, message] of messageItems(rows, chat).entries()) {
      if (index > 0) this.output.line();
      for (const line of messageLines(message, this.output.paint)) this.output.line(line);
    }
  }
}
