import type { JournalEntry, KeyChange } from '../../domain/signal-state.js';
import type { KeyStore } from '../store.js';
import type { OpenDatabase } from './database.js';

interface Value {
  value: Uint8Array;
}

/**
 * Credentials and Signal keys.
 *
 * @param addToJournal writes a journal entry inside the running transaction
 */
export function sqliteKeys(
  { sqlite, run, inTransaction }: OpenDatabase,
  addToJournal: (clientId: string, entry: JournalEntry) => void,
): KeyStore {
  const selectCredentials = sqlite.prepare<[string], Value>(
    'SELECT value FROM credentials WHERE client_id = ?',
  );
  const putCredentials = sqlite.prepare<[string, Uint8Array]>('REPLACE INTO credentials VALUES (?, ?)');
  const deleteCredentials = sqlite.prepare<[string]>('DELETE FROM credentials WHERE client_id = ?');
  const select = sqlite.prepare<[string, string, string], Value>(
    'SELECT value FROM keys WHERE client_id = ? AND type = ? AND id = ?',
  );
  const put = sqlite.prepare<[string, string, string, Uint8Array]>('REPLACE INTO keys VALUES (?, ?, ?, ?)');
  const remove = sqlite.prepare<[string, string, string]>(
    'DELETE FROM keys WHERE client_id = ? AND type = ? AND id = ?',
  );
  const removeAll = sqlite.prepare<[string]>('DELETE FROM keys WHERE client_id = ?');

  const change = (clientId: string, { type, id, value }: KeyChange) =>
    value ? put.run(clientId, type, id, value) : remove.run(clientId, type, id);

  return {
    async credentials(clientId) {
      return run(() => selectCredentials.get(clientId)?.value);
    },
    async get(clientId, type, ids) {
      const found = new Map<string, Uint8Array>();
      run(() => {
        for (const id of ids) {
          const row = select.get(clientId, type, id);
          if (row) found.set(id, row.value);
        }
      });
      return found;
    },
    async commit(clientId, { credentials, keys = [], journal = [] }) {
      inTransaction(() => {
        if (credentials) putCredentials.run(clientId, credentials);
        for (const key of keys) change(clientId, key);
        for (const entry of journal) addToJournal(clientId, entry);
      });
    },
    async clear(clientId) {
      inTransaction(() => {
        deleteCredentials.run(clientId);
        removeAll.run(clientId);
      });
    },
  };
}
