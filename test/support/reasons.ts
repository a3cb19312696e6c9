import {
  everyReason as allReasons,
  type Reason,
  readReason,
  reasonFrom,
  textOf,
} from '../../src/domain/reasons.js';
import { CLOSE_REACTIONS, type CloseCause, type CloseReason } from '../../src/domain/session.js';

/** Every reason of the table, of every kind, about the session `acme`; each other value is a short text. */
export function everyReason(): Reason[] {
  return allReasons((name) => `a ${name}`).map(({ code, values }) => {
    const found = reasonFrom(code, { ...values, clientId: 'acme' });
    if (!found) throw new Error(`${code} cannot be made`);
    return found;
  });
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
export function inWords<R extends { reason?: Reason | undefined }>(result: R) {
  return { ...result, reason: result.reason ? textOf(result.reason) : '' };
}

/** A stored record with its reason in words. */
export function storedInWords<R extends { reason: string }>(record: R): R {
  const why = readReason(record.reason);
  return { ...record, reason: why ? textOf(why) : '' };
}
