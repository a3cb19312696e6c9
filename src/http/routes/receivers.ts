import { receivers } from '../../contract/receivers.js';
import { type Route, route } from '../route.js';

export const receiverRoutes: readonly Route[] = [
  route(receivers.listReceivers, async ({ query: { clientId } }, { services }) => ({
    receivers: await services.receivers.list(clientId),
  })),
  route(receivers.addReceiver, async ({ payload: { clientId, ...settings } }, { services }) => ({
    ...{ ok: true, clientId },
    receiver: await services.receivers.add(clientId, settings),
  })),
  route(receivers.updateReceiver, async ({ payload: { clientId, id, ...changes } }, { services }) => ({
    ...{ ok: true, clientId },
    receiver: await services.receivers.change(clientId, id, changes),
  })),
  route(receivers.removeReceiver, async ({ payload: { clientId, id } }, { services }) => ({
    ...{ ok: true, clientId, id },
    ...(await services.receivers.remove(clientId, id)),
  })),
];
