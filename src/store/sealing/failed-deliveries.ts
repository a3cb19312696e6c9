import type { FailedDelivery, FailedDeliveryStore } from '../store.js';
import type { Sealers } from './sealer.js';

/** Seals the bodies of failed deliveries, and where they should have gone. */
export function sealedFailedDeliveries(
  deliveries: FailedDeliveryStore,
  sealers: Sealers,
): FailedDeliveryStore {
  const opened = async (delivery: FailedDelivery): Promise<FailedDelivery> => {
    const sealer = await sealers.of(delivery.clientId);
    return {
      ...delivery,
      url: sealer.openText(['failed-deliveries', 'url', delivery.id], delivery.url),
      body: sealer.openText(['failed-deliveries', 'body', delivery.id], delivery.body),
    };
  };
  return {
    async add(delivery, keep) {
      const sealer = await sealers.of(delivery.clientId);
      const url = sealer.sealText(['failed-deliveries', 'url', delivery.id], delivery.url);
      const body = sealer.sealText(['failed-deliveries', 'body', delivery.id], delivery.body);
      await deliveries.add({ ...delivery, url, body }, keep);
    },
    async list(filter) {
      return Promise.all((await deliveries.list(filter)).map(opened));
    },
    async get(id) {
      const delivery = await deliveries.get(id);
      return delivery && opened(delivery);
    },
    counts: (clientId) => deliveries.counts(clientId),
    remove: (id) => deliveries.remove(id),
    prune: (failedBefore) => deliveries.prune(failedBefore),
  };
}
