import { isObject } from '../../../domain/json.js';

/**
 * Receiving chains of the open session. The reference implementation keeps 5 (libsignal, `rust/protocol/src/consts.rs`).
 * The library processes offline messages one by one, and newer messages overtake them by many changes of direction; with
 * 5 chains the overtaken messages could not be read. The library's JavaScript implementation closes a chain at each
 * change of direction and never removes it, so a record would grow by 105 bytes at each turn of a conversation.
 */
const MAX_RECEIVING_CHAINS = 60;
/** Receiving chains of an archived session, as in the reference implementation: it gets no further chains, because nobody answers in it. */
const MAX_ARCHIVED_CHAINS = 5;
/** Keys of skipped messages in a chain, as in the reference implementation. */
const MAX_SKIPPED_KEYS = 2_000;
/** `ChainType.RECEIVING` in the library's Signal implementation. */
const RECEIVING = 2;
/** The value of a session's closing time while the session is open. */
const OPEN = -1;

/**
 * Trims a session's record to its bounds: removes the oldest receiving chains and the oldest keys of skipped messages. A
 * later message that needs a removed key cannot be read, and is requested again.
 * @param record as the Signal implementation serializes it; changed in place
 */
export function trimRecord(record: unknown): void {
  const sessions = isObject(record) ? record._sessions : undefined;
  if (!isObject(sessions)) return;
  for (const session of Object.values(sessions)) {
    if (!isObject(session) || !isObject(session._chains)) continue;
    const chains = session._chains;
    const current = isObject(session.currentRatchet) ? session.currentRatchet.lastRemoteEphemeralKey : '';
    // oldest chain first
    const receiving = Object.entries(chains).filter(
      ([key, chain]) => key !== current && isObject(chain) && chain.chainType === RECEIVING,
    );
    const isArchived = isObject(session.indexInfo) && session.indexInfo.closed !== OPEN;
    const most = isArchived ? MAX_ARCHIVED_CHAINS : MAX_RECEIVING_CHAINS;
    for (const [key] of receiving.slice(0, 1 - most)) delete chains[key];
    for (const chain of Object.values(chains)) if (isObject(chain)) trimSkipped(chain.messageKeys);
  }
}

function trimSkipped(keys: unknown): void {
  if (!isObject(keys)) return;
  // counters, which an object lists in ascending order
  const counters = Object.keys(keys);
  for (const counter of counters.slice(0, -MAX_SKIPPED_KEYS)) delete keys[counter];
}
