import { createHash, randomBytes, randomFillSync } from 'node:crypto';
import { monotonicFactory } from 'ulid';

/** Letters and digits only: no hyphen, so that it can head a room's id. */
export const CLIENT_ID = /^[A-Za-z0-9]{1,64}$/;

/** A fresh network message id in the form that linked web clients use: `3EB0` and 18 upper-case hex digits. */
export function newMessageId(): string {
  return `3EB0${randomBytes(9).toString('hex').toUpperCase()}`;
}

/**
 * The message id that belongs to an idempotency key from the moment at which it was first used. It is kept with the
 * key, so a repeated request reaches the network under the same id even after a crash between send and answer; a key
 * that is used anew after its time stands for another message.
 * @param firstUsedAt milliseconds since the epoch
 */
export function messageIdForKey(clientId: string, key: string, firstUsedAt: number): string {
  const hash = createHash('sha256').update(`${clientId}\0${key}\0${firstUsedAt}`).digest('hex');
  return `3EB0${hash.slice(0, 18).toUpperCase()}`;
}

/** A sortable id of a delivery, a ULID; the same on all its attempts. */
export function newDeliveryId(): string {
  return nextUlid();
}

/** Random bytes in stock: by itself the library asks the system for each character, which costs more than a POST. */
const stock = new Uint8Array(4_096);
let used = stock.length;

const nextUlid = monotonicFactory(() => {
  if (used === stock.length) {
    randomFillSync(stock);
    used = 0;
  }
  return (stock[used++] ?? 0) / 256;
});
