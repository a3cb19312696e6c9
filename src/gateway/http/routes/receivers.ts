import { receivers } from '../../../contract/receivers.js';
import { confinedTo } from '../caller.js';
import { type Route, route } from '../route.js';

export const receiverRoutes: readonly Route[] = [
  route(receivers.listReceivers, async ({ query: { clientId } }, { services }) => ({
    receivers: await services.receivers.list(clientId),
  })),
  route(receivers.addReceiver, async (request, { services }) => {
    const { clientId, ...settings } = request.payload;
    const receiver = await services.receivers.add(clientId, settings, callerOf(request));
    return { ok: true, clientId, receiver };
  }),
  route(receivers.updateReceiver, async (request, { services }) => {
    const { clientId, id, ...changes } = request.payload;
    const receiver = await services.receivers.change(clientId, id, changes, callerOf(request));
    return { ok: true, clientId, receiver };
  }),
  route(receivers.removeReceiver, async ({ payload: { clientId, id } }, { services }) => ({
    ...{ ok: true, clientId, id },
    ...(await services.receivers.remove(clientId, id)),
  })),
];

function callerOf(request: Parameters<typeof confinedTo>[0]): 'operator' | 'tenant' {
  return confinedTo(request) ? 'tenant' : 'operator';
}
