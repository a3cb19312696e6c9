import type { BinaryNode } from '@whiskeysockets/baileys';

/** One XML-like element of the network's binary protocol. */
export type Stanza = BinaryNode;
export type StanzaContent = BinaryNode['content'];

/** Builds a stanza; attributes that are undefined are left out, as the codec cannot write them. */
export function stanza(
  tag: string,
  attrs: Record<string, string | undefined> = {},
  content?: StanzaContent,
): Stanza {
  const kept: Record<string, string> = {};
  for (const [name, value] of Object.entries(attrs)) {
    if (value !== undefined) kept[name] = value;
  }
  return content === undefined ? { tag, attrs: kept } : { tag, attrs: kept, content };
}

/** All element children; none when the content is text or bytes. */
export function childrenOf(parent: Stanza | undefined): Stanza[] {
  return Array.isArray(parent?.content) ? parent.content : [];
}

/** The first child, or the first child of that tag. */
export function child(parent: Stanza | undefined, tag?: string): Stanza | undefined {
  const all = childrenOf(parent);
  return tag === undefined ? all[0] : all.find((one) => one.tag === tag);
}

/** Content as bytes; text is taken as UTF-8. Empty when there is none. */
export function bytesOf(element: Stanza | undefined): Buffer {
  const content = element?.content;
  if (content === undefined || Array.isArray(content)) return Buffer.alloc(0);
  return typeof content === 'string' ? Buffer.from(content) : Buffer.from(content);
}

/** Content as text: the codec hands tokens over as strings and everything else as bytes. */
export function textOf(element: Stanza | undefined): string {
  return bytesOf(element).toString();
}

/** Reads an unsigned big-endian number of any length up to six bytes. */
export function readUint(bytes: Uint8Array): number {
  return bytes.length === 0 ? 0 : Buffer.from(bytes).readUIntBE(0, bytes.length);
}

/** Writes an unsigned big-endian number. */
export function uintBytes(value: number, length: number): Buffer {
  const bytes = Buffer.alloc(length);
  bytes.writeUIntBE(value, 0, length);
  return bytes;
}
