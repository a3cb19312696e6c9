import { route } from '../../route.js';
import { requiredClient } from '../../schemas.js';

export const reconnect = route({
  method: 'POST',
  path: '/reconnect',
  owner: 'session',
  description: 'Connect a paired session anew, now; returns before it is connected',
  body: requiredClient,
  async handler({ payload }, { services }) {
    const { clientId, status } = await services.sessions.reconnect(payload.clientId);
    return { ok: true, clientId, status };
  },
});
