import { type Clock, systemClock, wait } from '../../domain/clock.js';
import type { Store } from '../../gateway/store/store.js';
import { allRooms, SECOND_LOOK_MS, type SessionRoom } from './pages.js';

export interface PruneResult {
  /** RFC 3339. */
  before: string;
  messages: number;
  files: number;
}

type Pruned = Pick<Store, 'sessions' | 'history' | 'files' | 'cluster'>;

/**
 * Deletes the messages sent before a time, and their files, in all sessions. Rooms and their pictures stay.
 *
 * @param before milliseconds since the epoch
 */
export async function pruneStore(
  store: Pruned,
  before: number,
  clock: Clock = systemClock,
): Promise<PruneResult> {
  const messages = await store.history.prune(before);
  const files = await store.files.prune(before);
  await correctRooms(store, clock);
  return { before: new Date(before).toISOString(), messages, files };
}

/** Corrects unread counts, because deleted messages may have been unread. A room counts a message before the message is stored. */
async function correctRooms(store: Pruned, clock: Clock): Promise<void> {
  const hold = ({ clientId, room }: SessionRoom, repair: boolean) =>
    store.history.checkRoom(clientId, room.chatRoomId, { repair });
  const suspects: SessionRoom[] = [];
  for await (const one of allRooms(store)) if (!(await hold(one, false))) suspects.push(one);
  if (suspects.length > 0 && store.cluster) await wait(clock, SECOND_LOOK_MS);
  for (const one of suspects) await hold(one, true);
}
