import {
  type AuthenticationCreds,
  BufferJSON,
  initAuthCreds,
  jidDecode,
  proto,
  type SignalDataSet,
  type SignalDataTypeMap,
  type SignalKeyStore,
} from '@whiskeysockets/baileys';
import { isObject, readJson } from '../../../domain/json.js';
import type { JournalEntry, KeyChange } from '../../../domain/signal-state.js';
import type { LinkKeys, OwnIdentity } from '../link.js';
import { compactSenderKey } from './sender-keys.js';
import { trimRecord } from './signal-record.js';

/** The key family by which journal entries join the library's transactions. */
const INBOX = 'inbox';

/** A write to the key store with journal entries. */
type JournalledDataSet = SignalDataSet & { [INBOX]: Record<string, JournalEntry> };

/** Wraps a journal entry so that it joins the open transaction. */
export function journalled(entry: JournalEntry): JournalledDataSet {
  return { [INBOX]: { [entry.id]: entry } };
}

/** The stored credentials of a finished pairing, or new ones: an unfinished pairing cannot be continued. */
export async function loadCredentials(keys: LinkKeys): Promise<AuthenticationCreds> {
  const stored = decodeCredentials(await keys.credentials());
  return stored && isFinishedPairing(stored) ? stored : initAuthCreds();
}

/** Wraps an access to the store; a failure is reported before its caller sees it. */
type Watch = <T>(work: Promise<T>) => Promise<T>;

/**
 * Reports every failed read or write before its caller sees the error: the connection must be closed before the library
 * can acknowledge a message that was not stored, or a request that was not answered.
 */
export function watching(onFailure: (error: unknown) => void): Watch {
  return async (work) => {
    try {
      return await work;
    } catch (error) {
      onFailure(error);
      throw error;
    }
  };
}

/** The keys of a link, watched. */
export function watchKeys(keys: LinkKeys, watch: Watch): LinkKeys {
  return {
    credentials: () => watch(keys.credentials()),
    get: (type, ids) => watch(keys.get(type, ids)),
    commit: (commit) => watch(keys.commit(commit)),
    journalEntry: (id) => watch(keys.journalEntry(id)),
    journalEntriesOf: (messageId) => watch(keys.journalEntriesOf(messageId)),
  };
}

/** The keys of a connection, with a count of unanswered reads. */
export function countReads(keys: LinkKeys): { keys: LinkKeys; reads(): number } {
  let reads = 0;
  const counted = async <T>(read: Promise<T>): Promise<T> => {
    reads += 1;
    try {
      return await read;
    } finally {
      reads -= 1;
    }
  };
  return {
    keys: { ...keys, get: (type, ids) => counted(keys.get(type, ids)) },
    reads: () => reads,
  };
}

/**
 * The library's key store over a link's keys. Each `set` is one commit, whatever families it touches.
 * @param onSessionsDeleted called before a commit that deletes sessions
 * @param creds written with new pre-keys, so that no id is used twice
 */
export function makeKeyStore(
  keys: LinkKeys,
  onSessionsDeleted: () => void,
  creds?: AuthenticationCreds,
): SignalKeyStore {
  const batch = new CommitBatch(keys);
  return {
    async get<T extends keyof SignalDataTypeMap>(type: T, ids: string[]) {
      const found: { [id: string]: SignalDataTypeMap[T] } = {};
      if (ids.length === 0) return found;
      for (const [id, bytes] of await keys.get(type, ids)) found[id] = decodeKey(type, bytes);
      return found;
    },
    set(data) {
      if (Object.values(data.session ?? {}).includes(null)) onSessionsDeleted();
      for (const record of Object.values(data.session ?? {})) trimRecord(record);
      const credentials = creds && countPreKeys(creds, data) ? encodeCredentials(creds) : undefined;
      return batch.add(changesIn(data), isJournalled(data) ? Object.values(data[INBOX]) : [], credentials);
    },
  };
}

/**
 * Counts new pre-keys in the credentials, which are written in the same step as the keys. If they were written later, a
 * crash in between would reuse ids of keys that others already use.
 * @returns false when there are none
 */
function countPreKeys(creds: AuthenticationCreds, data: SignalDataSet): boolean {
  const made = Object.entries(data['pre-key'] ?? {}).filter(([, key]) => key !== null);
  const next = Math.max(0, ...made.map(([id]) => Number(id) + 1));
  if (made.length === 0 || !isFinishedPairing(creds)) return false;
  creds.nextPreKeyId = Math.max(creds.nextPreKeyId, next);
  creds.firstUnuploadedPreKeyId = Math.max(creds.firstUnuploadedPreKeyId, next);
  return true;
}

function changesIn(data: SignalDataSet): KeyChange[] {
  const changes: KeyChange[] = [];
  for (const [type, values] of Object.entries(data)) {
    if (type === INBOX) continue;
    for (const [id, value] of Object.entries(values ?? {})) {
      changes.push({ type, id, value: value == null ? null : encodeKey(type, value) });
    }
  }
  return changes;
}

function isJournalled(data: SignalDataSet): data is JournalledDataSet {
  return INBOX in data;
}

/**
 * Writes credentials in order, one commit at a time; changes during a commit go into the next one. While a pairing is
 * unfinished, only `keep` writes them.
 */
export class CredentialSaver {
  readonly #keys: LinkKeys;
  readonly #creds: AuthenticationCreds;
  #changed = false;
  #failed = false;
  #writing: Promise<void> | undefined;

  constructor(keys: LinkKeys, creds: AuthenticationCreds) {
    this.#keys = keys;
    this.#creds = creds;
  }

  /** Notes that the credentials changed. */
  save(): void {
    if (isFinishedPairing(this.#creds)) this.#begin();
  }

  /** Writes the credentials now, also of an unfinished pairing: false when the write failed. */
  keep(): Promise<boolean> {
    this.#begin();
    return this.flush();
  }

  #begin(): void {
    this.#changed = true;
    this.#writing ??= this.#write();
  }

  /** Resolves when all changes so far are written: false when a write failed. */
  async flush(): Promise<boolean> {
    await this.#writing;
    return !this.#failed;
  }

  async #write(): Promise<void> {
    try {
      while (this.#changed) {
        this.#changed = false;
        await this.#keys.commit({ credentials: encodeCredentials(this.#creds) });
      }
    } catch {
      this.#failed = true;
    } finally {
      this.#writing = undefined;
    }
  }
}

interface Batch {
  keys: KeyChange[];
  journal: JournalEntry[];
  credentials?: Uint8Array;
  written: Promise<void>;
}

/**
 * Commits of one link. Steps of the same tick, such as those for the devices of one message, share one commit; each step
 * is still written completely or not at all.
 */
class CommitBatch {
  readonly #keys: LinkKeys;
  #open: Batch | undefined;

  constructor(keys: LinkKeys) {
    this.#keys = keys;
  }

  /** Resolves when the step is written. */
  add(
    changes: readonly KeyChange[],
    entries: readonly JournalEntry[],
    credentials?: Uint8Array,
  ): Promise<void> {
    const batch = this.#open ?? this.#begin();
    batch.keys.push(...changes);
    batch.journal.push(...entries);
    if (credentials) batch.credentials = credentials;
    return batch.written;
  }

  #begin(): Batch {
    const batch: Batch = { keys: [], journal: [], written: Promise.resolve() };
    this.#open = batch;
    batch.written = new Promise((resolve, reject) => {
      // runs once all work that needs no I/O has been done
      process.nextTick(() => {
        this.#open = undefined;
        const { written: _, ...commit } = batch;
        this.#keys.commit(commit).then(resolve, reject);
      });
    });
    return batch;
  }
}

/** The first byte of a stored key is the encoding of the rest. */
const RAW = 0;
const PLAIN_JSON = 1;
const BUFFER_JSON = 2;

/** Families whose values hold no buffers. Every message reads and writes them, so they skip the slow reviver. */
const PLAIN_FAMILIES: ReadonlySet<string> = new Set([
  'session',
  'lid-mapping',
  'device-list',
  'sender-key-memory',
]);
/** Our own families: the salt for first contacts, and people who are reached by their number. */
const OWN_FAMILIES: ReadonlySet<string> = new Set(['nct-salt', 'pn-chat']);
const APP_STATE_KEY = 'app-state-sync-key';
const SENDER_KEY = 'sender-key';

/** Encodes one value of the Signal key store. */
function encodeKey(type: string, value: unknown): Uint8Array {
  if (type === SENDER_KEY && value instanceof Uint8Array)
    return tagged(RAW, compactSenderKey(Buffer.from(value)));
  if (value instanceof Uint8Array) return tagged(RAW, value);
  if (PLAIN_FAMILIES.has(type)) return tagged(PLAIN_JSON, Buffer.from(JSON.stringify(value)));
  return tagged(BUFFER_JSON, Buffer.from(JSON.stringify(value, BufferJSON.replacer)));
}

/**
 * Encodes a key as other programs with this library store it in JSON: bytes as objects of the type `Buffer`. Releases up to
 * 6.7.18 store a sender key as the list of states whose JSON is the bytes of today (`SenderKeyRecord.deserialize`).
 * @returns undefined where the family or the form of the value is unknown
 */
export function encodeForeignKey(type: string, stored: unknown): Uint8Array | undefined {
  if (OWN_FAMILIES.has(type)) {
    const bytes = readJson(JSON.stringify(stored), BufferJSON.reviver);
    return bytes instanceof Uint8Array ? bytes : undefined;
  }
  if (!isFamily(type) || stored === undefined) return undefined;
  if (type === SENDER_KEY && Array.isArray(stored))
    return encodeKey(type, Buffer.from(JSON.stringify(stored)));
  const value = PLAIN_FAMILIES.has(type) ? stored : readJson(JSON.stringify(stored), BufferJSON.reviver);
  return isKey(type, value) ? encodeKey(type, value) : undefined;
}

/**
 * A stored key in the JSON that `encodeForeignKey` reads. Families that the library does not have are the link's own, and hold bytes
 * without an encoding.
 * @throws SyntaxError when it is damaged
 */
export function exportKey(type: string, stored: Uint8Array): unknown {
  const bytes = Buffer.from(stored);
  if (!isFamily(type)) return BufferJSON.replacer('', bytes);
  const body = bytes.subarray(1);
  // without the reviver, bytes stay in the form that JSON has for them
  return bytes[0] === RAW ? BufferJSON.replacer('', body) : readJson(body.toString());
}

function isFamily(type: string): type is keyof SignalDataTypeMap {
  return Object.hasOwn(FORMS, type);
}

/** Reads what `encodeKey` wrote. @throws Error when it is damaged */
function decodeKey<T extends keyof SignalDataTypeMap>(type: T, bytes: Uint8Array): SignalDataTypeMap[T] {
  const value = decodeValue(type, Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength));
  if (!isKey(type, value)) throw new Error(`a stored ${type} is damaged`);
  return value;
}

function decodeValue(type: string, bytes: Buffer): unknown {
  const body = bytes.subarray(1);
  // a key that an earlier release has written
  if (bytes[0] === RAW) return type === SENDER_KEY ? compactSenderKey(body) : body;
  if (bytes[0] === PLAIN_JSON) return readJson(body.toString());
  const value = readJson(body.toString(), BufferJSON.reviver);
  return type === APP_STATE_KEY && isObject(value)
    ? proto.Message.AppStateSyncKeyData.fromObject(value)
    : value;
}

/** The form of the values of each family. A session is an object, whatever the library's type says. */
const FORMS: Readonly<Record<keyof SignalDataTypeMap, (value: unknown) => boolean>> = {
  'pre-key': isPair,
  session: isObject,
  'sender-key': isBytes,
  'sender-key-memory': isObject,
  'app-state-sync-key': isObject,
  'app-state-sync-version': (value) => isObject(value) && typeof value.version === 'number',
  'lid-mapping': (value) => typeof value === 'string',
  'device-list': (value) => Array.isArray(value) && value.every((device) => typeof device === 'string'),
  tctoken: (value) => isObject(value) && isBytes(value.token),
  'identity-key': isBytes,
};

function isKey<T extends keyof SignalDataTypeMap>(type: T, value: unknown): value is SignalDataTypeMap[T] {
  return FORMS[type](value);
}

function isBytes(value: unknown): boolean {
  return value instanceof Uint8Array;
}

function isPair(value: unknown): boolean {
  return isObject(value) && isBytes(value.public) && isBytes(value.private);
}

/** Encodes credentials as JSON with buffers. */
export function encodeCredentials(creds: AuthenticationCreds): Uint8Array {
  return Buffer.from(JSON.stringify(creds, BufferJSON.replacer));
}

/** Reads credentials; undefined when there are none. @throws Error when they are damaged */
export function decodeCredentials(bytes: Uint8Array | undefined): AuthenticationCreds | undefined {
  if (!bytes) return undefined;
  const value = readJson(Buffer.from(bytes).toString(), BufferJSON.reviver);
  if (!areCredentials(value)) throw new Error('the stored credentials are damaged');
  return value;
}

function areCredentials(value: unknown): value is AuthenticationCreds {
  if (!isObject(value)) return false;
  const { noiseKey, signedIdentityKey, signedPreKey, registrationId, advSecretKey } = value;
  const isComplete = isPair(noiseKey) && isPair(signedIdentityKey) && isObject(signedPreKey);
  return isComplete && typeof registrationId === 'number' && typeof advSecretKey === 'string';
}

function tagged(tag: number, body: Uint8Array): Uint8Array {
  const bytes = Buffer.allocUnsafe(body.byteLength + 1);
  bytes[0] = tag;
  bytes.set(body, 1);
  return bytes;
}

/**
 * True when a pairing is complete: the own jid has a device and the phone signed for it. A requested pairing code sets
 * `me` without a device. `registered` is no proof, because a pairing by QR code never sets it.
 */
export function isFinishedPairing(creds: AuthenticationCreds | undefined): boolean {
  return Boolean(creds?.account && creds.me && jidDecode(creds.me.id)?.device);
}

/**
 * The linked number, from the credentials: the socket's own `user` is a snapshot from before the login.
 */
export function ownIdentity(creds: AuthenticationCreds): OwnIdentity {
  return {
    jid: creds.me?.id ?? '',
    pn: jidDecode(creds.me?.id)?.user ?? '',
    lid: jidDecode(creds.me?.lid)?.user ?? '',
    name: creds.me?.name ?? '',
  };
}
