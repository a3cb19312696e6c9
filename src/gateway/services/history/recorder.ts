import type { LinkFactory } from '../../link/link.js';
import type { HistoryMessage, PendingChange, Place, RoomUpdate, Store } from '../../store/store.js';
import type { FileKeeper } from '../files/file-keeper.js';
import type { PersonRooms } from '../identities/person-rooms.js';
import { applyChange, type Change, changeOf, readChange } from './change.js';
import { Deletions, type Quoted, quotedBy } from './deletions.js';
import { isUnreadable, type Recording, roomOf, rowOf } from './recording.js';
import type { RoomSettings } from './room-settings.js';
import type { RowKey, StoredRows } from './stored-rows.js';

/** Facts about a message from its source. */
interface Origin {
  /** True for an imported message. */
  past: boolean;
  /** Among the messages with the same time. */
  place: Place;
  /** SHA-256 of its file in hex, if known. */
  sha256?: string | undefined;
}

/**
 * Writes the hosted history: a message becomes a row; a reaction, an edit or a revoke changes one. A change that comes
 * before its message waits for it in the store. All methods are idempotent.
 */
export class Recorder {
  readonly #history;
  readonly #rooms;
  readonly #links;
  readonly #rows;
  readonly #deletions: Deletions;
  readonly #files;
  readonly #roomSettings;

  constructor(options: {
    store: Pick<Store, 'history' | 'files'>;
    rows: StoredRows;
    rooms: Pick<PersonRooms, 'locked'>;
    links: Pick<LinkFactory, 'encode' | 'decode'>;
    files: Pick<FileKeeper, 'expect'>;
    roomSettings: Pick<RoomSettings, 'roomExists'>;
  }) {
    this.#history = options.store.history;
    this.#rows = options.rows;
    this.#deletions = new Deletions(options);
    this.#rooms = options.rooms;
    this.#links = options.links;
    this.#files = options.files;
    this.#roomSettings = options.roomSettings;
  }

  /**
   * Writes a live message.
   * @returns id of the message's file, which is being stored; empty without a file
   * @throws GatewayError store_unavailable
   */
  async record(recording: Recording): Promise<string> {
    const { event, message, storedType } = recording;
    if (storedType) {
      const row = rowOf(recording, storedType, this.#links.encode(message.content));
      const sha256 = event.media && Buffer.from(event.media.download.fileSha256, 'base64').toString('hex');
      return (await this.#add(event.clientId, roomOf(event), row, { past: false, place: 'last', sha256 }))
        .fileId;
    }
    const change = changeOf(recording);
    if (change) await this.#change(recording, change);
    return '';
  }

  /**
   * Adds a past message, applies the changes that waited for it, and begins to store its file after those of live messages.
   * @returns false when the row exists; it is kept
   */
  async add(
    clientId: string,
    room: RoomUpdate,
    row: HistoryMessage,
    place: Place = 'last',
  ): Promise<boolean> {
    return (await this.#add(clientId, room, row, { past: true, place })).isNew;
  }

  /** Whether a quoted message was deleted for everyone. For a message that is not stored, the pending deletions decide. */
  async isDeleted(clientId: string, chatRoomId: string, quoted: Quoted): Promise<boolean> {
    const row = await this.#history.message(clientId, chatRoomId, quoted.messageId);
    if (row) return row.deleted;
    const pending = await this.#history.pending(clientId, chatRoomId, quoted.messageId);
    return pending.some(({ change: kept }) => {
      const change = readChange(kept);
      return change !== undefined && deletes(change, quoted);
    });
  }

  #add(clientId: string, room: RoomUpdate, row: HistoryMessage, origin: Origin) {
    return this.#rooms.locked(clientId, room, (rename) =>
      this.#addTo(clientId, { ...room, ...rename?.named }, rename?.message(row) ?? row, origin),
    );
  }

  #addTo(clientId: string, room: RoomUpdate, row: HistoryMessage, { past, place, sha256 }: Origin) {
    const { chatRoomId, messageId } = row;
    const key = { clientId, chatRoomId, messageId };
    return this.#rows.locked(key, async () => {
      const isNew =
        (await this.#history.record(clientId, room, row, place)) || (await this.#replaceUnreadable(key, row));
      await this.#rows.applyPending(key);
      await this.#dropDeletedQuote(key, row);
      if (isNew) await this.#roomSettings.roomExists(clientId, chatRoomId);
      const fileId = isNew ? row.fileId : await this.#fileIdOf(key, row);
      if (fileId) await this.#files.expect({ id: fileId, ...key, past }, row.sentAt, sha256);
      return { isNew, fileId };
    });
  }

  /** Must be called after the row is written: a deletion that arrives later finds the row by itself. */
  async #dropDeletedQuote(key: RowKey, row: HistoryMessage): Promise<void> {
    const { clientId, chatRoomId, messageId } = key;
    const quoted = quotedBy(row);
    if (!quoted || !(await this.isDeleted(clientId, chatRoomId, quoted))) return;
    const stored = await this.#history.message(clientId, chatRoomId, messageId);
    if (stored) await this.#deletions.unquote(clientId, stored);
  }

  /** Replaces the placeholder of an unreadable message with the message, which has arrived. @returns false if the stored row is kept */
  async #replaceUnreadable(
    { clientId, chatRoomId, messageId }: RowKey,
    row: HistoryMessage,
  ): Promise<boolean> {
    if (isUnreadable(row)) return false;
    const stored = await this.#history.message(clientId, chatRoomId, messageId);
    if (!stored || !isUnreadable(stored)) return false;
    return this.#history.update(clientId, row);
  }

  /** A row keeps the file id with which it was first added. */
  async #fileIdOf({ clientId, chatRoomId, messageId }: RowKey, { fileId }: HistoryMessage): Promise<string> {
    const kept = fileId && (await this.#history.message(clientId, chatRoomId, messageId));
    return kept ? kept.fileId : '';
  }

  #change({ event, message }: Recording, change: Change): Promise<void> {
    const { clientId, chatRoomId, messageId } = event;
    const { targetId } = change;
    const pending = { targetId, chatRoomId, messageId, change: { ...change }, at: message.timestamp };
    return this.#rooms.locked(clientId, event, (rename) =>
      this.#changeIn(clientId, rename?.pending(pending) ?? pending),
    );
  }

  #changeIn(clientId: string, pending: PendingChange): Promise<void> {
    const { chatRoomId, targetId } = pending;
    const key = { clientId, chatRoomId, messageId: targetId };
    return this.#rows.locked(key, async () => {
      const row = await this.#history.message(clientId, chatRoomId, targetId);
      const change = readChange(pending.change);
      if (!row) {
        await this.#history.addPending(clientId, pending);
        // a merge of rooms may have added the row meanwhile
        await this.#rows.applyPending(key);
        if (change?.type === 'revoke')
          await this.#deletions.removeQuotes(clientId, chatRoomId, (quoted) => deletes(change, quoted));
        return;
      }
      const changed = change && applyChange(row, change);
      if (changed) await this.#rows.update(clientId, row, changed);
      // a crash may have interrupted the removal
      else if (row.deleted) await this.#deletions.removeTraces(clientId, row);
    });
  }
}

/** Whether a change deletes a quoted message that is not stored: as its author, or as an admin of the group. */
function deletes(change: Change, { messageId, participant }: Quoted): boolean {
  if (change.type !== 'revoke' || change.targetId !== messageId) return false;
  const { lid, pn } = change.by;
  return change.byAdmin || (participant !== undefined && [lid, pn].includes(participant));
}
