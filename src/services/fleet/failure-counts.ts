import { KeyedLock } from '../../domain/keyed-lock.js';
import type { FailedDeliveryStore, Store } from '../../store/store.js';

/** How many failed deliveries each session has, counted as they come and go. */
export interface FailureCounts {
  of(clientId: string): number;
  /** Counts those of a session that another node has had. @throws GatewayError store_unavailable */
  recount(clientId: string): Promise<void>;
}

/**
 * A store that knows how many failed deliveries it keeps for each session: after every change those of that session are
 * counted, after a round of cleaning all, so that asking costs nothing.
 */
export async function countingFailures<S extends Pick<Store, 'failedDeliveries' | 'forget'>>(
  store: S,
): Promise<{ store: S; failures: FailureCounts }> {
  const failed = store.failedDeliveries;
  let counts = await failed.counts();
  // of two counts at the same time the older one must not be the last word
  const lock = new KeyedLock();
  const recount = (clientId: string) =>
    lock.run(clientId, async () => {
      const count = (await failed.counts(clientId)).get(clientId) ?? 0;
      if (count > 0) counts.set(clientId, count);
      else counts.delete(clientId);
    });
  const counting: FailedDeliveryStore = {
    ...failed,
    async add(delivery, keep) {
      await failed.add(delivery, keep);
      await quietly(recount(delivery.clientId));
    },
    async remove(id) {
      const clientId = (await failed.get(id))?.clientId;
      await failed.remove(id);
      if (clientId !== undefined) await quietly(recount(clientId));
    },
    async prune(failedBefore) {
      const pruned = await failed.prune(failedBefore);
      counts = await failed.counts();
      return pruned;
    },
  };
  const counted = {
    ...store,
    failedDeliveries: counting,
    async forget(clientId: string) {
      await store.forget(clientId);
      counts.delete(clientId);
    },
  };
  return { store: counted, failures: { of: (clientId) => counts.get(clientId) ?? 0, recount } };
}

/** What was written stays written, whether it could be counted or not: the next change, or the next cleaning, counts. */
function quietly(work: Promise<void>): Promise<void> {
  return work.catch(() => undefined);
}
