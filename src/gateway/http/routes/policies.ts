import { policies } from '../../../contract/policies.js';
import { DAY_MS } from '../../../domain/clock.js';
import { type Route, route } from '../route.js';

export const policyRoutes: readonly Route[] = [
  route(policies.listOutbox, async ({ query: { clientId, limit, after } }, { services }) => {
    const found = await services.heldMessages.list(clientId, { after, limit: limit + 1 });
    const messages = found.slice(0, limit);
    const last = found.length > limit ? messages.at(-1) : undefined;
    return { messages, next: last?.messageId };
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
