import type { FleetReceiver, PolicyFigures, SessionHealth, SessionReport } from '../../../contract/index.js';
import { KeyedLock } from '../../../domain/keyed-lock.js';
import { originOf } from '../../../domain/text.js';
import type { DeliveryFigures } from '../../delivery/figures.js';
import type { FailedDeliveryStore, Store } from '../../store/store.js';
import type { SessionView } from '../sessions/directory.js';

interface FleetOptions {
  sessions: { views(): SessionView[]; health(only?: string): SessionHealth[] };
  /** Deliveries of a session in this run. */
  figures(clientId: string): DeliveryFigures;
  /** The receivers of a session beside its webhook. */
  receivers(clientId: string): FleetReceiver[];
  /** Number of failed deliveries of a session. */
  failures(clientId: string): number;
  /** Undefined for a session without a policy. */
  policy(record: { clientId: string; orgId: string }): PolicyFigures | undefined;
  /** Messages of a session that wait until its policy allows them. */
  held(clientId: string): number;
}

/** All sessions of this node with the figures that operators look at. */
export function createFleet({ sessions, figures, receivers, failures, policy, held }: FleetOptions) {
  function show(
    { receivers: brief, ...health }: SessionHealth,
    view: SessionView | undefined,
  ): SessionReport {
    const { clientId } = health;
    const policyOf = policy({ clientId, orgId: view?.orgId ?? '' });
    return {
      ...health,
      orgId: view?.orgId ?? '',
      proxy: view?.proxy,
      policy: policyOf,
      held: held(clientId) > 0 ? held(clientId) : undefined,
      receivers: brief && receivers(clientId),
      webhook: {
        origin: originOf(view?.webhookUrl ?? ''),
        ...figures(clientId),
        failed: failures(clientId),
      },
    };
  }

  return {
    /** The sessions sorted by clientId, or only the named one. */
    sessions(only?: string): SessionReport[] {
      const views = new Map(sessions.views().map((view) => [view.clientId, view]));
      return sessions
        .health(only)
        .map((health) => show(health, views.get(health.clientId)))
        .sort((a, b) => (a.clientId < b.clientId ? -1 : 1));
    },
  };
}

/** Number of failed deliveries of each session. */
export interface FailureCounts {
  of(clientId: string): number;
  /** Counts again, for a session that comes from another node. @throws GatewayError store_unavailable */
  recount(clientId: string): Promise<void>;
}

/**
 * Wraps the store so that the number of failed deliveries of each session is always known: every change counts those of its
 * session again, and every pruning those of all sessions.
 */
export async function countingFailures<S extends Pick<Store, 'failedDeliveries' | 'forget'>>(
  store: S,
): Promise<{ store: S; failures: FailureCounts }> {
  const failed = store.failedDeliveries;
  let counts = await failed.counts();
  // one count at a time, so that an older result cannot overwrite a newer one
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
    async removeOf(clientId, receiver) {
      await failed.removeOf(clientId, receiver);
      await quietly(recount(clientId));
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

/** A failed count must not fail the write: the next change or pruning counts again. */
function quietly(work: Promise<void>): Promise<void> {
  return work.catch(() => undefined);
}
