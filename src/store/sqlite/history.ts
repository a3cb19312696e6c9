import { setImmediate } from 'node:timers/promises';
import { showsNewest } from '../shown-message.js';
import type { BackendHistory } from '../store.js';
import type { OpenDatabase } from './database.js';
import { sqliteMessageStatus } from './message-status.js';
import { sqliteMessages } from './messages.js';
import { sqlitePendingChanges } from './pending-changes.js';
import { sqliteRekey } from './rekey.js';
import { showing, sqliteRooms } from './rooms.js';

/** Messages that are deleted in one step: deleting blocks the whole process. */
const PRUNED_AT_ONCE = 100;

/** Chat history in the tables `rooms`, `messages` and `pending_changes`. */
export function sqliteHistory(database: OpenDatabase): BackendHistory {
  const { run, inTransaction } = database;
  const messages = sqliteMessages(database);
  const rooms = sqliteRooms(database);
  const { pruneStatuses, ...status } = sqliteMessageStatus(database);

  return {
    ...status,
    ...sqlitePendingChanges(database),
    async record(clientId, room, message) {
      return inTransaction(() => {
        if (!messages.insert(clientId, message)) return false;
        rooms.tell(clientId, room, message);
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
          rooms.change(clientId, showing(room, messages.newest(clientId, chatRoomId)));
        }
        return true;
      });
    },
    async messages(clientId, chatRoomId, page) {
      return run(() => messages.page(clientId, chatRoomId, page));
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
    async updateRoom(clientId, chatRoomId, { name, avatarId, unreadCount }) {
      return inTransaction(() => {
        const room = rooms.get(clientId, chatRoomId);
        if (!room) return false;
        rooms.change(clientId, {
          ...room,
          name: name ?? room.name,
          avatarId: avatarId ?? room.avatarId,
          unreadCount: unreadCount ?? room.unreadCount,
        });
        return true;
      });
    },
    rekey: sqliteRekey(database, messages, rooms),
    async checkRoom(clientId, chatRoomId, { repair }) {
      return inTransaction(() => {
        const room = rooms.get(clientId, chatRoomId);
        if (!room) return true;
        const newest = messages.newest(clientId, chatRoomId);
        const unreadCount = messages.countOthers(clientId, chatRoomId, room.unreadCount);
        const shown = messages.find(clientId, chatRoomId, room.lastMessageId);
        const isRight = showsNewest(room, shown, newest) && unreadCount === room.unreadCount;
        if (repair && !isRight) rooms.change(clientId, { ...showing(room, newest), unreadCount });
        return isRight;
      });
    },
    async prune(sentBefore) {
      run(() => rooms.emptyBefore(sentBefore));
      let pruned = 0;
      for (const { clientId, chatRoomId } of run(() => rooms.all())) {
        let removed: number;
        do {
          removed = run(() => messages.removeBefore(clientId, chatRoomId, sentBefore, PRUNED_AT_ONCE));
          pruned += removed;
          if (removed > 0) await setImmediate();
        } while (removed === PRUNED_AT_ONCE);
      }
      await pruneStatuses(sentBefore);
      return pruned;
    },
  };
}
