import type { HistoryStore, PendingChange } from '../store.js';
import type { Place } from './envelope.js';
import type { Sealer, Sealers } from './sealer.js';

type PendingChanges = Pick<
  HistoryStore,
  'addPending' | 'pending' | 'pendingTargets' | 'removePending' | 'prunePending'
>;

/** Seals changes that wait for their message. Back ends keep an object with one sealed text. */
export function sealedPendingChanges(changes: PendingChanges, sealers: Sealers): PendingChanges {
  return {
    async addPending(clientId, pending) {
      await changes.addPending(clientId, sealPending(await sealers.of(clientId), pending));
    },
    async pending(clientId, chatRoomId, targetId) {
      const found = await changes.pending(clientId, chatRoomId, targetId);
      if (found.length === 0) return [];
      const sealer = await sealers.of(clientId);
      return found.map((pending) => openPending(sealer, pending));
    },
    pendingTargets: (clientId, chatRoomId) => changes.pendingTargets(clientId, chatRoomId),
    removePending: (clientId, chatRoomId, targetId) => changes.removePending(clientId, chatRoomId, targetId),
    prunePending: (before) => changes.prunePending(before),
  };
}

export function sealPending(sealer: Sealer, pending: PendingChange): PendingChange {
  const sealed = sealer.sealText(placeOf(pending), JSON.stringify(pending.change));
  return { ...pending, change: { sealed } };
}

export function openPending(sealer: Sealer, pending: PendingChange): PendingChange {
  const change = sealer.openText(placeOf(pending), String(pending.change.sealed));
  return { ...pending, change: JSON.parse(change) };
}

function placeOf({ chatRoomId, targetId, messageId }: PendingChange): Place {
  return ['pending-changes', chatRoomId, targetId, messageId];
}
