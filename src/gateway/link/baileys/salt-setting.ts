import {
  aesDecrypt,
  type BinaryNode,
  downloadExternalPatch,
  extractSyncdPatches,
  getBinaryNodeChild,
  getBinaryNodeChildren,
  hkdf,
  proto,
  type WASocket,
} from '@whiskeysockets/baileys';
import type { LinkKeys } from '../link.js';
import { FieldReader } from './history/fields.js';
import { forgetSalt, keepSalt } from './privacy-tokens.js';

/** The collection of settings that has the salt, and its index there (zapo `NctSaltSync`, whatsmeow `IndexNCTSaltSync`). */
const COLLECTION = 'regular_high';
const INDEX = JSON.stringify(['nct_salt_sync']);
/** Numbers of fields: `SyncActionData.value`, `SyncActionValue.nctSaltSyncAction`, and its `salt`. */
const PATH = [2, 80, 1] as const;
const { REMOVE } = proto.SyncdMutation.SyncdOperation;
/** Bytes of a key, of the MAC at the end of a value, and of all keys that are derived. */
const KEY_BYTES = 32;
const MAC_BYTES = 32;
const DERIVED_BYTES = 160;

/**
 * Reads the salt for first contacts from the settings of the account. The library decrypts all settings, but its message
 * types lack this one and drop it, so this class reads the answers to the library's queries again.
 */
export class SaltSetting {
  readonly #sock: WASocket;
  readonly #keys: LinkKeys;
  readonly #download: RequestInit;

  constructor(sock: WASocket, keys: LinkKeys, download: RequestInit) {
    this.#sock = sock;
    this.#keys = keys;
    this.#download = download;
  }

  /** Handles an `<iq>` with `<sync>`. @throws Error when the answer cannot be read */
  async onAnswer({ attrs, content }: BinaryNode): Promise<void> {
    if (attrs.type !== 'result' || !Array.isArray(content)) return;
    const [sync] = content;
    const collections = getBinaryNodeChildren(sync, 'collection').filter(
      ({ attrs: { name }, content: patches }) => name === COLLECTION && patches !== undefined,
    );
    if (!sync || collections.length === 0) return;
    // copies, because the library changes the nodes that it reads
    const answer = { tag: 'iq', attrs, content: [{ ...sync, content: collections.map(copyOf) }] };
    const { [COLLECTION]: found } = await extractSyncdPatches(answer, this.#download);
    for (const record of found?.snapshot?.records ?? []) await this.#take({ record });
    for (const patch of found?.patches ?? []) {
      const external = patch.externalMutations
        ? (await downloadExternalPatch(patch.externalMutations, this.#download)).mutations
        : [];
      for (const mutation of [...(patch.mutations ?? []), ...(external ?? [])]) await this.#take(mutation);
    }
  }

  async #take({ operation, record }: proto.ISyncdMutation): Promise<void> {
    const data = record && (await this.#decrypt(record));
    if (!data || Buffer.from(proto.SyncActionData.decode(data).index ?? []).toString() !== INDEX) return;
    const salt = await valueAt(data, PATH);
    if (operation === REMOVE) await forgetSalt(this.#keys);
    else if (salt) await keepSalt(this.#keys, salt);
  }

  /** Decrypts a setting; undefined if its key is unknown or it is damaged. */
  async #decrypt({ keyId, value }: proto.ISyncdRecord): Promise<Buffer | undefined> {
    if (!keyId?.id || !value?.blob) return undefined;
    const id = Buffer.from(keyId.id).toString('base64');
    const { [id]: key } = await this.#sock.authState.keys.get('app-state-sync-key', [id]);
    if (!key?.keyData) return undefined;
    const derived = hkdf(Buffer.from(key.keyData), DERIVED_BYTES, { info: 'WhatsApp Mutation Keys' });
    try {
      const encrypted = Buffer.from(value.blob).subarray(0, -MAC_BYTES);
      return aesDecrypt(encrypted, Buffer.from(derived).subarray(KEY_BYTES, 2 * KEY_BYTES));
    } catch {
      return undefined;
    }
  }
}

function copyOf(node: BinaryNode): BinaryNode {
  const snapshot = getBinaryNodeChild(node, 'snapshot');
  const { content } = node;
  if (!snapshot || !Array.isArray(content)) return node;
  return { ...node, content: content.map((child) => (child === snapshot ? { ...snapshot } : child)) };
}

/** The bytes at a path of fields of a protocol buffer. @throws Error if the bytes are no protocol buffer */
async function valueAt(bytes: Buffer, [number, ...rest]: readonly number[]): Promise<Buffer | undefined> {
  if (number === undefined) return bytes;
  const reader = new FieldReader(once(bytes));
  for (let field = await reader.next(); field; field = await reader.next()) {
    if (field.value !== undefined) continue;
    if (field.number === number) return valueAt(await reader.take(field), rest);
    await reader.skip(field);
  }
  return undefined;
}

async function* once(bytes: Buffer): AsyncGenerator<Buffer> {
  yield bytes;
}
