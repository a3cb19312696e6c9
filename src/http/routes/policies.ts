import { policies } from '../../contract/policies.js';
import { DAY_MS } from '../../domain/clock.js';
import { type Route, route } from '../route.js';

export const policyRoutes: readonly Route[] = [
  route(policies.listOutbox, async ({ query: { clientId, limit, after } }, { services }) => {
    const all = await services.heldMessages.list(clientId);
    const start = after === undefined ? 0 : all.findIndex(({ messageId }) => messageId === after) + 1;
    const messages = all.slice(start, start + limit);
    const last = start + limit < all.length ? messages.at(-1) : undefined;
    return { messages, ...(last && { next: last.messageId }) };
  }),
  route(policies.cancelHeldMessage, async ({ payload: { clientId, messageId } }, { services }) => {
    await services.heldMessages.cancel(clientId, messageId);
    return { ok: true, messageId };
  }),
  route(policies.getPolicy, ({ query: { clientId, to } }, { services }) =>
    services.policies.of(clientId, to),
  ),
  route(policies.getPastSends, ({ query: { clientId, days, limit, after } }, { services, now }) => {
    const since = now() - days * DAY_MS;
    const from = after === undefined ? since : Math.max(since, Date.parse(after));
    return services.policies.sends(clientId, from, limit);
  }),
];
