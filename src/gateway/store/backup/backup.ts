import { createHash } from 'node:crypto';
import type { Readable } from 'node:stream';
import { GatewayError } from '../../../domain/errors.js';
import {
  BACKUP_COLLECTIONS,
  type BackupCollection,
  type BackupSource,
  type Cell,
  type Row,
  textOf,
} from '../port/backup.js';
import { backupKey } from '../sealing/data-keys.js';
import { BackupFile, type Frame, jsonFrame, signedBytes } from './file.js';

/** Grows when an older program could not restore a newer backup. */
export const FORMAT = 1;
/** Characters of rows in a frame, about. */
const FRAME_LENGTH = 1024 * 1024;
/** Readings of a session that is deleted and created again, or whose rooms move, while it is read. */
const READINGS = 5;

/** What a backup holds. */
export interface BackupContents {
  /** RFC 3339: the time at which the backup began. */
  createdAt: string;
  /** The release that wrote it. */
  release: string;
  /** The store it was read from: `sqlite` or `mongodb`. */
  store: string;
  /** Where that store is: a folder, or the address of a database without credentials. Empty in a backup of an older release. */
  place: string;
  sessions: BackedUpSession[];
  messages: number;
  files: number;
  /** Files whose bytes were missing or damaged in the store; a restored daemon downloads them again if it can. */
  missingFiles: number;
}

export interface BackedUpSession {
  clientId: string;
  /** Phone number without `+`; empty before pairing. */
  pn: string;
  status: string;
  messages: number;
  files: number;
}

export interface BackupOptions {
  encryptionKey: Uint8Array;
  /** Where the store is, without credentials. */
  place: string;
  createdAt: string;
  release: string;
  /** Counts the written rows. */
  counted: { add(count: number): void };
}

/**
 * Writes a backup of a store that a daemon may be using. A failure leaves no file behind.
 *
 * @param path must not exist
 * @param signal ends it early
 * @returns its contents, and its length in bytes
 * @throws GatewayError as `backupBytes`; errors of the file system; the reason of the signal
 */
export async function writeBackup(
  source: BackupSource,
  { path, signal, ...options }: BackupOptions & { path: string; signal?: AbortSignal },
): Promise<BackupContents & { bytes: number }> {
  const bytes = backupBytes(source, options);
  // before the file, so that a store without a backup leaves none
  let next = await bytes.next();
  const file = await BackupFile.create(path);
  try {
    while (!next.done) {
      await file.write(next.value);
      signal?.throwIfAborted();
      next = await bytes.next();
    }
    return { ...next.value, bytes: await file.finish() };
  } catch (error) {
    // lets go of what is being read
    await bytes.throw(error).catch(() => undefined);
    await file.abort();
    throw error;
  }
}

/**
 * The bytes of a backup, as a file has them. Reads on only as fast as they are taken.
 *
 * @returns what the backup holds
 * @throws GatewayError `encryption_key_wrong`, `store_missing`, `store_unavailable`
 */
export async function* backupBytes(
  source: BackupSource,
  { encryptionKey, ...options }: BackupOptions,
): AsyncGenerator<Uint8Array, BackupContents> {
  const own = await source.dataKey('');
  if (!own) throw new GatewayError('store_missing', 'The store is empty: no daemon has used it yet.');
  return yield* signedBytes(backupKey(encryptionKey, own), framesOf(source, own, options));
}

async function* framesOf(
  source: BackupSource,
  own: Uint8Array,
  { createdAt, release, place, counted }: Omit<BackupOptions, 'encryptionKey'>,
): AsyncGenerator<Frame, BackupContents> {
  const head = { createdAt, release, store: source.name, place };
  yield jsonFrame('head', { format: FORMAT, ...head, dataKey: base64(own) });
  const sections = new SectionReader(source, counted);
  const sessions: (BackedUpSession & { section: number })[] = [];
  for (const clientId of await source.sessions()) {
    const session = yield* sections.framesOf(clientId);
    if (session) sessions.push(session);
  }
  const { missingFiles } = sections;
  yield jsonFrame('foot', { sessions, missingFiles });
  return { ...head, ...contentsOf(sessions), missingFiles };
}

/** The sessions, and their messages and files together. */
export function contentsOf(
  found: readonly BackedUpSession[],
): Pick<BackupContents, 'sessions' | 'messages' | 'files'> {
  const sessions = found.map(({ clientId, pn, status, messages, files }) => ({
    ...{ clientId, pn, status, messages, files },
  }));
  const sum = (field: 'messages' | 'files') => sessions.reduce((total, one) => total + one[field], 0);
  return { sessions, messages: sum('messages'), files: sum('files') };
}

type SectionFrames<Result> = AsyncGenerator<Frame, Result>;

/** Reads sessions, one after the other. */
class SectionReader {
  readonly #source: BackupSource;
  readonly #counted: BackupOptions['counted'];
  #section = 0;
  missingFiles = 0;

  constructor(source: BackupSource, counted: BackupOptions['counted']) {
    this.#source = source;
    this.#counted = counted;
  }

  /** @returns undefined if the session is deleted meanwhile */
  async *framesOf(clientId: string): SectionFrames<(BackedUpSession & { section: number }) | undefined> {
    for (let reading = 0; reading < READINGS; reading++) {
      const dataKey = await this.#source.dataKey(clientId);
      if (!dataKey) return undefined;
      const missingBefore = this.missingFiles;
      const roomsBefore = await this.#roomIds(clientId);
      const session = yield* this.#sectionOf(clientId, dataKey);
      const roomsAfter = await this.#roomIds(clientId);
      const dataKeyAfter = await this.#source.dataKey(clientId);
      const isSame = dataKeyAfter && Buffer.from(dataKey).equals(dataKeyAfter);
      // a message that moves to another room meanwhile may be in neither
      if (isSame && [...roomsBefore].every((id) => roomsAfter.has(id))) return session;
      this.missingFiles = missingBefore;
    }
    throw new GatewayError(
      'store_unavailable',
      `Session ${clientId} was changed during each of ${READINGS} reads; run the backup again.`,
    );
  }

  async *#sectionOf(
    clientId: string,
    dataKey: Uint8Array,
  ): SectionFrames<BackedUpSession & { section: number }> {
    this.#section += 1;
    const section = this.#section;
    yield jsonFrame('section', { section, clientId, dataKey: base64(dataKey) });
    const session = { clientId, pn: '', status: '', messages: 0, files: 0, section };
    for (const collection of BACKUP_COLLECTIONS) {
      for await (const rows of this.#source.rows(clientId, collection)) {
        this.#counted.add(rows.length);
        if (collection === 'messages') session.messages += rows.length;
        const [first] = rows;
        if (collection === 'sessions' && first) {
          session.pn = textOf(first, 'pn');
          session.status = textOf(first, 'status');
        }
        if (collection !== 'files') yield* rowFrames(collection, rows);
        else for (const file of rows) session.files += yield* this.#fileFrames(file);
      }
    }
    return session;
  }

  async #roomIds(clientId: string): Promise<Set<string>> {
    const ids = new Set<string>();
    for await (const rows of this.#source.rows(clientId, 'rooms')) {
      for (const row of rows) ids.add(textOf(row, 'chatRoomId'));
    }
    return ids;
  }

  /** @returns the number of files that count: 0 or 1 */
  async *#fileFrames(file: Row): SectionFrames<number> {
    const stream = await this.#source.openFile(textOf(file, 'id'));
    if (stream) {
      yield* rowFrames('files', [file]);
      const isWhole = yield* pieceFrames(file, stream);
      yield { type: isWhole ? 'fileEnd' : 'fileGone' };
      if (isWhole) return 1;
    }
    this.missingFiles += 1;
    // a daemon downloads the file of a message again; the picture of a room comes back by itself
    const { id, chatRoomId, messageId, createdAt } = file;
    const expected = { id, chatRoomId, messageId, since: createdAt, past: true };
    if (messageId !== '') yield* rowFrames('expected_files', [allSet(expected)]);
    return 0;
  }
}

/** Rows, in frames of about `FRAME_LENGTH`. */
function* rowFrames(collection: BackupCollection, rows: readonly Row[]): Generator<Frame> {
  let texts: string[] = [];
  let length = 0;
  const frame = (): Frame => {
    const content = Buffer.from(`{"collection":"${collection}","rows":[${texts}]}`);
    texts = [];
    length = 0;
    return { type: 'rows', content };
  };
  for (const row of rows) {
    const text = JSON.stringify(Object.fromEntries(Object.entries(row).map(asJson)));
    texts.push(text);
    length += text.length;
    if (length > FRAME_LENGTH) yield frame();
  }
  if (texts.length > 0) yield frame();
}

/** The bytes of a file. @returns false if they are not those of the record */
async function* pieceFrames({ fileSize, sha256 }: Row, stream: Readable): SectionFrames<boolean> {
  const hash = createHash('sha256');
  let length = 0;
  try {
    for await (const piece of stream) {
      const bytes: Uint8Array = piece;
      hash.update(bytes);
      length += bytes.length;
      yield { type: 'piece', content: bytes };
    }
  } finally {
    stream.destroy();
  }
  return length === fileSize && hash.digest('hex') === sha256;
}

function allSet(row: Readonly<Record<string, Cell | undefined>>): Row {
  return Object.fromEntries(Object.entries(row).map(([field, cell]) => [field, cell ?? null]));
}

function asJson([field, cell]: readonly [string, Cell]): [string, unknown] {
  return [field, cell instanceof Uint8Array ? base64(cell) : cell];
}

function base64(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('base64');
}
