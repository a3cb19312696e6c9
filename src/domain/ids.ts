import { createHash, randomBytes, randomFillSync, randomUUID } from 'node:crypto';
import { encodeTime, monotonicFactory } from 'ulid';

/** Letters and digits only: a hyphen ends the clientId in a room's id. */
export const CLIENT_ID = /^[A-Za-z0-9]{1,64}$/;

/** The webhook of a session, among its receivers. */
export const WEBHOOK_ID = '1';

/** The session that the token of a one-time address names; undefined if the token is malformed. Does not verify the token. */
export function sessionOfPairToken(token: string): string | undefined {
  const [clientId = ''] = token.split('.', 1);
  return CLIENT_ID.test(clientId) ? clientId : undefined;
}

/** A fresh network message id in the form that linked web clients use: `3EB0` and 18 upper-case hex digits. */
export function newMessageId(): string {
  return `3EB0${randomBytes(9).toString('hex').toUpperCase()}`;
}

/**
 * The message id of the first request under an idempotency key. It is stored with the key, so that a repeated request
 * uses the same id even after a crash between send and answer. A key that has expired and is used again gets a new id.
 * @param firstUsedAt milliseconds since the epoch
 */
export function messageIdForKey(clientId: string, key: string, firstUsedAt: number): string {
  const hash = createHash('sha256').update(`${clientId}\0${key}\0${firstUsedAt}`).digest('hex');
  return `3EB0${hash.slice(0, 18).toUpperCase()}`;
}

/** A ULID for a delivery: sortable, and the same for all attempts. */
export function newDeliveryId(): string {
  return nextUlid();
}

/**
 * The id of a new delivery of an event that was kept. The id contains that of the event, so that every attempt can name
 * the event, even after a restart.
 * @param keptId the id of the kept event
 */
export function replayDeliveryId(keptId: string): string {
  return `${newDeliveryId()}R${keptId}`;
}

const REPLAY = /^[0-9A-Z]{26}R([0-9A-Z]{26})$/;

/** The id of the kept event that a delivery sends again; undefined for other deliveries. */
export function replayedIdOf(deliveryId: string): string | undefined {
  return REPLAY.exec(deliveryId)?.[1];
}

const ULID_TIME_LENGTH = 10;
const ULID_RANDOM_LENGTH = 16;
const ULID_LETTERS = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';

/**
 * A ULID for a delivery that stays the same if the event is announced again after a crash.
 * @param at milliseconds since the epoch, such as the time of the event
 * @param identity values that identify the event
 */
export function deliveryIdFor(at: number, identity: readonly string[]): string {
  const hash = createHash('sha256').update(JSON.stringify(identity)).digest();
  const letters = [...hash.subarray(0, ULID_RANDOM_LENGTH)].map(
    (byte) => ULID_LETTERS[byte % ULID_LETTERS.length],
  );
  return encodeTime(Math.max(0, at), ULID_TIME_LENGTH) + letters.join('');
}

/** Steps of the ids of files in a millisecond: files that come faster borrow from the next one. */
const STEPS_PER_MS = 16;
let lastStep = 0;

/**
 * A UUID (version 8) for a file: those of one node sort as text in the order of their creation, so that a library shows files of the
 * same second as they came. 74 of its bits are random, because the id is the permission to read the file.
 */
export function newFileId(now: number = Date.now()): string {
  lastStep = Math.max(lastStep + 1, now * STEPS_PER_MS);
  const step = lastStep.toString(16).padStart(12, '0');
  return `${step.slice(0, 8)}-${step.slice(8)}-8${randomUUID().slice(15)}`;
}

/** A pool of random bytes, because by default the library makes a system call for each character, which costs more than a POST. */
const stock = new Uint8Array(4_096);
let used = stock.length;

const nextUlid = monotonicFactory(() => {
  if (used === stock.length) {
    randomFillSync(stock);
    used = 0;
  }
  return (stock[used++] ?? 0) / 256;
});
