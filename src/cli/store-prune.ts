import type { Store } from '../store/store.js';
import { allRooms } from './store-rows.js';

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
  const files = await store.files.prune(before);
  // what was unread may have been among them
  for await (const { clientId, room } of allRooms(store)) {
    await store.history.checkRoom(clientId, room.chatRoomId, { repair: true });
  }
  return { before: new Date(before).toISOString(), messages, files };
}
