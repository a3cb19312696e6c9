import { createHash } from 'node:crypto';
import type { BinaryNode, BinaryNodeAttributes } from '@whiskeysockets/baileys';

/** The kinds of ciphertext that a `<message>` can carry, and that the journal keeps. */
const CIPHERTEXTS: ReadonlySet<string | undefined> = new Set(['pkmsg', 'msg', 'skmsg']);

/** What the journal keeps of a stanza: enough to build its message again, in a form that no library defines. */
export interface StanzaRecord {
  attrs: BinaryNodeAttributes;
  /** Journal ids of its parts, in the stanza's order. */
  parts: string[];
}

/** The ciphertexts of a message stanza, in its order. */
export function ciphertextsOf(stanza: BinaryNode): Uint8Array[] {
  if (!Array.isArray(stanza.content)) return [];
  return stanza.content.flatMap(({ tag, attrs, content }) =>
    tag === 'enc' && CIPHERTEXTS.has(attrs.type) && content instanceof Uint8Array ? [content] : [],
  );
}

/** The journal id of a ciphertext: the same when the same stanza is delivered again. */
export function journalIdOf(ciphertext: Uint8Array): string {
  return createHash('sha256').update(ciphertext).digest('hex');
}

export function encodeStanza(record: StanzaRecord): Uint8Array {
  return Buffer.from(JSON.stringify(record));
}

/** Reads what `encodeStanza` wrote. @throws SyntaxError when it is empty or damaged */
export function decodeStanza(bytes: Uint8Array): StanzaRecord {
  return JSON.parse(Buffer.from(bytes).toString());
}
