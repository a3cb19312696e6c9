import { showsNewest } from '../shown-message.js';
import type { BackendHistory } from '../store.js';
import type { MongoDatabase } from './database.js';
import type { Fence, Fences } from './fences.js';
import { mongoMessageStatus } from './message-status.js';
import { mongoMessages } from './messages.js';
import { mongoPendingChanges } from './pending-changes.js';
import { mongoRekey } from './rekey.js';
import { lastOf, mongoRooms, type RoomKey } from './rooms.js';
import { Turns } from './turns.js';
import { unlessRefused } from './under-fence.js';

/** Messages that are deleted in one step. */
const PRUNED_AT_ONCE = 200;

/**
 * Chat history in the collections `rooms`, `messages` and `pending_changes`. What changes a room and a message does so in
 * steps, in an order in which an interruption loses nothing and repeating completes it: the room is told of a message
 * before that is there, and shows another one before a message is gone. In one process such changes of a room take turns.
 */
export function mongoHistory(database: MongoDatabase, fences: Fences): BackendHistory {
  const { run } = database;
  const messages = mongoMessages(database);
  const rooms = mongoRooms(database);
  const rekey = mongoRekey(database, messages, rooms);
  const { pruneStatuses, ...status } = mongoMessageStatus(database, fences);
  const turns = new Turns();
  const alone = <T>(clientId: string, chatRoomId: string, work: () => Promise<T>) =>
    turns.alone(`${clientId} ${chatRoomId}`, () => run(work));
  const writing = <T>(clientId: string, chatRoomId: string, work: (fence: Fence) => Promise<T>) =>
    fences.run(clientId, (fence) => alone(clientId, chatRoomId, () => work(fence)));

  /** Deletes the messages of one room, step by step, so that others get their turn in between. */
  const pruneRoom = async ({ clientId, chatRoomId }: RoomKey, sentBefore: number): Promise<number> => {
    let pruned = 0;
    for (;;) {
      const removed = await alone(clientId, chatRoomId, async () => {
        const old = await messages.before(clientId, chatRoomId, sentBefore, PRUNED_AT_ONCE);
        if (old.length === 0) return 0;
        await rooms.emptyBefore({ clientId, chatRoomId }, sentBefore);
        return messages.removeThese(old);
      });
      if (removed === 0) return pruned;
      pruned += removed;
    }
  };

  return {
    ...mongoPendingChanges(database, fences),
    ...status,
    async record(clientId, room, message) {
      const { chatRoomId, messageId } = message;
      return writing(clientId, chatRoomId, async (fence) => {
        const isThere = await messages.has(clientId, chatRoomId, messageId);
        if (isThere) return unlessRefused(database, clientId, fence, false);
        await rooms.tell(fence, clientId, room, message);
        return messages.insert(fence, clientId, message);
      });
    },
    async message(clientId, chatRoomId, messageId) {
      return run(() => messages.find(clientId, chatRoomId, messageId));
    },
    async update(clientId, message) {
      const { chatRoomId, messageId, body } = message;
      return writing(clientId, chatRoomId, async (fence) => {
        if (!(await messages.replace(fence, clientId, message))) return false;
        await rooms.changeShowing(fence, { clientId, chatRoomId, messageId }, { lastMessage: body });
        return true;
      });
    },
    async remove(clientId, chatRoomId, messageId) {
      return writing(clientId, chatRoomId, async (fence) => {
        const next = lastOf(await messages.newestBut(clientId, chatRoomId, messageId));
        await rooms.changeShowing(fence, { clientId, chatRoomId, messageId }, next);
        return messages.remove(fence, clientId, chatRoomId, messageId);
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
    async updateRoom(clientId, chatRoomId, changes) {
      return run(() => rooms.change(clientId, chatRoomId, changes));
    },
    async rekey(clientId, move) {
      // nobody else takes the turns of two rooms, so two can never wait for each other
      return writing(clientId, move.from, (fence) =>
        alone(clientId, move.to, () => rekey(fence, clientId, move)),
      );
    },
    async checkRoom(clientId, chatRoomId, { repair }) {
      return alone(clientId, chatRoomId, async () => {
        const room = await rooms.get(clientId, chatRoomId);
        if (!room) return true;
        const newest = await messages.newestBut(clientId, chatRoomId, '');
        const unreadCount = await messages.countOthers(clientId, chatRoomId, room.unreadCount);
        const shown = await messages.find(clientId, chatRoomId, room.lastMessageId);
        const isRight = showsNewest(room, shown, newest) && unreadCount === room.unreadCount;
        if (repair && !isRight) await rooms.mend(clientId, room, lastOf(newest), unreadCount);
        return isRight;
      });
    },
    async prune(sentBefore) {
      let pruned = 0;
      for (const room of await run(() => rooms.all())) pruned += await pruneRoom(room, sentBefore);
      await pruneStatuses(sentBefore);
      return pruned;
    },
  };
}
