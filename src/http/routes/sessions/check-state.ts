import { route } from '../../route.js';
import { requiredClient } from '../../schemas.js';

export const checkState = route({
  method: 'POST',
  path: '/check-state',
  owner: 'session',
  description: 'Whether a session is connected, on proof of traffic; `state` is its own jid then',
  body: requiredClient,
  handler({ payload }, { services }) {
    const health = services.sessions.health().find(({ clientId }) => clientId === payload.clientId);
    if (!health) return { status: false, state: 'unknown clientId' };
    return health.connected ? { status: true, state: health.jid } : { status: false, state: 'not connected' };
  },
});
