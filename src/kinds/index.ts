import type { Content, Kind, KindSend, Reading } from './kind.js';
import { text } from './text.js';
import { readUnknown } from './unknown.js';
import { unwrap } from './unwrap.js';

/** Every kind of message the gateway knows; a new one is one more line. */
export const KINDS: readonly Kind[] = [text];

/** The kinds that have a send route. */
export function sendableKinds(kinds: readonly Kind[] = KINDS): KindSend[] {
  return kinds.flatMap((kind) => kind.send ?? []);
}

/** Reads a content by the first kind that knows it; `kind` is undefined for the fallback. */
export function readContent(
  content: Content,
  kinds: readonly Kind[] = KINDS,
): { kind?: Kind; reading: Reading } {
  const inner = unwrap(content);
  for (const kind of kinds) {
    const reading = kind.read(inner);
    if (reading) return { kind, reading };
  }
  return { reading: readUnknown(inner) };
}
