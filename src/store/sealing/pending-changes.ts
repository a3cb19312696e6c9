import type { HistoryStore, PendingChange } from '../store.js';
import type { Place } from './envelope.js';
import type { Sealers } from './sealer.js';

type PendingChanges = Pick<HistoryStore, 'addPending' | 'pending' | 'removePending' | 'prunePending'>;

/** Seals changes that wait for their message. Back ends keep an object with one sealed text. */
export function sealedPendingChanges(changes: PendingChanges, sealers: Sealers): PendingChanges {
  return {
    async addPending(clientId, pending) {
      const sealer = await sealers.of(clientId);
      const sealed = sealer.sealText(placeOf(pending), JSON.stringify(pending.change));
      await changes.addPending(clientId, { ...pending, change: { sealed } });
    },
    async pending(clientId, chatRoomId, targetId) {
      const found = await changes.pending(clientId, chatRoomId, targetId);
      if (found.length === 0) return [];
      const sealer = await sealers.of(clientId);
      return found.map((pending) => ({
        ...pending,
        change: JSON.parse(sealer.openText(placeOf(pending), String(pending.change.sealed))),
      }));
    },
    removePending: (clientId, chatRoomId, targetId) => changes.removePending(clientId, chatRoomId, targetId),
    prunePending: (before) => changes.prunePending(before),
  };
}

function placeOf({ chatRoomId, targetId, messageId }: PendingChange): Place {
  return ['pending-changes', chatRoomId, targetId, messageId];
}
