import type { IdempotencyStore } from '../store.js';
import type { Sealers } from './sealer.js';

/** Seals the answers that are repeated under an idempotency key. */
export function sealedIdempotency(idempotency: IdempotencyStore, sealers: Sealers): IdempotencyStore {
  const place = (key: string) => ['idempotency', 'answer', key];
  return {
    async claim(clientId, record) {
      const sealer = await sealers.of(clientId);
      const answer = sealer.sealText(place(record.key), record.answer);
      const kept = await idempotency.claim(clientId, { ...record, answer });
      return { ...kept, answer: sealer.openText(place(kept.key), kept.answer) };
    },
    async answer(clientId, key, answer) {
      const sealer = await sealers.of(clientId);
      await idempotency.answer(clientId, key, sealer.sealText(place(key), answer));
    },
    prune: (createdBefore) => idempotency.prune(createdBefore),
  };
}
