import type { DataKeyStore } from '../store.js';
import type { OpenDatabase } from './database.js';

interface Row {
  clientId: string;
  wrapped: Uint8Array;
}

/** Wrapped data keys in the table `data_keys`. */
export function sqliteDataKeys({ sqlite, run, inTransaction }: OpenDatabase): DataKeyStore {
  const select = sqlite
    .prepare<[string], Uint8Array>('SELECT wrapped FROM data_keys WHERE client_id = ?')
    .pluck();
  const selectAll = sqlite.prepare<[], Row>('SELECT client_id AS clientId, wrapped FROM data_keys');
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
      return new Map(run(() => selectAll.all()).map(({ clientId, wrapped }) => [clientId, wrapped]));
    },
    async replace(wrapped) {
      inTransaction(() => {
        for (const [clientId, value] of wrapped) update.run(value, clientId);
      });
    },
  };
}
