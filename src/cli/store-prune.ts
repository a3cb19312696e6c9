import { type Clock, systemClock, wait } from '../domain/clock.js';
import type { Store } from '../store/store.js';
import { allRooms, SECOND_LOOK_MS, type SessionRoom } from './store-rows.js';

/** What was deleted. */
export interface PruneResult {
  /** RFC 3339: everything from before it. */
  before: string;
  messages: number;
  files: number;
}

type Pruned = Pick<Store, 'sessions' | 'history' | 'files' | 'cluster'>;

/**
 * Deletes the messages of the history that were sent before a time, and their files, of all sessions. Rooms stay, with
 * their pictures.
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

/** What was unread may have been among what was deleted. A room is told of a message before that is there. */
async function correctRooms(store: Pruned, clock: Clock): Promise<void> {
  const hold = ({ clientId, room }: SessionRoom, repair: boolean) =>
    store.history.checkRoom(clientId, room.chatRoomId, { repair });
  const suspects: SessionRoom[] = [];
  for await (const one of allRooms(store)) if (!(await hold(one, false))) suspects.push(one);
  if (suspects.length > 0 && store.cluster) await wait(clock, SECOND_LOOK_MS);
  for (const one of suspects) await hold(one, true);
}
