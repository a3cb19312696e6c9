import type { Backend, LeaseStore, Store } from '../store.js';
import { openDataKeys, ownKey } from './data-keys.js';
import { sealedFailedDeliveries } from './failed-deliveries.js';
import { sealedFiles } from './files.js';
import { sealedHistory } from './history.js';
import { sealedIdempotency } from './idempotency.js';
import { sealedJournal } from './journal.js';
import { sealedKeys } from './keys.js';
import { sealedPictures } from './pictures.js';
import { rememberedSealers, type Sealers } from './sealer.js';
import { sealedSends } from './sends.js';
import { sealedSessions } from './sessions.js';
import { sealedTraces } from './traces.js';

/** Milliseconds for which a session's data key is remembered where other nodes may delete the session. */
const BELIEVED_MS = 5_000;

/** A store whose secrets are sealed. */
export interface SealedStore extends Store {
  /** Keys the hashes of what is never opened again: 32 bytes that a change of the encryption key leaves as they are. */
  readonly hashKey: Uint8Array;
}

/**
 * Puts encryption in front of a back end: secrets are sealed on the way in and opened on the way out, each under the
 * data key of its session. What has to be searched stays as it is: ids, addresses, names of
 * people, times.
 *
 * @param encryptionKey 32 bytes; wraps the data keys
 * @throws GatewayError `encryption_key_wrong` when the store was begun with another key; nothing is changed
 */
export async function sealStore(backend: Backend, encryptionKey: Uint8Array): Promise<SealedStore> {
  const dataKeys = await openDataKeys(backend.dataKeys, encryptionKey);
  const sealers = rememberedSealers(dataKeys, backend.cluster ? BELIEVED_MS : Number.POSITIVE_INFINITY);
  return {
    name: backend.name,
    cluster: backend.cluster && { ...backend.cluster, leases: forgetful(backend.cluster.leases, sealers) },
    hashKey: await ownKey(dataKeys, 'hashes'),
    contacts: backend.contacts,
    sessions: sealedSessions(backend.sessions, sealers),
    keys: sealedKeys(backend.keys, sealers),
    journal: sealedJournal(backend.journal, sealers),
    sends: sealedSends(backend.sends, sealers),
    traces: sealedTraces(backend.traces, sealers),
    history: sealedHistory(backend.history, sealers),
    files: sealedFiles(backend.files, sealers),
    // nothing but ids and a time
    expectedFiles: backend.expectedFiles,
    pictures: sealedPictures(backend.pictures, sealers),
    idempotency: sealedIdempotency(backend.idempotency, sealers),
    failedDeliveries: sealedFailedDeliveries(backend.failedDeliveries, sealers),
    ping: () => backend.ping(),
    async forget(clientId) {
      await backend.forget(clientId);
      sealers.drop(clientId);
    },
    close: () => backend.close(),
  };
}

/** Who takes a session reads its data key anew: another node may have deleted it and made a new one of that name. */
function forgetful(leases: LeaseStore, sealers: Pick<Sealers, 'drop'>): LeaseStore {
  return {
    ...leases,
    async claim(clientId, nodeId, lastsMs) {
      const epoch = await leases.claim(clientId, nodeId, lastsMs);
      if (epoch !== undefined) sealers.drop(clientId);
      return epoch;
    },
  };
}
