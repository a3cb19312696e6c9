import { type AuthenticationCreds, BufferJSON, proto } from '@whiskeysockets/baileys';

/** The first byte of a stored key says how the rest is to be read. */
const RAW = 0;
const PLAIN_JSON = 1;
const BUFFER_JSON = 2;

/** Families whose values hold no buffers: written and read for every message, so the slow reviver is left out. */
const PLAIN_FAMILIES: ReadonlySet<string> = new Set([
  'session',
  'lid-mapping',
  'device-list',
  'sender-key-memory',
]);
const APP_STATE_KEY = 'app-state-sync-key';

/** Encodes one value of the Signal key store. */
export function encodeKey(type: string, value: unknown): Uint8Array {
  if (value instanceof Uint8Array) return tagged(RAW, value);
  if (PLAIN_FAMILIES.has(type)) return tagged(PLAIN_JSON, Buffer.from(JSON.stringify(value)));
  return tagged(BUFFER_JSON, Buffer.from(JSON.stringify(value, BufferJSON.replacer)));
}

/** Reads what `encodeKey` wrote. Untyped, as the library's own store interface is. */
export function decodeKey(type: string, bytes: Uint8Array) {
  const body = Buffer.from(bytes.buffer, bytes.byteOffset + 1, bytes.byteLength - 1);
  if (bytes[0] === RAW) return body;
  if (bytes[0] === PLAIN_JSON) return JSON.parse(body.toString());
  const value = JSON.parse(body.toString(), BufferJSON.reviver);
  return type === APP_STATE_KEY ? proto.Message.AppStateSyncKeyData.fromObject(value) : value;
}

/** Encodes credentials as JSON with buffers. */
export function encodeCredentials(creds: AuthenticationCreds): Uint8Array {
  return Buffer.from(JSON.stringify(creds, BufferJSON.replacer));
}

/** Reads credentials; undefined when there are none. */
export function decodeCredentials(bytes: Uint8Array | undefined): AuthenticationCreds | undefined {
  return bytes && JSON.parse(Buffer.from(bytes).toString(), BufferJSON.reviver);
}

function tagged(tag: number, body: Uint8Array): Uint8Array {
  const bytes = Buffer.allocUnsafe(body.byteLength + 1);
  bytes[0] = tag;
  bytes.set(body, 1);
  return bytes;
}
