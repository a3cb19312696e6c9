import type { SendStore, SentRecord } from '../store.js';
import type { Sealer, Sealers } from './sealer.js';

/** Seals what own messages say, and the caller's metaData. */
export function sealedSends(sends: SendStore, sealers: Sealers): SendStore {
  return {
    async put(clientId, record) {
      const sealer = await sealers.of(clientId);
      await sends.put(clientId, {
        ...record,
        content: sealer.seal(['sends', 'content', record.messageId], record.content),
        metaData: sealer.sealText(['sends', 'metaData', record.messageId], record.metaData),
      });
    },
    async get(clientId, messageId) {
      const record = await sends.get(clientId, messageId);
      return record && openRecord(await sealers.of(clientId), record);
    },
    acknowledge: (clientId, messageId) => sends.acknowledge(clientId, messageId),
    async open(clientId) {
      const records = await sends.open(clientId);
      if (records.length === 0) return [];
      const sealer = await sealers.of(clientId);
      return records.map((record) => openRecord(sealer, record));
    },
    close: (clientId, messageId) => sends.close(clientId, messageId),
    prune: (sentBefore) => sends.prune(sentBefore),
  };
}

function openRecord(sealer: Sealer, record: SentRecord): SentRecord {
  return {
    ...record,
    content: sealer.open(['sends', 'content', record.messageId], record.content),
    metaData: sealer.openText(['sends', 'metaData', record.messageId], record.metaData),
  };
}
