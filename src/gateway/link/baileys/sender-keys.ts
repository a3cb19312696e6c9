import { proto } from '@whiskeysockets/baileys';
import { isObject, readJson } from '../../../domain/json.js';

/** The beginning of a Buffer that Node has written as JSON; the library's reader of sender keys does not convert this form back. */
const ARRAY_OF_BYTES = '"data":[';
/**
 * Keys of overtaken messages that are kept of one sender key, the newest ones; the library keeps 2,000 (190 KB), and
 * writes them all with each message. `StanzaOrder` keeps the order of a chat for up to a minute, in which one author
 * writes 100 messages at most, and authors that use this library skip every second key. If the key of a message is no
 * longer kept, the message is requested again.
 */
const MAX_KEPT_KEYS = 200;

/**
 * A sender key as it is stored: without what nobody needs, and with bytes in the form that the library reads back whole.
 *
 * - The library (7.0.0-rc14) writes a sender key with `JSON.stringify`, which makes an array of numbers of each seed, and reads it with
 *   `BufferJSON.reviver`, which knows bytes in base64 alone. A chain key survives that, because the library copies it. The kept key of
 *   a message that another one has overtaken does not: such a message failed with `Expected Buffer instead of: Object`, again at each
 *   delivery. Base64 is also a third of the size.
 * - With each own message the library skips one key and keeps it, although no device reads its own messages.
 * - The library reads with the first state of a key alone, so further ones only push it out.
 */
export function compactSenderKey(senderKey: Buffer): Buffer {
  const text = senderKey.toString();
  if (!text.includes(ARRAY_OF_BYTES)) return senderKey;
  const states = readJson(text);
  if (!Array.isArray(states)) return senderKey;
  const firsts = states.filter(
    (state, at) => !states.slice(0, at).some((first) => areOfOneKey(first, state)),
  );
  return Buffer.from(JSON.stringify(firsts.map(trimmed), inBase64));
}

/**
 * Whether a stored sender key has a state of the key that somebody distributes. The reference implementation keeps such a state too
 * (libsignal `SenderKeyRecord::add_sender_key_state`): the distributed one begins later, and cannot read what is still on its way.
 * @param distribution a `SenderKeyDistributionMessage`, after one byte with its version
 * @throws Error when it is malformed
 */
export function hasKeyOf(senderKey: Uint8Array | undefined, distribution: Uint8Array): boolean {
  if (!senderKey) return false;
  const { id, signingKey } = proto.SenderKeyDistributionMessage.decode(distribution.subarray(1));
  const distributed = { senderKeyId: id, senderSigningKey: { public: { data: [...(signingKey ?? [])] } } };
  const states = readJson(Buffer.from(senderKey).toString());
  return Array.isArray(states) && states.some((state) => areOfOneKey(state, distributed));
}

function trimmed(state: unknown): unknown {
  if (!isObject(state) || !Array.isArray(state.senderMessageKeys)) return state;
  const isOwn = bytesOf(state.senderSigningKey, 'private').length > 0;
  return { ...state, senderMessageKeys: isOwn ? [] : state.senderMessageKeys.slice(-MAX_KEPT_KEYS) };
}

function areOfOneKey(one: unknown, other: unknown): boolean {
  if (!isObject(one) || !isObject(other) || one.senderKeyId !== other.senderKeyId) return false;
  return bytesOf(one.senderSigningKey, 'public').equals(bytesOf(other.senderSigningKey, 'public'));
}

/** Reads bytes from JSON, in either form. */
function bytesOf(holder: unknown, name: string): Buffer {
  const value = isObject(holder) ? holder[name] : undefined;
  const data = isObject(value) ? value.data : undefined;
  if (typeof data === 'string') return Buffer.from(data, 'base64');
  return Buffer.from(Array.isArray(data) ? data : []);
}

function inBase64(_: string, value: unknown): unknown {
  if (!isObject(value) || value.type !== 'Buffer' || !Array.isArray(value.data)) return value;
  return { type: 'Buffer', data: Buffer.from(value.data).toString('base64') };
}
