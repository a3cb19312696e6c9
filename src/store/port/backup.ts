import type { Readable } from 'node:stream';

/** The type of a field; a question mark allows null. */
export type CellType = 'text' | 'text?' | 'number' | 'flag' | 'flag?' | 'number?' | 'bytes' | 'bytes?';
export type Cell = string | number | boolean | Uint8Array | null;
/** A stored record: sealed fields stay sealed. Its session is known from elsewhere. */
export type Row = Readonly<Record<string, Cell>>;

const collections = <T extends Readonly<Record<string, Readonly<Record<string, CellType>>>>>(table: T) =>
  table;

/**
 * What a backup holds of each session, as every back end has it, in the order of reading. Without a snapshot the order
 * matters, see decision 26: keys before the journal, and the journal before the history, so that a message is in one of
 * them; sends before idempotency keys, so that a repeated request is recognised; messages before their rooms; expected files
 * before the stored ones.
 *
 * The names are part of the format of backups: never change or remove one. A new field allows null: older
 * backups have none.
 */
export const BACKED_UP = collections({
  sessions: {
    ...{ lid: 'text', pn: 'text', jid: 'text', name: 'text', orgId: 'text' },
    ...{ webhookUrl: 'text', webhookToken: 'text', pollLookupUrl: 'text', proxy: 'text' },
    // a JSON list
    ...{ enableGroupAi: 'flag', rejectCalls: 'flag', extraEvents: 'text', apiSecretHash: 'text' },
    ...{ status: 'text', statusReason: 'text', statusSince: 'number', bannedUntil: 'number' },
    ...{ retentionDays: 'number?', retry: 'text?', webhookPaused: 'text?', createdAt: 'number' },
    ...{ previousToken: 'text?', previousTokenUntil: 'number?' },
    ...{ linkedAt: 'number?', linkedNumber: 'text?', restrictions: 'text?' },
    // a JSON object, sealed
    receivers: 'text?',
    keepEvents: 'number?',
    exportedAt: 'number?',
  },
  // the credentials are the key with an empty type and id
  keys: { type: 'text', id: 'text', value: 'bytes' },
  journal: {
    ...{ id: 'text', messageId: 'text', plain: 'bytes', stanza: 'bytes', receivedAt: 'number' },
    closedAt: 'number?',
  },
  sends: {
    ...{ messageId: 'text', to: 'text', content: 'bytes', metaData: 'text', sentAt: 'number' },
    ...{
      fileName: 'text?',
      counted: 'text?',
      textHash: 'text?',
      acknowledged: 'flag',
      closed: 'flag',
      held: 'text?',
      trace: 'text?',
    },
  },
  idempotency: { key: 'text', fingerprint: 'text', messageId: 'text', answer: 'text', createdAt: 'number' },
  contacts: {
    ...{ lid: 'text', pn: 'text', name: 'text', pushName: 'text', username: 'text' },
    ...{ source: 'text', learntAt: 'number' },
  },
  traces: {
    ...{ messageId: 'text', chat: 'text', fromMe: 'flag', authorLid: 'text', authorPn: 'text' },
    ...{ secret: 'bytes?', sentAt: 'number' },
  },
  // `change` is a JSON object
  pending_changes: { chatRoomId: 'text', targetId: 'text', messageId: 'text', change: 'text', at: 'number' },
  // in each room from old to new; `media` and `extras` are JSON objects
  messages: {
    ...{ chatRoomId: 'text', messageId: 'text', sentAt: 'number', body: 'text', messageType: 'text' },
    ...{ fromMe: 'flag', author: 'text', pushname: 'text', deleted: 'flag', fromAi: 'flag' },
    ...{ media: 'text?', fileId: 'text', extras: 'text', content: 'bytes' },
  },
  // `rank` is the index in `MESSAGE_STATUSES`
  message_status: { messageId: 'text', rank: 'number', at: 'number' },
  rooms: {
    ...{ chatRoomId: 'text', name: 'text', myLid: 'text', clientLid: 'text', isGroup: 'flag' },
    ...{ remoteJid: 'text', lastMessageId: 'text', lastMessage: 'text', lastMessageFromMe: 'flag' },
    ...{ lastMessageAt: 'number', unreadCount: 'number', avatarId: 'text' },
    ...{ archived: 'flag?', mutedUntil: 'number?', pinned: 'flag?' },
  },
  expected_files: { id: 'text', chatRoomId: 'text', messageId: 'text', since: 'number', past: 'flag' },
  pictures: {
    ...{ jid: 'text', preview: 'flag', version: 'text', url: 'text', fileId: 'text', reason: 'text' },
    fetchedAt: 'number',
  },
  // before the failed ones, which they may become
  waiting_deliveries: {
    ...{ id: 'text', chat: 'text', type: 'text', messageId: 'text', body: 'text', size: 'number' },
    ...{ attempts: 'number', since: 'number', receiver: 'text?' },
  },
  failed_deliveries: {
    ...{ id: 'text', url: 'text', type: 'text', messageId: 'text', body: 'text', reason: 'text' },
    ...{ attempts: 'number', failedAt: 'number', receiver: 'text?' },
  },
  kept_events: {
    ...{ id: 'text', at: 'number', type: 'text', chat: 'text', messageId: 'text' },
    ...{ size: 'number', body: 'text' },
  },
  files: {
    ...{ id: 'text', chatRoomId: 'text', messageId: 'text', mimeType: 'text', mediaType: 'text' },
    ...{ fileName: 'text', fileSize: 'number', sha256: 'text', caption: 'text', createdAt: 'number' },
  },
});

export type BackupCollection = keyof typeof BACKED_UP;

export const BACKUP_COLLECTIONS: readonly BackupCollection[] = Object.keys(BACKED_UP).filter(isCollection);

export function isCollection(name: string): name is BackupCollection {
  return Object.hasOwn(BACKED_UP, name);
}

export function fieldsOf(collection: BackupCollection): (readonly [field: string, type: CellType])[] {
  return Object.entries<CellType>(BACKED_UP[collection]);
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
