import { isObject } from './json.js';

/**
 * Restores the Signal sessions of a record that the decrypted message does not belong to.
 *
 * A record has more than one session with a device when both sides began one, or one was replaced. The library's Signal
 * implementation tries them one after the other and changes each one, also those that the message does not fit
 * (libsignal-node, `session_cipher.js`, `decryptWithSessions`). A session that is stored after such a try encrypts what nobody
 * can read: "Bad MAC". The reference implementation tries each on a copy (libsignal, `rust/protocol/src/session_cipher.rs`).
 * @param before the record before, as the implementation serializes it
 * @param after the record after a message was decrypted by one of its sessions; changed in place
 */
export function keepOtherSessions(before: unknown, after: unknown): void {
  const old = sessionsIn(before);
  const now = sessionsIn(after);
  const others = Object.keys(old).filter((key) => usedAt(old[key]) === usedAt(now[key]));
  // two messages of one session within a millisecond: the session that fits cannot be determined
  if (others.length === Object.keys(old).length) return;
  for (const key of others) now[key] = old[key];
}

function sessionsIn(record: unknown): Record<string, unknown> {
  return isObject(record) && isObject(record._sessions) ? record._sessions : {};
}

/** When a session last decrypted a message, in milliseconds since the epoch. */
function usedAt(session: unknown): unknown {
  return isObject(session) && isObject(session.indexInfo) ? session.indexInfo.used : undefined;
}
