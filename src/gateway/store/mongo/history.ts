import { lastMessageOf, PENDING_CHANGES, showsNewest } from '../port/history.js';
import type { BackendHistory, HistoryStore, PendingChange, RoomMove } from '../store.js';
import type { CommitLog } from './commits.js';
import type { MongoDatabase } from './database.js';
import { type DocumentOf, documentsOf } from './documents.js';
import { assertLease, type Fence, type Fences, insertFenced } from './fences.js';
import { SharedLock } from './lock.js';
import { mongoMessageStatus, mongoMessages } from './messages.js';
import { PendingTargets } from './pending-targets.js';
import { mongoRooms } from './rooms.js';
import { setTo, upsertTwice } from './writes.js';

/** Messages that are deleted at once. */
const PRUNED_AT_ONCE = 200;

/** Messages of a moved room that are converted in parallel. */
const MOVED_AT_ONCE = 50;

/**
 * Chat history in the collections `rooms`, `messages`, `message_status` and `pending_changes`. A change of a room and a
 * message takes several steps, in an order in which an interruption loses nothing and repeating completes it: the room is
 * updated before a message is inserted, and shows another message before one is deleted. In one process, such changes of a
 * room run one after the other.
 *
 * @param takeNew tells once that an own message got its id just now, so that no room can have it
 */
export function mongoHistory(
  database: MongoDatabase,
  fences: Fences,
  log: CommitLog,
  takeNew: (clientId: string, messageId: string) => boolean,
): BackendHistory {
  const { run } = database;
  const messages = mongoMessages(database);
  const rooms = mongoRooms(database);
  const { pruneStatuses, ...statuses } = mongoMessageStatus(database, fences);
  const { movePending, ...pendingChanges } = mongoPendingChanges(database, fences, log);
  const moveFiles = mongoFileMoves(database);
  const lock = new SharedLock();
  const exclusive = <T>(clientId: string, chatRoomId: string, work: () => Promise<T>) =>
    lock.exclusive(`${clientId} ${chatRoomId}`, () => run(work));
  const writing = <T>(clientId: string, chatRoomId: string, work: (fence: Fence) => Promise<T>) =>
    fences.run(clientId, (fence) => exclusive(clientId, chatRoomId, () => work(fence)));

  /** Deletes in batches and releases the lock in between. */
  const pruneRoom = async (clientId: string, chatRoomId: string, sentBefore: number): Promise<number> => {
    let pruned = 0;
    for (;;) {
      const removed = await exclusive(clientId, chatRoomId, async () => {
        const old = await messages.before(clientId, chatRoomId, sentBefore, PRUNED_AT_ONCE);
        if (old.length === 0) return 0;
        await rooms.emptyBefore(clientId, chatRoomId, sentBefore);
        return messages.removeThese(old);
      });
      if (removed === 0) return pruned;
      pruned += removed;
    }
  };

  const moveMessages = async (fence: Fence, clientId: string, { from, message }: RoomMove) => {
    for (let some = await messages.some(clientId, from, MOVED_AT_ONCE); some.length > 0; ) {
      await Promise.all(some.map(({ id, message: found }) => messages.move(fence, id, message(found))));
      some = await messages.some(clientId, from, MOVED_AT_ONCE);
    }
  };

  /**
   * The target takes the room in before anything is moved, and remembers it; the room is deleted last. So an interruption
   * leaves both rooms, and repeating the move counts nothing twice.
   */
  const moveRoom = async (fence: Fence, clientId: string, move: RoomMove): Promise<boolean> => {
    await movePending(fence, clientId, move);
    const room = await rooms.get(clientId, move.from);
    if (!room) return assertLease(database, clientId, fence, false);
    await rooms.takeIn(fence, clientId, move.from, move.room(room));
    await moveMessages(fence, clientId, move);
    await moveFiles(fence, clientId, move);
    await rooms.remove(fence, clientId, move.from);
    return true;
  };

  return {
    ...pendingChanges,
    ...statuses,
    async record(clientId, room, message, place = 'last') {
      const { chatRoomId, messageId } = message;
      return writing(clientId, chatRoomId, async (fence) => {
        const isNew = message.fromMe && takeNew(clientId, messageId);
        const isThere = !isNew && (await messages.has(clientId, chatRoomId, messageId));
        if (isThere) return assertLease(database, clientId, fence, false);
        await rooms.applyMessage(fence, clientId, room, message, place);
        return messages.insert(fence, clientId, message, place);
      });
    },
    async message(clientId, chatRoomId, messageId) {
      return run(() => messages.find(clientId, chatRoomId, messageId));
    },
    async update(clientId, message) {
      const { chatRoomId, messageId, body } = message;
      return writing(clientId, chatRoomId, async (fence) => {
        if (!(await messages.replace(fence, clientId, message))) return false;
        await rooms.changeLast(fence, clientId, { chatRoomId, messageId }, { lastMessage: body });
        return true;
      });
    },
    async remove(clientId, chatRoomId, messageId) {
      return writing(clientId, chatRoomId, async (fence) => {
        const next = lastMessageOf(await messages.newestBut(clientId, chatRoomId, messageId));
        await rooms.changeLast(fence, clientId, { chatRoomId, messageId }, next);
        return messages.remove(fence, clientId, chatRoomId, messageId);
      });
    },
    async messages(clientId, chatRoomId, page) {
      return run(() => messages.page(clientId, chatRoomId, page));
    },
    async oldest(clientId, chatRoomId, limit) {
      return run(() => messages.oldest(clientId, chatRoomId, limit));
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
      // only a move locks two rooms, and always the old one first: no deadlock
      return writing(clientId, move.from, (fence) =>
        exclusive(clientId, move.to, () => moveRoom(fence, clientId, move)),
      );
    },
    async checkRoom(clientId, chatRoomId, { repair }) {
      return exclusive(clientId, chatRoomId, async () => {
        const room = await rooms.get(clientId, chatRoomId);
        if (!room) return true;
        const newest = await messages.newestBut(clientId, chatRoomId, '');
        const unreadCount = await messages.countOthers(clientId, chatRoomId, room.unreadCount);
        const shown = await messages.find(clientId, chatRoomId, room.lastMessageId);
        const isRight = showsNewest(room, shown, newest) && unreadCount === room.unreadCount;
        if (repair && !isRight) await rooms.repair(clientId, room, { ...lastMessageOf(newest), unreadCount });
        return isRight;
      });
    },
    async prune(sentBefore, only) {
      let pruned = 0;
      for (const { clientId, chatRoomId } of await run(() => rooms.all(only))) {
        pruned += await pruneRoom(clientId, chatRoomId, sentBefore);
      }
      await pruneStatuses(sentBefore, only);
      return pruned;
    },
  };
}

function mongoFileMoves({ db }: MongoDatabase) {
  const files = db.collection<{ clientId: string; chatRoomId: string; messageId: string }>('files');
  const expectedFiles = db.collection<{ clientId: string; chatRoomId: string }>('expected_files');
  return async (fence: Fence, clientId: string, { from, to }: RoomMove): Promise<void> => {
    const expected = { clientId, chatRoomId: from, ...fence.condition() };
    await expectedFiles.updateMany(expected, setTo({ chatRoomId: to }));
    const ofMessages = { clientId, chatRoomId: from, messageId: { $gt: '' } };
    for (const { _id } of await files.find(ofMessages, { projection: { _id: 1 } }).toArray()) {
      const move = () => files.updateOne({ _id, ...fence.condition() }, setTo({ chatRoomId: to }));
      // if a message is in both rooms, the file of the target stays
      await upsertTwice<unknown>(move, async () => undefined);
    }
  };
}

const { toRecord, toFields } = documentsOf(PENDING_CHANGES);

/** Changes that wait for their message, in the collection `pending_changes`. */
function mongoPendingChanges(database: MongoDatabase, fences: Fences, log: CommitLog) {
  const { db, run } = database;
  const changes = db.collection<DocumentOf<PendingChange>>(PENDING_CHANGES.name);
  const targets = new PendingTargets(db.collection(PENDING_CHANGES.name), log);
  const store: Pick<
    HistoryStore,
    'addPending' | 'pending' | 'pendingTargets' | 'removePending' | 'prunePending'
  > = {
    async addPending(clientId, pending) {
      const { chatRoomId, targetId, messageId, ...others } = pending;
      const key = { clientId, chatRoomId, targetId, messageId };
      const fields = toFields(others);
      await fences.run(clientId, (fence) =>
        targets.writing(clientId, pending, () => run(() => insertFenced(fence, changes, key, fields, 'at'))),
      );
    },
    async pending(clientId, chatRoomId, targetId) {
      if (await targets.isNone(clientId, { chatRoomId, targetId })) return [];
      const found = changes.find({ clientId, chatRoomId, targetId });
      return (await run(() => found.sort({ at: 1, _id: 1 }).toArray())).map(toRecord);
    },
    async pendingTargets(clientId, chatRoomId) {
      return run(() => changes.distinct('targetId', { clientId, chatRoomId }));
    },
    async removePending(clientId, chatRoomId, targetId) {
      const key = { clientId, chatRoomId, targetId };
      await fences.run(clientId, (fence) =>
        run(async () => {
          const { deletedCount } = await changes.deleteMany({ ...key, ...fence.condition() });
          await assertLease(database, clientId, fence, deletedCount > 0);
        }),
      );
    },
    async prunePending(before) {
      const { deletedCount } = await run(() => changes.deleteMany({ at: { $lt: before } }));
      return deletedCount;
    },
  };
  return {
    ...store,
    async movePending(fence: Fence, clientId: string, { from, pending }: RoomMove): Promise<void> {
      for (const document of await changes.find({ clientId, chatRoomId: from }).toArray()) {
        const moved = pending(toRecord(document));
        const key = () => ({ _id: document._id, ...fence.condition() });
        const { chatRoomId, change } = moved;
        const fields = toFields({ chatRoomId, change });
        await targets.writing(clientId, moved, () =>
          upsertTwice<unknown>(
            () => changes.updateOne(key(), setTo(fields)),
            () => changes.deleteOne(key()),
          ),
        );
      }
    },
  };
}
