import { KeyedLock } from '../../../domain/keyed-lock.js';
import type { LinkFactory } from '../../link/link.js';
import type { HistoryMessage, Store } from '../../store/store.js';
import type { Contacts } from '../identities/contacts.js';
import { renamedTo } from '../identities/stored-names.js';
import type { StoreRetry } from '../store-retry.js';
import { applyChange, readChange } from './change.js';
import { Deletions } from './deletions.js';

/** Names a stored message. */
export interface RowKey {
  clientId: string;
  chatRoomId: string;
  messageId: string;
}

/** The rows of the hosted history, each changed by one writer at a time. */
export class StoredRows {
  readonly #deletions: Deletions;
  readonly #history;
  readonly #options;
  /** One lock per row, because a change reads and then writes it. */
  readonly #locks = new KeyedLock();

  constructor(options: {
    store: Pick<Store, 'history' | 'files'>;
    links: Pick<LinkFactory, 'encode' | 'decode'>;
    contacts: Pick<Contacts, 'find'>;
    retry: StoreRetry;
  }) {
    this.#options = options;
    this.#history = options.store.history;
    this.#deletions = new Deletions(options);
  }

  /** Runs work while no other work changes the row. */
  locked<T>(key: RowKey, work: () => Promise<T>): Promise<T> {
    return this.#locks.run(lockOf(key), work);
  }

  /**
   * Changes a row under its lock.
   * @param amend returns the changed row; undefined to keep it
   * @returns false when there is no such row.
   */
  async amend(key: RowKey, amend: (row: HistoryMessage) => HistoryMessage | undefined): Promise<boolean> {
    if (await this.#amend(key, amend)) return true;
    const chatRoomId = await renamedTo(key.chatRoomId, this.#options);
    return chatRoomId !== undefined && this.#amend({ ...key, chatRoomId }, amend);
  }

  #amend(key: RowKey, amend: (row: HistoryMessage) => HistoryMessage | undefined): Promise<boolean> {
    const { clientId, chatRoomId, messageId } = key;
    return this.locked(key, async () => {
      const row = await this.#history.message(clientId, chatRoomId, messageId);
      const amended = row && amend(row);
      // `amended` is false if the room was renamed meanwhile
      if (row?.deleted === false && amended?.deleted) await this.#deletions.removeTraces(clientId, row);
      if (amended) return this.#history.update(clientId, amended);
      return row !== undefined;
    });
  }

  /** Applies pending changes after another room was merged into this one. */
  async applyPendingIn(clientId: string, chatRoomId: string): Promise<void> {
    for (const messageId of await this.#history.pendingTargets(clientId, chatRoomId)) {
      const key = { clientId, chatRoomId, messageId };
      await this.locked(key, () => this.applyPending(key));
    }
  }

  /**
   * Applies the pending changes of a row; the caller holds its lock. Also for a row that exists already: a crash may have
   * interrupted its first write.
   */
  async applyPending({ clientId, chatRoomId, messageId }: RowKey): Promise<void> {
    const pending = await this.#history.pending(clientId, chatRoomId, messageId);
    if (pending.length === 0) return;
    const row = await this.#history.message(clientId, chatRoomId, messageId);
    if (!row) return;
    let changed = row;
    for (const { change: kept } of pending) {
      const change = readChange(kept);
      if (change) changed = applyChange(changed, change) ?? changed;
    }
    if (changed !== row) await this.update(clientId, row, changed);
    await this.#history.removePending(clientId, chatRoomId, messageId);
  }

  /** Writes a changed row, and removes what is left of a message that was deleted; the caller holds its lock. */
  async update(clientId: string, row: HistoryMessage, changed: HistoryMessage): Promise<void> {
    await this.#history.update(clientId, changed);
    if (!changed.deleted || row.deleted) return;
    await this.#deletions.countDown(clientId, row);
    await this.#deletions.removeTraces(clientId, row);
  }
}

function lockOf({ clientId, chatRoomId, messageId }: RowKey): string {
  return `${clientId} ${chatRoomId} ${messageId}`;
}
