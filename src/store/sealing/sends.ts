import type { SendStore } from '../store.js';
import type { Sealers } from './sealer.js';

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
      if (!record) return undefined;
      const sealer = await sealers.of(clientId);
      return {
        ...record,
        content: sealer.open(['sends', 'content', messageId], record.content),
        metaData: sealer.openText(['sends', 'metaData', messageId], record.metaData),
      };
    },
    acknowledge: (clientId, messageId) => sends.acknowledge(clientId, messageId),
    prune: (sentBefore) => sends.prune(sentBefore),
  };
}
