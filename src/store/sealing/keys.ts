import type { KeyChange } from '../../domain/signal-state.js';
import type { KeyStore } from '../store.js';
import { sealEntry } from './journal.js';
import type { Sealer, Sealers } from './sealer.js';

const CREDENTIALS = ['credentials'];

/** Seals credentials, key values, and the journal entries that are committed with them. */
export function sealedKeys(keys: KeyStore, sealers: Sealers): KeyStore {
  return {
    async credentials(clientId) {
      const sealed = await keys.credentials(clientId);
      return sealed && (await sealers.of(clientId)).open(CREDENTIALS, sealed);
    },
    async get(clientId, type, ids) {
      const found = await keys.get(clientId, type, ids);
      if (found.size === 0) return found;
      const sealer = await sealers.of(clientId);
      for (const [id, sealed] of found) found.set(id, sealer.open(['keys', type, id], sealed));
      return found;
    },
    async commit(clientId, commit) {
      const sealer = await sealers.of(clientId);
      await keys.commit(clientId, {
        ...(commit.credentials && { credentials: sealer.seal(CREDENTIALS, commit.credentials) }),
        ...(commit.keys && { keys: commit.keys.map((change) => sealChange(sealer, change)) }),
        ...(commit.journal && { journal: commit.journal.map((entry) => sealEntry(sealer, entry)) }),
      });
    },
    clear: (clientId) => keys.clear(clientId),
  };
}

function sealChange(sealer: Sealer, { type, id, value }: KeyChange): KeyChange {
  return { type, id, value: value && sealer.seal(['keys', type, id], value) };
}
