import type { BackendHistory, BackendRoom, PendingChange, RoomMove } from '../store.js';
import type { OpenDatabase } from './database.js';
import type { SqliteMessages } from './messages.js';
import type { SqliteRooms } from './rooms.js';

/** Messages that are read at once. */
const SOME = 200;

type PendingRow = Omit<PendingChange, 'change'> & { change: string };

/** Moves rooms, each with all it holds in one transaction. */
export function sqliteRekey(
  { sqlite, inTransaction }: OpenDatabase,
  messages: SqliteMessages,
  rooms: SqliteRooms,
): BackendHistory['rekey'] {
  const pendingOf = sqlite.prepare<[string, string], PendingRow>(
    `SELECT target_id AS targetId, chat_room_id AS chatRoomId, message_id AS messageId, change, at
     FROM pending_changes WHERE client_id = ? AND chat_room_id = ? ORDER BY at, rowid`,
  );
  const removePending = sqlite.prepare<[string, string]>(
    'DELETE FROM pending_changes WHERE client_id = ? AND chat_room_id = ?',
  );
  const addPending = sqlite.prepare<PendingRow & { clientId: string }>(
    `INSERT INTO pending_changes (client_id, chat_room_id, target_id, message_id, change, at)
     VALUES (@clientId, @chatRoomId, @targetId, @messageId, @change, @at) ON CONFLICT DO NOTHING`,
  );
  // a message that is in both rooms has its file in the other one
  const moveFiles = sqlite.prepare<[string, string, string]>(
    `UPDATE OR IGNORE files SET chat_room_id = ?
     WHERE client_id = ? AND chat_room_id = ? AND message_id <> ''`,
  );
  const moveExpectedFiles = sqlite.prepare<[string, string, string]>(
    'UPDATE expected_files SET chat_room_id = ? WHERE client_id = ? AND chat_room_id = ?',
  );

  const moveMessages = (clientId: string, { from, message }: RoomMove) => {
    for (let some = messages.oldest(clientId, from, SOME); some.length > 0; ) {
      for (const moved of some) {
        messages.remove(clientId, from, moved.messageId);
        messages.insert(clientId, message(moved));
      }
      some = messages.oldest(clientId, from, SOME);
    }
  };
  const movePending = (clientId: string, { from, pending }: RoomMove) => {
    const changes = pendingOf.all(clientId, from);
    removePending.run(clientId, from);
    for (const row of changes) {
      const moved = pending({ ...row, change: JSON.parse(row.change) });
      addPending.run({ ...moved, clientId, change: JSON.stringify(moved.change) });
    }
  };

  return async (clientId, move) =>
    inTransaction(() => {
      movePending(clientId, move);
      const room = rooms.get(clientId, move.from);
      if (!room) return false;
      moveMessages(clientId, move);
      moveFiles.run(move.to, clientId, move.from);
      moveExpectedFiles.run(move.to, clientId, move.from);
      rooms.remove(clientId, move.from);
      const moved = move.room(room);
      const other = rooms.get(clientId, move.to);
      if (other) rooms.change(clientId, united(other, moved));
      else rooms.add(clientId, moved);
      return true;
    });
}

/** A room that has taken in another one. */
function united(room: BackendRoom, { name, avatarId, unreadCount, ...other }: BackendRoom): BackendRoom {
  const { lastMessageId, lastMessage, lastMessageFromMe, lastMessageAt } = other;
  const isNewer = lastMessageAt > room.lastMessageAt;
  return {
    ...room,
    name: room.name || name,
    avatarId: room.avatarId || avatarId,
    unreadCount: room.unreadCount + unreadCount,
    ...(isNewer && { lastMessageId, lastMessage, lastMessageFromMe, lastMessageAt }),
  };
}
