import { adoption } from '../../../contract/adoption.js';
import { type Route, route } from '../route.js';

export const adoptionRoutes: readonly Route[] = [
  route(adoption.adopt, async ({ payload }, { services }) => {
    const { session, leftOut } = await services.adoption.take(payload);
    const { clientId, status, jid } = session;
    return { ok: true, clientId, status, jid, leftOut };
  }),
  route(adoption.exportSession, async ({ payload: { clientId } }, { services }) => ({
    ok: true,
    ...(await services.adoption.export(clientId)),
  })),
  route(adoption.getUnfinished, ({ query: { clientId } }, { services }) =>
    services.adoption.unfinished(clientId),
  ),
  route(adoption.exportKeys, async ({ payload: { clientId, after } }, { services }) => ({
    ok: true,
    ...(await services.adoption.exportKeys(clientId, after)),
  })),
  route(adoption.giveBack, async ({ payload: { clientId, jid } }, { services }) => {
    await services.adoption.giveBack(clientId, jid);
    return { ok: true, clientId };
  }),
];
