import { REASONS, type Words } from '../../src/domain/reason-table.js';
import { type Reason, readReason, reasonFrom, textOf } from '../../src/domain/reasons.js';
import { CLOSE_REACTIONS, type CloseCause, type CloseReason } from '../../src/domain/session.js';

/** Every reason of the table, of every kind, about the session `acme`; each other value is a short text. */
export function everyReason(): Reason[] {
  return Object.entries(REASONS).flatMap(([code, row]) => {
    const kinds: Readonly<Record<string, Words>> =
      typeof row === 'object' && 'kinds' in row ? row.kinds : { '': row };
    return Object.entries(kinds).map(([kind, words]) => {
      const texts = typeof words === 'string' ? [words] : Object.values(words);
      const names = [...texts.join(' ').matchAll(/\{(\w+)\}/g)].map(([, name = '']) => [name, `a ${name}`]);
      const values = { ...Object.fromEntries(names), clientId: 'acme', ...(kind && { kind }) };
      const found = reasonFrom(code, values);
      if (!found) throw new Error(`${code} cannot be made`);
      return found;
    });
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
