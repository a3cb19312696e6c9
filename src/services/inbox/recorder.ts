import { KeyedLock } from '../../domain/keyed-lock.js';
import type { StoredType } from '../../kinds/kind.js';
import type { LinkFactory } from '../../link/link.js';
import type {
  ExpectedFile,
  HistoryMessage,
  HistoryStore,
  PendingChange,
  RoomUpdate,
} from '../../store/store.js';
import type { Identities } from '../people/identities.js';
import { applyChange, type Change, changeOf, readChange } from './changes.js';
import type { Recording } from './recording.js';
import { roomOf, rowOf } from './rows.js';

/** Names a stored message. */
export interface RowKey {
  clientId: string;
  chatRoomId: string;
  messageId: string;
}

export interface RecorderOptions {
  history: HistoryStore;
  /** Where rooms are by now that went by a number. */
  rooms: Pick<Identities, 'steady' | 'roomOf'>;
  links: Pick<LinkFactory, 'encode'>;
  /** Told of the file of each message that has one, also again; it must not matter. */
  expectFile(file: Omit<ExpectedFile, 'since'>, sentAt: number): Promise<void>;
}

type FileWish = Pick<ExpectedFile, 'past'>;

/** What became of a row that was to be added. */
interface Added {
  isNew: boolean;
  /** Of its file; empty when it has none. */
  fileId: string;
}

/**
 * Writes the hosted history: a message becomes a row, a reaction, an edit or a revoke changes one. What comes before the
 * message that it changes is kept, and applied when that one comes. Doing anything twice changes nothing more.
 */
export class Recorder {
  readonly #history: HistoryStore;
  readonly #rooms: RecorderOptions['rooms'];
  readonly #links: RecorderOptions['links'];
  readonly #expectFile: RecorderOptions['expectFile'];
  /** Two changes of one row read and write it; they must not do so at the same time. */
  readonly #turns = new KeyedLock();

  constructor({ history, rooms, links, expectFile }: RecorderOptions) {
    this.#history = history;
    this.#rooms = rooms;
    this.#links = links;
    this.#expectFile = expectFile;
  }

  /**
   * @returns id of the message's file, which is being stored from now on; empty when it has none
   * @throws GatewayError store_unavailable
   */
  async record(recording: Recording): Promise<string> {
    if (recording.storedType) return this.#addRow(recording, recording.storedType);
    const change = changeOf(recording);
    if (change) await this.#change(recording, change);
    return '';
  }

  /**
   * Changes a row, alone.
   * @param amend answers the row as it shall be; undefined when it shall stay as it is.
   * @returns false when there is no such row.
   */
  async amend(key: RowKey, amend: (row: HistoryMessage) => HistoryMessage | undefined): Promise<boolean> {
    if (await this.#amend(key, amend)) return true;
    const chatRoomId = await this.#rooms.roomOf(key.chatRoomId);
    return chatRoomId !== undefined && this.#amend({ ...key, chatRoomId }, amend);
  }

  /**
   * Adds a row of the past, applies what came before it, and begins to store its file, behind those of live messages.
   * @returns false when it was there already, and stays as it is.
   */
  async add(clientId: string, room: RoomUpdate, row: HistoryMessage): Promise<boolean> {
    return (await this.#add(clientId, room, row, { past: true })).isNew;
  }

  /** Makes the changes of a room that waited for messages which are in it by now: it has taken in another room. */
  async makeUp(clientId: string, chatRoomId: string): Promise<void> {
    for (const messageId of await this.#history.pendingTargets(clientId, chatRoomId)) {
      const key = { clientId, chatRoomId, messageId };
      await this.#turns.run(turnOf(key), () => this.#applyPending(key));
    }
  }

  async #addRow(recording: Recording, storedType: StoredType): Promise<string> {
    const { event, message } = recording;
    const row = rowOf(recording, storedType, this.#links.encode(message.content));
    return (await this.#add(event.clientId, roomOf(event), row, { past: false })).fileId;
  }

  #amend(key: RowKey, amend: (row: HistoryMessage) => HistoryMessage | undefined): Promise<boolean> {
    const { clientId, chatRoomId, messageId } = key;
    return this.#turns.run(turnOf(key), async () => {
      const row = await this.#history.message(clientId, chatRoomId, messageId);
      const amended = row && amend(row);
      // false when its room was moved at this instant
      if (amended) return this.#history.update(clientId, amended);
      return row !== undefined;
    });
  }

  #add(clientId: string, room: RoomUpdate, row: HistoryMessage, file: FileWish): Promise<Added> {
    return this.#rooms.steady(clientId, room, (move) =>
      this.#addTo(clientId, { ...room, ...move?.named }, move?.message(row) ?? row, file),
    );
  }

  #addTo(clientId: string, room: RoomUpdate, row: HistoryMessage, { past }: FileWish): Promise<Added> {
    const { chatRoomId, messageId } = row;
    const key = { clientId, chatRoomId, messageId };
    return this.#turns.run(turnOf(key), async () => {
      const isNew = await this.#history.record(clientId, room, row);
      await this.#applyPending(key);
      const fileId = isNew ? row.fileId : await this.#fileIdOf(key, row);
      if (fileId) await this.#expectFile({ id: fileId, ...key, past }, row.sentAt);
      return { isNew, fileId };
    });
  }

  /** A row keeps the id that it came with first. */
  async #fileIdOf({ clientId, chatRoomId, messageId }: RowKey, { fileId }: HistoryMessage): Promise<string> {
    const kept = fileId && (await this.#history.message(clientId, chatRoomId, messageId));
    return kept ? kept.fileId : '';
  }

  /** Also of a row that was there: a crash may have come in between. */
  async #applyPending({ clientId, chatRoomId, messageId }: RowKey): Promise<void> {
    const pending = await this.#history.pending(clientId, chatRoomId, messageId);
    if (pending.length === 0) return;
    const row = await this.#history.message(clientId, chatRoomId, messageId);
    if (!row) return;
    let changed = row;
    for (const { change: kept } of pending) {
      const change = readChange(kept);
      if (change) changed = applyChange(changed, change) ?? changed;
    }
    if (changed !== row) await this.#history.update(clientId, changed);
    await this.#history.removePending(clientId, chatRoomId, messageId);
  }

  #change({ event, message }: Recording, change: Change): Promise<void> {
    const { clientId, chatRoomId, messageId } = event;
    const { targetId } = change;
    const pending = { targetId, chatRoomId, messageId, change: { ...change }, at: message.timestamp };
    return this.#rooms.steady(clientId, event, (move) =>
      this.#changeIn(clientId, move?.pending(pending) ?? pending),
    );
  }

  #changeIn(clientId: string, pending: PendingChange): Promise<void> {
    const { chatRoomId, targetId } = pending;
    const key = { clientId, chatRoomId, messageId: targetId };
    return this.#turns.run(turnOf(key), async () => {
      const row = await this.#history.message(clientId, chatRoomId, targetId);
      if (!row) {
        await this.#history.addPending(clientId, pending);
        // it may have come with another room at this instant
        return this.#applyPending(key);
      }
      const change = readChange(pending.change);
      const changed = change && applyChange(row, change);
      if (changed) await this.#history.update(clientId, changed);
    });
  }
}

function turnOf({ clientId, chatRoomId, messageId }: RowKey): string {
  return `${clientId} ${chatRoomId} ${messageId}`;
}
