import { PassThrough } from 'node:stream';
import { GatewayError, isGatewayError } from '../../../domain/errors.js';
import { isObject, type JsonObject } from '../../../domain/json.js';
import {
  type BackupCollection,
  type Cell,
  fieldsOf,
  isCollection,
  mayBeNull,
  type Row,
} from '../port/backup.js';
import type { Field } from '../port/fields.js';
import { readText } from '../port/json.js';
import { backupKey } from '../sealing/data-keys.js';
import type { Backend } from '../store.js';
import { type BackupContents, contentsOf, FORMAT } from './backup.js';
import { checkedFrames, damaged, readContent } from './file.js';

/** A backup that is whole, and unchanged since it was written. */
export interface CheckedBackup {
  contents: BackupContents;
  path: string;
  /** The store's own data key, wrapped. */
  dataKey: Uint8Array;
  /** The sections that count. */
  sections: ReadonlySet<number>;
  /** The key that signs it. */
  key: Uint8Array;
  /** The content of its last frame. */
  mac: Buffer;
}

/**
 * Reads a whole backup and checks it.
 *
 * @throws GatewayError `backup_damaged`, `encryption_key_wrong`, `store_too_new`; errors of the file system
 */
export async function checkBackup(path: string, encryptionKey: Uint8Array): Promise<CheckedBackup> {
  let key: Uint8Array | undefined;
  const keyOf = (found: JsonObject) => {
    if (typeof found.format !== 'number') throw damaged('its content was changed');
    if (found.format > FORMAT) {
      const what = `The backup was written by release ${readText(found.release)}`;
      throw new GatewayError('store_too_new', `${what}: restore it with that release or a newer one.`);
    }
    key = backupKey(encryptionKey, bytesOf(found.dataKey));
    return key;
  };
  let head: JsonObject | undefined;
  let foot: JsonObject | undefined;
  let mac: Buffer | undefined;
  for await (const { type, content } of checkedFrames(path, keyOf)) {
    if (type === 'head') head = readContent(content);
    else if (type === 'foot') foot = readContent(content);
    else if (type === 'mac') mac = content;
  }
  if (!key || !head || !foot || !mac) throw damaged('its content was changed');
  return {
    ...{ path, key, mac },
    dataKey: bytesOf(head.dataKey),
    sections: new Set(sessionsIn(foot).map(({ section }) => Number(section))),
    contents: contentsIn(head, foot),
  };
}

/** What a backup holds, by its first and last frame of JSON. */
export function contentsIn(head: JsonObject, foot: JsonObject): BackupContents {
  const found = sessionsIn(foot).map((session) => ({
    ...{ clientId: readText(session.clientId), pn: readText(session.pn), status: readText(session.status) },
    ...{ messages: Number(session.messages), files: Number(session.files) },
  }));
  return {
    ...{ createdAt: readText(head.createdAt), release: readText(head.release) },
    ...{ store: readText(head.store), place: readText(head.place) },
    ...contentsOf(found),
    missingFiles: Number(foot.missingFiles),
  };
}

function sessionsIn({ sessions }: JsonObject): JsonObject[] {
  return (Array.isArray(sessions) ? sessions : []).filter(isObject);
}

/**
 * Writes a backup into a store without sessions. If it is interrupted, the store is refused by everything but the next
 * restore, which begins by deleting what this one has written.
 *
 * @throws GatewayError `store_not_empty`, and nothing is changed; `backup_damaged` if the file changed since it was checked;
 * `store_unavailable`
 */
export async function restoreBackup(
  backend: Backend,
  backup: CheckedBackup,
  counted: { add(count: number): void },
): Promise<void> {
  const { restore, sessions, history } = backend;
  await makeEmpty(backend);
  await restore.begin();
  await putDataKey(backend, '', backup.dataKey);
  const writer = new RowWriter(backend, counted);
  try {
    await writeRows(backup, writer);
  } catch (error) {
    // a file that was being written
    await writer.endFile(false).catch(() => undefined);
    if (isGatewayError(error, 'backup_damaged')) throw changedMeanwhile();
    throw error;
  }
  // without a snapshot, a room may be a message behind
  for (const { clientId } of await sessions.list()) {
    for (const { chatRoomId } of await history.rooms(clientId)) {
      await history.checkRoom(clientId, chatRoomId, { repair: true });
    }
  }
  await restore.end();
}

/** Checks the file again while it writes: the file may have changed since the first check. */
async function writeRows({ path, key, mac, sections }: CheckedBackup, writer: RowWriter): Promise<void> {
  for await (const { type, content } of checkedFrames(path, () => key)) {
    if (type === 'section') {
      const { section, clientId, dataKey: wrapped } = readContent(content);
      await writer.begin(sections.has(Number(section)) ? readText(clientId) : undefined, bytesOf(wrapped));
    } else if (type === 'rows') await writer.rows(readContent(content));
    else if (type === 'piece') await writer.piece(content);
    else if (type === 'fileEnd' || type === 'fileGone') await writer.endFile(type === 'fileEnd');
    else if (type === 'mac' && !content.equals(mac)) throw changedMeanwhile();
  }
}

function changedMeanwhile(): GatewayError {
  const advice = 'The store has a part of it and cannot be used: restore a backup into it again.';
  return new GatewayError('backup_damaged', `The backup was changed while it was restored. ${advice}`);
}

async function makeEmpty({ restore, sessions, files, forget }: Backend): Promise<void> {
  const found = await sessions.list();
  if (!(await restore.isUnfinished())) {
    if (found.length === 0) return;
    throw new GatewayError(
      'store_not_empty',
      `The store has ${found.length} sessions: restore into an empty one. Nothing was changed.`,
    );
  }
  for (const { clientId } of found) await forget(clientId);
  await files.check({ repair: true });
}

/** An interrupted restore may have left another one. */
async function putDataKey({ dataKeys }: Backend, clientId: string, wrapped: Uint8Array): Promise<void> {
  await dataKeys.putIfAbsent(clientId, wrapped);
  await dataKeys.replace(new Map([[clientId, wrapped]]));
}

/** Writes the rows and files of one session after the other. */
class RowWriter {
  readonly #backend: Backend;
  readonly #counted: { add(count: number): void };
  #clientId: string | undefined;
  #file: { bytes: PassThrough; stored: Promise<void> } | undefined;

  constructor(backend: Backend, counted: { add(count: number): void }) {
    this.#backend = backend;
    this.#counted = counted;
  }

  /** @param clientId undefined skips the section */
  async begin(clientId: string | undefined, dataKey: Uint8Array): Promise<void> {
    this.#clientId = clientId;
    if (clientId !== undefined) await putDataKey(this.#backend, clientId, dataKey);
  }

  async rows({ collection, rows }: JsonObject): Promise<void> {
    const name = readText(collection);
    if (this.#clientId === undefined) return;
    if (!isCollection(name) || !Array.isArray(rows)) throw damaged('its content was changed');
    const read = rows.map((row) => toRow(name, row));
    this.#counted.add(read.length);
    if (name !== 'files') return this.#backend.restore.insert(this.#clientId, name, read);
    const [file] = read;
    if (file) this.#beginFile(this.#clientId, file);
  }

  async piece(content: Buffer): Promise<void> {
    if (!this.#file) return;
    const { bytes, stored } = this.#file;
    if (bytes.write(content)) return;
    const drained = new Promise<void>((resolve) => bytes.once('drain', resolve));
    await Promise.race([drained, stored]);
  }

  async endFile(isWhole: boolean): Promise<void> {
    const file = this.#file;
    this.#file = undefined;
    if (!file) return;
    if (isWhole) {
      file.bytes.end();
      return file.stored;
    }
    file.bytes.destroy(new Error('the file does not count'));
    await file.stored.catch((error: unknown) => {
      if (isGatewayError(error)) throw error;
    });
  }

  #beginFile(clientId: string, file: Row): void {
    const bytes = new PassThrough();
    // reported by `stored`
    bytes.on('error', () => undefined);
    const stored = this.#backend.restore.insertFile(clientId, file, bytes);
    // reported when the file ends
    stored.catch(() => undefined);
    this.#file = { bytes, stored };
  }
}

function toRow(collection: BackupCollection, found: unknown): Row {
  if (!isObject(found)) throw damaged('its content was changed');
  return Object.fromEntries(
    fieldsOf(collection).map(([name, field]) => [name, toCell(field, found[name] ?? null)]),
  );
}

function toCell(field: Field, value: unknown): Cell {
  if (value === null && mayBeNull(field)) return null;
  switch (field.is) {
    case 'bytes':
      return bytesOf(value);
    case 'number':
      if (typeof value === 'number') return value;
      break;
    case 'flag':
      if (typeof value === 'boolean') return value;
      break;
    default:
      // lists and objects are JSON text in a row
      if (typeof value === 'string') return value;
  }
  throw damaged('its content was changed');
}

function bytesOf(value: unknown): Uint8Array {
  if (typeof value !== 'string') throw damaged('its content was changed');
  return Buffer.from(value, 'base64');
}
