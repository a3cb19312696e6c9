import { DaemonCommand } from '../../src/cli/daemon-command.js';
import { clientIdArg } from '../../src/cli/flags.js';
import type { RoomItem } from '../../src/cli/inbox/model.js';
import type { RoomRow } from '../../src/cli/inbox/wire.js';

/** Characters of a room's last message that are shown. */
const SHOWN = 50;

export default class RoomsList extends DaemonCommand {
  static override summary = 'List the rooms of a hosted inbox, the newest activity first';
  static override description =
    'A session has rooms while it has a workspace; `switchboard sessions org` gives it one.';
  static override examples = [
    '<%= config.bin %> <%= command.id %> acme',
    '<%= config.bin %> <%= command.id %> acme --json | jq -r ".rooms[] | select(.unreadCount > 0).name"',
  ];
  static override args = { clientId: clientIdArg() };

  async run(): Promise<{ rooms: RoomRow[] }> {
    const { args, flags } = await this.parse(RoomsList);
    const { fetchRooms } = await import('../../src/cli/inbox/wire.js');
    const client = await this.daemon(flags);
    const rooms = await fetchRooms(client, args.clientId);
    if (rooms.length === 0) {
      const { whyNoRooms } = await import('../../src/cli/rooms.js');
      this.output.note(await whyNoRooms(client, args.clientId));
    } else if (!this.jsonEnabled()) {
      const { roomItem } = await import('../../src/cli/inbox/room-item.js');
      await this.show(rooms.map(roomItem));
    }
    return { rooms };
  }

  private async show(rooms: readonly RoomItem[]): Promise<void> {
    const { timeText } = await import('../../src/cli/message-lines.js');
    const { shorten } = await import('../../src/cli/plain-text.js');
    const rows = rooms.map((room) => [
      room.name,
      room.to,
      room.unreadCount > 0 ? this.output.paint('green', String(room.unreadCount)) : '',
      room.lastMessageAt ? timeText(room.lastMessageAt) : '',
      shorten(`${room.lastMessageFromMe ? 'You: ' : ''}${room.lastMessage}`, SHOWN),
    ]);
    await this.output.table(['ROOM', 'JID', 'UNREAD', 'WHEN', 'LAST MESSAGE'], rows);
  }
}
