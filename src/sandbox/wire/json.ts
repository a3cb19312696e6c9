import type { StanzaJson } from '../../contract/sandbox/index.js';
import { childrenOf, type Stanza, stanza } from './stanza.js';

const MAX_DEPTH = 32;

/** The levels of a stanza; it may have 32. */
export function isTooDeep({ children = [] }: StanzaJson, depth = 1): boolean {
  return depth > MAX_DEPTH || children.some((one) => isTooDeep(one, depth + 1));
}

/** The stanza of a JSON form. Text leaves as bytes: as text, the codec would take some of it for an address or a number. */
export function stanzaOf({ tag, attrs, children, text, base64 }: StanzaJson): Stanza {
  if (children) return stanza(tag, attrs, children.map(stanzaOf));
  if (text !== undefined) return stanza(tag, attrs, Buffer.from(text));
  return stanza(tag, attrs, base64 === undefined ? undefined : Buffer.from(base64, 'base64'));
}

/** The JSON form of a stanza: bytes that are readable text as `text`, others in base64. */
export function jsonOf(shown: Stanza): StanzaJson {
  const { tag, attrs, content } = shown;
  if (content === undefined) return { tag, attrs };
  if (Array.isArray(content)) return { tag, attrs, children: childrenOf(shown).map(jsonOf) };
  if (typeof content === 'string') return { tag, attrs, text: content };
  const bytes = Buffer.from(content);
  const text = bytes.toString();
  return isReadable(text) && Buffer.from(text).equals(bytes)
    ? { tag, attrs, text }
    : { tag, attrs, base64: bytes.toString('base64') };
}

/** False for control characters, but tabs and ends of lines, and for bytes that are no UTF-8. */
function isReadable(text: string): boolean {
  return !/[^\P{Cc}\t\n\r]|\uFFFD/u.test(text);
}
