import { everyReason as allReasons, type Reason, readReason, textOf } from '../../src/domain/reasons.js';
import { CLOSE_REACTIONS, type CloseCause, type CloseReason } from '../../src/domain/session.js';

/** Every reason of the table, of every kind; each value is a short text, and each session is `acme`. */
export function everyReason(): Reason[] {
  return allReasons((name) => (name === 'clientId' ? 'acme' : `a ${name}`));
}

/** A reason why a link ended, with that code and its first kind. */
export function causeOf(code: CloseReason): CloseCause {
  const found = everyReason().find((one): one is CloseCause => one.code === code && isCause(one));
  if (!found) throw new Error(`there is no reason ${code}`);
  return found;
}

function isCause({ code }: Reason): boolean {
  return Object.hasOwn(CLOSE_REACTIONS, code);
}

/** A result with its reason in words; empty where it has none. */
export function inWords<R extends { reason?: Reason | undefined }>({ reason, ...result }: R) {
  return { ...result, reason: reason ? textOf(reason) : '' };
}

/** A stored record with its reason in words. */
export function storedInWords<R extends { reason: string }>(record: R): R {
  return { ...record, reason: inWords({ reason: readReason(record.reason) }).reason };
}
