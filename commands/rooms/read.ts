import { DaemonCommand } from '../../src/cli/daemon-command.js';
import { roomArgs } from '../../src/cli/room-args.js';

export default class RoomsRead extends DaemonCommand {
  static override summary = "Reset a room's unread count";
  static override description = 'Nobody is sent a read receipt; `switchboard chats read` sends them.';
  static override examples = [
    '<%= config.bin %> <%= command.id %> acme +15550000002',
    '<%= config.bin %> <%= command.id %> acme "Weekend plans"',
  ];
  static override args = roomArgs();

  async run(): Promise<{ chatRoomId: string; unreadCount: number }> {
    const { args, flags } = await this.parse(RoomsRead);
    const { findRoom } = await import('../../src/cli/rooms.js');
    const { resetUnread } = await import('../../src/cli/inbox/wire.js');
    const { roomItem } = await import('../../src/cli/inbox/room-item.js');
    const client = await this.daemon(flags);
    const room = await findRoom(client, args.clientId, args.room);
    await resetUnread(client, room.chatRoomId);
    if (!this.jsonEnabled()) this.output.line(`${roomItem(room).name} has no unread messages`);
    return { chatRoomId: room.chatRoomId, unreadCount: 0 };
  }
}
