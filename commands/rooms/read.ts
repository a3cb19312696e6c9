import { DaemonCommand } from '../../src/terminal/cli/command.js';
import { roomArgs } from '../../src/terminal/cli/flags.js';

export default class RoomsRead extends DaemonCommand {
  static override summary = "Set a room's unread count to 0";
  static override description = 'Sends no read receipts; use `switchboard chats read` for that.';
  static override examples = [
    '<%= config.bin %> <%= command.id %> acme +15550000002',
    '<%= config.bin %> <%= command.id %> acme "Weekend plans"',
  ];
  static override args = roomArgs();

  async run(): Promise<{ chatRoomId: string; unreadCount: number }> {
    const { args, flags } = await this.parse(RoomsRead);
    const { findRoom } = await import('../../src/terminal/cli/history.js');
    const { roomItem } = await import('../../src/terminal/cli/inbox/room-item.js');
    const client = await this.daemon(flags);
    const room = await findRoom(client, args.clientId, args.room);
    await client.resetUnread({ chatRoomId: room.chatRoomId });
    if (!this.jsonEnabled()) this.output.line(`${roomItem(room).name} has no unread messages`);
    return { chatRoomId: room.chatRoomId, unreadCount: 0 };
  }
}
