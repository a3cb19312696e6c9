import { inflateSync } from 'node:zlib';
import { decodeDecompressedBinaryNode, encodeBinaryNode } from '@whiskeysockets/baileys';
// the token tables have no other door than this path
import * as tokens from '@whiskeysockets/baileys/lib/WABinary/constants.js';
import type { Stanza } from './stanza.js';

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
