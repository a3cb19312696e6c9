import { formatJid, type Person, parseJid } from '../domain/address.js';
import type { MessageTrace } from '../store/store.js';

/** Who wrote a message: user-parts where known. */
export interface Authorship extends Person {
  /** The linked number did. */
  fromMe: boolean;
}

/** False when two messages are known to be of different people. */
export function mayBeSame(one: Authorship, other: Authorship): boolean {
  if (one.fromMe || other.fromMe) return one.fromMe === other.fromMe;
  if (one.lid && other.lid) return one.lid === other.lid;
  if (one.pn && other.pn) return one.pn === other.pn;
  return true;
}

/** The person's jids, as far as they are known. */
export function jidsOf({ lid, pn }: Person): string[] {
  return [...(lid ? [lidJid(lid)] : []), ...(pn ? [pnJid(pn)] : [])];
}

/** Who wrote the message that a trace is of. */
export function authorOfTrace({ fromMe, authorLid, authorPn }: MessageTrace): Authorship {
  const lid = parseJid(authorLid)?.user;
  const pn = parseJid(authorPn)?.user;
  return { fromMe, ...(lid && { lid }), ...(pn && { pn }) };
}

export function lidJid(user: string): string {
  return formatJid({ kind: 'lid', user });
}

export function pnJid(user: string): string {
  return formatJid({ kind: 'pn', user });
}
