import type { Readable } from 'node:stream';
import { CONTACTS, PICTURES } from './contacts.js';
import { FAILED_DELIVERIES, KEPT_EVENTS, WAITING_DELIVERIES } from './deliveries.js';
import { type Collection, collection, type Field } from './fields.js';
import { EXPECTED_FILES, FILES } from './files.js';
import { MESSAGES, PENDING_CHANGES, ROOMS, TRACES } from './history.js';
import { JOURNAL, KEYS } from './keys.js';
import { IDEMPOTENCY, SENDS } from './sends.js';
import { SESSIONS } from './sessions.js';

export type Cell = string | number | boolean | Uint8Array | null;
/** A stored record: sealed fields stay sealed. Its session is known from elsewhere. */
export type Row = Readonly<Record<string, Cell>>;

/** `rank` is the index in `MESSAGE_STATUSES`. */
const MESSAGE_STATUS = collection('message_status', {
  messageId: { is: 'text' },
  rank: { is: 'number' },
  at: { is: 'number' },
});

/**
 * What a backup holds of each session, as every back end has it, in the order of reading. Without a snapshot the order
 * matters, see decision 26: keys before the journal, and the journal before the history, so that a message is in one of
 * them; sends before idempotency keys, so that a repeated request is recognised; messages before their rooms; expected files
 * before the stored ones; waiting deliveries before the failed ones, which they may become. The messages of each room are read
 * from old to new.
 *
 * The names are part of the format of backups: never change or remove one. A new field is `later`, or may be null: older backups
 * have none.
 */
export const BACKED_UP = {
  sessions: SESSIONS,
  keys: KEYS,
  journal: JOURNAL,
  sends: SENDS,
  idempotency: IDEMPOTENCY,
  contacts: CONTACTS,
  traces: TRACES,
  pending_changes: PENDING_CHANGES,
  messages: MESSAGES,
  message_status: MESSAGE_STATUS,
  rooms: ROOMS,
  expected_files: EXPECTED_FILES,
  pictures: PICTURES,
  waiting_deliveries: WAITING_DELIVERIES,
  failed_deliveries: FAILED_DELIVERIES,
  kept_events: KEPT_EVENTS,
  files: FILES,
} satisfies Readonly<Record<string, Collection>>;

export type BackupCollection = keyof typeof BACKED_UP;

export const BACKUP_COLLECTIONS: readonly BackupCollection[] = Object.keys(BACKED_UP).filter(isCollection);

export function isCollection(name: string): name is BackupCollection {
  return Object.hasOwn(BACKED_UP, name);
}

/** The fields of the rows of a collection. */
export function fieldsOf(name: BackupCollection): (readonly [name: string, field: Field])[] {
  return Object.entries<Field>(BACKED_UP[name].fields).filter(([field]) => field !== 'clientId');
}

/** True if a row may have null for it. */
export function mayBeNull({ none, later }: Field): boolean {
  return none !== undefined || later === true;
}

/** Reads a store beside a running daemon, and changes nothing of it. All methods throw `store_unavailable` on failure. */
export interface BackupSource {
  /** As `Store.name`. */
  readonly name: string;
  /** By clientId, ascending. */
  sessions(): Promise<string[]>;
  /** Wrapped; the store's own under the empty clientId. */
  dataKey(clientId: string): Promise<Uint8Array | undefined>;
  /** The rows of a session in batches. */
  rows(clientId: string, collection: BackupCollection): AsyncIterable<Row[]>;
  /** The bytes of a file; undefined if they are missing. The caller reads the stream to its end or destroys it. */
  openFile(id: string): Promise<Readable | undefined>;
  close(): Promise<void>;
}

/** Writes the rows of a backup into an empty store. A store whose restore did not end is refused by `openStore`. */
export interface RestoreTarget {
  /** True between `begin` and `end`, also in a later process. */
  isUnfinished(): Promise<boolean>;
  begin(): Promise<void>;
  /** A row that is there already stays. */
  insert(clientId: string, collection: BackupCollection, rows: readonly Row[]): Promise<void>;
  /** Stores the bytes of a file, and then its row. */
  insertFile(clientId: string, file: Row, bytes: Readable): Promise<void>;
  end(): Promise<void>;
}

/** @throws TypeError if the row has no text of that name */
export function textOf(row: Row, field: string): string {
  const cell = row[field];
  if (typeof cell !== 'string') throw new TypeError(`the row has no text ${field}`);
  return cell;
}
