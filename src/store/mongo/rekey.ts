import type { BackendHistory, PendingChange, RoomMove } from '../store.js';
import { isDuplicate, type MongoDatabase } from './database.js';
import type { Fence } from './fences.js';
import type { MongoMessages } from './messages.js';
import type { MongoRooms } from './rooms.js';
import { setTo, unlessRefused } from './under-fence.js';

/** Messages that are moved side by side. */
const SOME = 50;

type PendingDocument = Omit<PendingChange, 'change'> & { clientId: string; change: string };

/**
 * Moves rooms. The other room takes this one in before anything is moved, and remembers it; this one goes last. So an
 * interruption leaves both, and repeating the move completes it without counting anything twice. Call it while nobody
 * else changes either room, inside `run`.
 */
export function mongoRekey(
  database: MongoDatabase,
  messages: MongoMessages,
  rooms: MongoRooms,
): (fence: Fence, ...move: Parameters<BackendHistory['rekey']>) => Promise<boolean> {
  const { db } = database;
  const pending = db.collection<PendingDocument>('pending_changes');
  const files = db.collection<{ clientId: string; chatRoomId: string; messageId: string }>('files');
  const expectedFiles = db.collection<{ clientId: string; chatRoomId: string }>('expected_files');

  const moveMessages = async (fence: Fence, clientId: string, { from, message }: RoomMove) => {
    for (let some = await messages.some(clientId, from, SOME); some.length > 0; ) {
      await Promise.all(
        some.map(({ id, message: found }) => messages.move(fence, id, clientId, message(found))),
      );
      some = await messages.some(clientId, from, SOME);
    }
  };
  const movePending = async (fence: Fence, clientId: string, { from, pending: change }: RoomMove) => {
    for (const { _id, ...found } of await pending.find({ clientId, chatRoomId: from }).toArray()) {
      const moved = change({ ...found, change: JSON.parse(found.change) });
      const fields = { chatRoomId: moved.chatRoomId, change: JSON.stringify(moved.change) };
      await unlessDuplicate(
        () => pending.updateOne({ _id, ...fence.condition() }, setTo(fields)),
        () => pending.deleteOne({ _id, ...fence.condition() }),
      );
    }
  };
  const moveFiles = async (fence: Fence, clientId: string, { from, to }: RoomMove) => {
    const named = { clientId, chatRoomId: from, messageId: { $gt: '' } };
    const ofRoom = files.find(named, { projection: { _id: 1 } });
    const expected = { clientId, chatRoomId: from, ...fence.condition() };
    await expectedFiles.updateMany(expected, setTo({ chatRoomId: to }));
    for (const { _id } of await ofRoom.toArray()) {
      // a message that is in both rooms has its file in the other one
      await unlessDuplicate(() => files.updateOne({ _id, ...fence.condition() }, setTo({ chatRoomId: to })));
    }
  };

  return async (fence, clientId, move) => {
    await movePending(fence, clientId, move);
    const room = await rooms.get(clientId, move.from);
    if (!room) return unlessRefused(database, clientId, fence, false);
    await rooms.takeIn(fence, clientId, move.from, move.room(room));
    await moveMessages(fence, clientId, move);
    await moveFiles(fence, clientId, move);
    await rooms.remove(fence, clientId, move.from);
    return true;
  };
}

/** What is there already stays as it is. */
async function unlessDuplicate(
  move: () => Promise<unknown>,
  instead: () => Promise<unknown> = async () => undefined,
): Promise<void> {
  await move().catch((error: unknown) => (isDuplicate(error) ? instead() : Promise.reject(error)));
}
