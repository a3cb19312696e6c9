import { setImmediate } from 'node:timers/promises';
import { lastMessageOf, PENDING_CHANGES, showsNewest } from '../port/history.js';
import type { BackendHistory, BackendRoom, PendingChange, RoomMove } from '../store.js';
import type { OpenDatabase } from './database.js';
import { sqliteMessageStatus, sqliteMessages } from './messages.js';
import { sqliteRooms } from './rooms.js';
import { type Column, tableOf } from './table.js';

/** Messages that one statement deletes: SQLite blocks the whole process. */
const PRUNED_AT_ONCE = 100;

/** Messages of a room that one transaction moves: each is decrypted and encrypted, which takes about a millisecond. */
const MOVED_AT_ONCE = 25;

/** Chat history in the tables `rooms`, `messages`, `message_status` and `pending_changes`. */
export function sqliteHistory(database: OpenDatabase): BackendHistory {
  const { run, write, inTransaction } = database;
  const messages = sqliteMessages(database);
  const rooms = sqliteRooms(database);
  const { pruneStatuses, ...statuses } = sqliteMessageStatus(database);
  const { movePending, ...pendingChanges } = sqlitePendingChanges(database);
  const moveFiles = sqliteFileMoves(database);

  /** Moves the oldest messages of a room. @returns false when these were the last ones */
  const moveSome = (clientId: string, { from, message }: RoomMove): boolean => {
    const some = messages.oldest(clientId, from, MOVED_AT_ONCE);
    for (const moved of some) {
      messages.remove(clientId, from, moved.messageId);
      messages.insert(clientId, message(moved), 'last');
    }
    return some.length === MOVED_AT_ONCE;
  };

  /** One transaction of a move. The last one moves the room itself, so that a crash before it leaves a move to repeat. */
  const moveStep = (clientId: string, move: RoomMove): 'more' | 'moved' | 'no room' => {
    movePending(clientId, move);
    const room = rooms.get(clientId, move.from);
    if (!room) return 'no room';
    if (moveSome(clientId, move)) return 'more';
    moveFiles(clientId, move);
    rooms.remove(clientId, move.from);
    const moved = move.room(room);
    const target = rooms.get(clientId, move.to);
    if (target) rooms.change(clientId, mergeRooms(target, moved));
    else rooms.add(clientId, moved);
    return 'moved';
  };

  return {
    ...statuses,
    ...pendingChanges,
    async record(clientId, room, message, place = 'last') {
      return write(() => {
        if (!messages.insert(clientId, message, place)) return false;
        rooms.applyMessage(clientId, room, message, place);
        return true;
      });
    },
    async message(clientId, chatRoomId, messageId) {
      return run(() => messages.find(clientId, chatRoomId, messageId));
    },
    async update(clientId, message) {
      return inTransaction(() => {
        if (!messages.replace(clientId, message)) return false;
        const room = rooms.get(clientId, message.chatRoomId);
        if (room?.lastMessageId === message.messageId) {
          rooms.change(clientId, { ...room, lastMessage: message.body });
        }
        return true;
      });
    },
    async remove(clientId, chatRoomId, messageId) {
      return inTransaction(() => {
        if (!messages.remove(clientId, chatRoomId, messageId)) return false;
        const room = rooms.get(clientId, chatRoomId);
        if (room?.lastMessageId === messageId) {
          rooms.change(clientId, { ...room, ...lastMessageOf(messages.newest(clientId, chatRoomId)) });
        }
        return true;
      });
    },
    async messages(clientId, chatRoomId, page) {
      return run(() => messages.page(clientId, chatRoomId, page));
    },
    async oldest(clientId, chatRoomId, limit) {
      return run(() => messages.oldest(clientId, chatRoomId, Math.max(limit, 0)));
    },
    async rooms(clientId) {
      return run(() => rooms.list(clientId));
    },
    async room(clientId, chatRoomId) {
      return run(() => rooms.get(clientId, chatRoomId));
    },
    async roomsByNumber(clientId) {
      return run(() => rooms.byNumber(clientId));
    },
    async updateRoom(clientId, chatRoomId, changes) {
      const given = Object.entries(changes).filter(([, value]) => value !== undefined);
      return inTransaction(() => {
        const room = rooms.get(clientId, chatRoomId);
        if (!room) return false;
        rooms.change(clientId, { ...room, ...Object.fromEntries(given) });
        return true;
      });
    },
    async rekey(clientId, move) {
      let step = inTransaction(() => moveStep(clientId, move));
      while (step === 'more') {
        await setImmediate();
        step = inTransaction(() => moveStep(clientId, move));
      }
      return step === 'moved';
    },
    async checkRoom(clientId, chatRoomId, { repair }) {
      return inTransaction(() => {
        const room = rooms.get(clientId, chatRoomId);
        if (!room) return true;
        const newest = messages.newest(clientId, chatRoomId);
        const unreadCount = messages.countOthers(clientId, chatRoomId, room.unreadCount);
        const shown = messages.find(clientId, chatRoomId, room.lastMessageId);
        const isRight = showsNewest(room, shown, newest) && unreadCount === room.unreadCount;
        if (repair && !isRight) rooms.change(clientId, { ...room, ...lastMessageOf(newest), unreadCount });
        return isRight;
      });
    },
    async prune(sentBefore, only) {
      run(() => rooms.emptyBefore(sentBefore, only));
      let pruned = 0;
      for (const { clientId, chatRoomId } of run(() => rooms.all(only))) {
        let removed: number;
        do {
          removed = run(() => messages.removeBefore(clientId, chatRoomId, sentBefore, PRUNED_AT_ONCE));
          pruned += removed;
          if (removed > 0) await setImmediate();
        } while (removed === PRUNED_AT_ONCE);
      }
      await pruneStatuses(sentBefore, only);
      return pruned;
    },
  };
}

/** A room after another one was merged into it. */
function mergeRooms(room: BackendRoom, { name, avatarId, unreadCount, ...other }: BackendRoom): BackendRoom {
  const { lastMessageId, lastMessage, lastMessageFromMe, lastMessageAt } = other;
  const isNewer = lastMessageAt > room.lastMessageAt;
  return {
    // settings that the target does not have
    ...other,
    ...room,
    name: room.name || name,
    avatarId: room.avatarId || avatarId,
    unreadCount: room.unreadCount + unreadCount,
    ...(isNewer && { lastMessageId, lastMessage, lastMessageFromMe, lastMessageAt }),
  };
}

function sqliteFileMoves({ sqlite }: OpenDatabase): (clientId: string, move: RoomMove) => void {
  // if a message is in both rooms, the file of the target stays
  const files = sqlite.prepare<[string, string, string]>(
    `UPDATE OR IGNORE files SET chat_room_id = ?
     WHERE client_id = ? AND chat_room_id = ? AND message_id <> ''`,
  );
  const expectedFiles = sqlite.prepare<[string, string, string]>(
    'UPDATE expected_files SET chat_room_id = ? WHERE client_id = ? AND chat_room_id = ?',
  );
  return (clientId, { from, to }) => {
    files.run(to, clientId, from);
    expectedFiles.run(to, clientId, from);
  };
}

/** Changes that wait for their message, in the table `pending_changes`. */
function sqlitePendingChanges({ sqlite, run }: OpenDatabase) {
  const { columns, into, read, values } = tableOf(PENDING_CHANGES);
  const selecting = `SELECT ${columns} FROM pending_changes WHERE client_id = ? AND chat_room_id = ?`;
  const insert = sqlite.prepare<[Column[]]>(`INSERT ${into} ON CONFLICT DO NOTHING`);
  const select = sqlite
    .prepare<[string, string, string], Column[]>(`${selecting} AND target_id = ? ORDER BY at, rowid`)
    .raw();
  const ofRoom = sqlite.prepare<[string, string], Column[]>(`${selecting} ORDER BY at, rowid`).raw();
  const targets = sqlite
    .prepare<[string, string], string>(
      'SELECT DISTINCT target_id FROM pending_changes WHERE client_id = ? AND chat_room_id = ?',
    )
    .pluck();
  const remove = sqlite.prepare<[string, string, string]>(
    'DELETE FROM pending_changes WHERE client_id = ? AND chat_room_id = ? AND target_id = ?',
  );
  const removeOfRoom = sqlite.prepare<[string, string]>(
    'DELETE FROM pending_changes WHERE client_id = ? AND chat_room_id = ?',
  );
  const prune = sqlite.prepare<[number]>('DELETE FROM pending_changes WHERE at < ?');
  const add = (clientId: string, pending: PendingChange) => insert.run(values(clientId, pending));

  return {
    async addPending(clientId: string, pending: PendingChange): Promise<void> {
      run(() => add(clientId, pending));
    },
    async pending(clientId: string, chatRoomId: string, targetId: string): Promise<PendingChange[]> {
      return run(() => select.all(clientId, chatRoomId, targetId)).map(read);
    },
    async pendingTargets(clientId: string, chatRoomId: string): Promise<string[]> {
      return run(() => targets.all(clientId, chatRoomId));
    },
    async removePending(clientId: string, chatRoomId: string, targetId: string): Promise<void> {
      run(() => remove.run(clientId, chatRoomId, targetId));
    },
    async prunePending(before: number): Promise<number> {
      return run(() => prune.run(before).changes);
    },
    /** Call it in a transaction. */
    movePending(clientId: string, { from, pending }: RoomMove) {
      const rows = ofRoom.all(clientId, from);
      removeOfRoom.run(clientId, from);
      for (const row of rows) add(clientId, pending(read(row)));
    },
  };
}
