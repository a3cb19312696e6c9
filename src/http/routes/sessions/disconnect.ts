import { route } from '../../route.js';
import { requiredClient } from '../../schemas.js';

export const disconnect = route({
  method: 'POST',
  path: '/disconnect',
  owner: 'session',
  description: 'Log the device out and delete everything of the session',
  body: requiredClient,
  async handler({ payload: { clientId } }, { services }) {
    const { warning } = await services.sessions.disconnect(clientId);
    return { ok: true, clientId, ...(warning && { warning }) };
  },
});
