import type { ChatRoom } from '../../src/contract/index.js';
import type { DaemonClient } from '../../src/terminal/cli/client.js';
import { DaemonCommand } from '../../src/terminal/cli/command.js';
import { clientIdArg } from '../../src/terminal/cli/flags.js';

/** Number of newest rooms whose last message is read from the history if its text is empty. */
const LOOKED_AT = 30;
/** Maximum length of the last message, in characters. */
const LAST_MESSAGE_LENGTH = 50;

export default class RoomsList extends DaemonCommand {
  static override summary = 'List the rooms of a hosted inbox, newest activity first';
  static override description =
    'Only sessions with a workspace have rooms: set one with `switchboard sessions org`.';
  static override examples = [
    '<%= config.bin %> <%= command.id %> acme',
    '<%= config.bin %> <%= command.id %> acme --json | jq -r ".rooms[] | select(.unreadCount > 0).name"',
  ];
  static override args = { clientId: clientIdArg() };

  async run(): Promise<{ rooms: ChatRoom[] }> {
    const { args, flags } = await this.parse(RoomsList);
    const { emptyHistory, fetchRooms, requireWorkspace } = await import('../../src/terminal/cli/history.js');
    const client = await this.daemon(flags);
    const rooms = await fetchRooms(client, args.clientId);
    if (rooms.length === 0) {
      await requireWorkspace(client, args.clientId, 'history');
      this.output.note(emptyHistory(args.clientId));
    } else if (!this.jsonEnabled()) {
      await this.show(client, rooms);
    }
    return { rooms };
  }

  private async show(client: DaemonClient, rooms: readonly ChatRoom[]): Promise<void> {
    const { roomItem } = await import('../../src/terminal/cli/inbox/room-item.js');
    const { textlessMessage, timeText } = await import('../../src/terminal/cli/history.js');
    const { shorten } = await import('../../src/terminal/cli/text.js');
    const silent = rooms.slice(0, LOOKED_AT).filter((row) => row.lastMessage === '' && row.lastMessageAt);
    const told = await Promise.all(
      silent.map(async (row) => [row, await textlessMessage(client, row)] as const),
    );
    const texts = new Map(told);
    const rows = rooms.map((row) => {
      const room = roomItem(row);
      return [
        room.name,
        room.to,
        room.unreadCount > 0 ? this.output.paint('green', String(room.unreadCount)) : '',
        settingsOf(row),
        room.lastMessageAt ? timeText(room.lastMessageAt) : '',
        shorten(
          `${room.lastMessageFromMe ? 'You: ' : ''}${texts.get(row) ?? room.lastMessage}`,
          LAST_MESSAGE_LENGTH,
        ),
      ];
    });
    await this.output.table(['ROOM', 'JID', 'UNREAD', 'SETTINGS', 'WHEN', 'LAST MESSAGE'], rows, [
      'SETTINGS',
      'JID',
    ]);
  }
}

function settingsOf({ archived, pinned, mutedUntil }: ChatRoom): string {
  const isMuted = mutedUntil !== undefined && Date.parse(mutedUntil) > Date.now();
  return [archived && 'archived', pinned && 'pinned', isMuted && 'muted'].filter(Boolean).join(', ');
}
