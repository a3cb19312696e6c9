import type { JournalEntry, KeyChange } from '../../../domain/signal-state.js';
import { JOURNAL } from '../port/keys.js';
import type { DataKeyStore, JournalStore, KeyStore, StoredKey } from '../store.js';
import type { OpenDatabase } from './database.js';
import { type Column, tableOf } from './table.js';

/** Credentials and Signal keys in the tables `credentials` and `keys`, and the journal that is committed with them. */
export function sqliteKeys(database: OpenDatabase): { keys: KeyStore; journal: JournalStore } {
  const { sqlite, run, write, inTransaction } = database;
  const { addEntry, ...journal } = sqliteJournal(database);
  const selectCredentials = sqlite
    .prepare<[string], Uint8Array>('SELECT value FROM credentials WHERE client_id = ?')
    .pluck();
  const putCredentials = sqlite.prepare<[string, Uint8Array]>('REPLACE INTO credentials VALUES (?, ?)');
  const deleteCredentials = sqlite.prepare<[string]>('DELETE FROM credentials WHERE client_id = ?');
  const select = sqlite
    .prepare<[string, string, string], Uint8Array>(
      'SELECT value FROM keys WHERE client_id = ? AND type = ? AND id = ?',
    )
    .pluck();
  const selectPage = sqlite.prepare<[string, string, string, number], StoredKey>(
    'SELECT type, id, value FROM keys WHERE client_id = ? AND (type, id) > (?, ?) ORDER BY type, id LIMIT ?',
  );
  const put = sqlite.prepare<[string, string, string, Uint8Array]>('REPLACE INTO keys VALUES (?, ?, ?, ?)');
  const remove = sqlite.prepare<[string, string, string]>(
    'DELETE FROM keys WHERE client_id = ? AND type = ? AND id = ?',
  );
  const removeAll = sqlite.prepare<[string]>('DELETE FROM keys WHERE client_id = ?');

  const change = (clientId: string, { type, id, value }: KeyChange) =>
    value ? put.run(clientId, type, id, value) : remove.run(clientId, type, id);

  const keys: KeyStore = {
    async credentials(clientId) {
      return run(() => selectCredentials.get(clientId));
    },
    async get(clientId, type, ids) {
      const found = new Map<string, Uint8Array>();
      run(() => {
        for (const id of ids) {
          const value = select.get(clientId, type, id);
          if (value) found.set(id, value);
        }
      });
      return found;
    },
    async page(clientId, after, limit) {
      return run(() => selectPage.all(clientId, after?.type ?? '', after?.id ?? '', limit));
    },
    async commit(clientId, { credentials, keys: changes = [], journal: entries = [] }) {
      await write(() => {
        if (credentials) putCredentials.run(clientId, credentials);
        for (const key of changes) change(clientId, key);
        for (const entry of entries) addEntry(clientId, entry);
      });
    },
    async clear(clientId) {
      inTransaction(() => {
        deleteCredentials.run(clientId);
        removeAll.run(clientId);
      });
    },
  };
  return { keys, journal };
}

/** Entries in the table `journal`. */
function sqliteJournal({ sqlite, run, write }: OpenDatabase) {
  const { columns, into, read, values } = tableOf(JOURNAL);
  const selecting = `SELECT ${columns} FROM journal WHERE client_id = ?`;
  const insert = sqlite.prepare<[Column[]]>(`INSERT ${into} ON CONFLICT DO NOTHING`);
  const select = sqlite.prepare<[string, string], Column[]>(`${selecting} AND id = ?`).raw();
  const selectOpen = sqlite
    .prepare<[string], Column[]>(`${selecting} AND closed_at IS NULL ORDER BY rowid`)
    .raw();
  const selectSince = sqlite
    .prepare<[string, number, number], Column[]>(
      `${selecting} AND received_at >= ? ORDER BY received_at DESC, rowid DESC LIMIT ?`,
    )
    .raw();
  const selectOfMessage = sqlite.prepare<[string, string], Column[]>(`${selecting} AND message_id = ?`).raw();
  const countAll = sqlite.prepare<[], number>('SELECT count(*) FROM journal WHERE closed_at IS NULL').pluck();
  const countOne = sqlite
    .prepare<[string], number>('SELECT count(*) FROM journal WHERE client_id = ? AND closed_at IS NULL')
    .pluck();
  const close = sqlite.prepare<[number, string, string]>(
    'UPDATE journal SET closed_at = ? WHERE client_id = ? AND id = ? AND closed_at IS NULL',
  );
  const prune = sqlite.prepare<[number]>('DELETE FROM journal WHERE closed_at < ?');

  const journal: JournalStore = {
    async get(clientId, id) {
      const row = run(() => select.get(clientId, id));
      return row && read(row);
    },
    async ofMessage(clientId, messageId) {
      return run(() => selectOfMessage.all(clientId, messageId)).map(read);
    },
    async since(clientId, receivedAt, limit) {
      return run(() => selectSince.all(clientId, receivedAt, limit)).map(read);
    },
    async open(clientId) {
      return run(() => selectOpen.all(clientId)).map(read);
    },
    async countOpen(clientId) {
      return run(() => (clientId === undefined ? countAll.get() : countOne.get(clientId))) ?? 0;
    },
    async close(clientId, ids, at) {
      await write(() => {
        for (const id of ids) close.run(at, clientId, id);
      });
    },
    async prune(closedBefore) {
      return run(() => prune.run(closedBefore).changes);
    },
  };
  return {
    ...journal,
    /** Inserts in the running transaction. A known entry stays as it is: a closed entry must not reopen. */
    addEntry(clientId: string, entry: JournalEntry) {
      insert.run(values(clientId, entry));
    },
  };
}

/** Wrapped data keys in the table `data_keys`. */
export function sqliteDataKeys({ sqlite, run, inTransaction }: OpenDatabase): DataKeyStore {
  const select = sqlite
    .prepare<[string], Uint8Array>('SELECT wrapped FROM data_keys WHERE client_id = ?')
    .pluck();
  const selectAll = sqlite
    .prepare<[], [string, Uint8Array]>('SELECT client_id, wrapped FROM data_keys')
    .raw();
  const insert = sqlite.prepare<[string, Uint8Array]>('INSERT INTO data_keys VALUES (?, ?)');
  const update = sqlite.prepare<[Uint8Array, string]>('UPDATE data_keys SET wrapped = ? WHERE client_id = ?');

  return {
    async get(clientId) {
      return run(() => select.get(clientId));
    },
    async putIfAbsent(clientId, wrapped) {
      return inTransaction(() => {
        const known = select.get(clientId);
        if (known) return known;
        insert.run(clientId, wrapped);
        return Uint8Array.from(wrapped);
      });
    },
    async list() {
      return new Map(run(() => selectAll.all()));
    },
    async replace(wrapped) {
      inTransaction(() => {
        for (const [clientId, value] of wrapped) update.run(value, clientId);
      });
    },
  };
}
