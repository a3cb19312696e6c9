import type { Store } from '../store/store.js';
import { allRooms, filePagesOf } from './store-rows.js';

/** What was deleted. */
export interface PruneResult {
  /** RFC 3339: everything from before it. */
  before: string;
  messages: number;
  files: number;
}

/**
 * Deletes the messages of the history that were sent before a time, and their files, of all sessions. Rooms stay, with
 * their pictures.
 *
 * @param before milliseconds since the epoch
 */
export async function pruneStore(
  store: Pick<Store, 'sessions' | 'history' | 'files'>,
  before: number,
): Promise<PruneResult> {
  const messages = await store.history.prune(before);
  let files = 0;
  for (const { clientId } of await store.sessions.list()) files += await pruneFiles(store, clientId, before);
  // what was unread may have been among them
  for await (const { clientId, room } of allRooms(store)) {
    await store.history.checkRoom(clientId, room.chatRoomId, { repair: true });
  }
  return { before: new Date(before).toISOString(), messages, files };
}

async function pruneFiles(store: Pick<Store, 'files'>, clientId: string, before: number): Promise<number> {
  let pruned = 0;
  for await (const page of filePagesOf(store, clientId)) {
    const old = page.filter(({ createdAt }) => createdAt < before);
    for (const { id } of old) if (await store.files.remove(id)) pruned += 1;
    if (old.length < page.length) break;
  }
  return pruned;
}
