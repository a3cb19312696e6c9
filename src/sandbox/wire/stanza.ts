import { inflateSync } from 'node:zlib';
import { type BinaryNode, decodeDecompressedBinaryNode, encodeBinaryNode } from '@whiskeysockets/baileys';
import * as tokens from '@whiskeysockets/baileys/lib/WABinary/constants.js';
import { LID_SERVER, PN_SERVER } from '../../domain/address.js';

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

/** How the network refuses a login. */
export function failure(reason: string, attrs: Record<string, string> = {}): Stanza {
  return stanza('failure', { reason, ...attrs, location: 'frc' });
}

/** How the connection of a device ends that its phone has removed. */
export function deviceRemoved(code?: string): Stanza {
  return stanza('stream:error', { code }, [stanza('conflict', { type: 'device_removed' })]);
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

// the token tables have no other door than this path

const COMPRESSED = 2;

/** The bytes of a stanza, with the leading flag byte. */
export function encodeStanza(stanza: Stanza): Buffer {
  return encodeBinaryNode(stanza);
}

/** Reads a stanza; throws on anything malformed. Synchronous, so that stanzas keep their order. */
export function decodeStanza(bytes: Buffer): Stanza {
  const body = bytes.subarray(1);
  const plain = bytes.readUInt8(0) & COMPRESSED ? inflateSync(body) : body;
  return decodeDecompressedBinaryNode(plain, tokens);
}

/** Address of the network itself in `from` and `to`. */
export const NETWORK_JID = '@s.whatsapp.net';
/** The chat of all statuses. */
export { STATUS_JID } from '../../domain/address.js';
/** Suffix of a channel's jid. */
export const CHANNEL_SERVER = '@newsletter';

const DEVICE_JID = /^([0-9]+)(?:_[0-9]+)?(?::([0-9]{1,3}))?@([a-z.]+)$/;

/** Reads the jid of a person's device; undefined for groups, the network itself and malformed text. */
export function parseDeviceJid(jid: string | undefined) {
  const match = DEVICE_JID.exec(jid ?? '');
  const [, user, device, server] = match ?? [];
  if (!user || (server !== LID_SERVER && server !== PN_SERVER)) return undefined;
  return { user, device: Number(device ?? 0), server };
}

/** Writes a jid; device 0 is left out, as `x:0@…` and `x@…` differ on the wire. */
export function deviceJid(user: string, server: string, device = 0): string {
  return device === 0 ? `${user}@${server}` : `${user}:${device}@${server}`;
}
