import { sessionFilter } from '../../caller.js';
import { route } from '../../route.js';

export const clients = route({
  method: 'GET',
  path: '/clients',
  owner: 'any',
  description: 'Every session that the token can see',
  async handler(request, { services, facts: { podName } }) {
    const { clientId: only } = sessionFilter(request);
    const views = await services.sessions.list(only);
    return {
      clients: views.map(({ clientId, jid, orgId, webhookUrl, status }) => {
        const row = { clientId, jid, podName, orgId, webhookUrl, status };
        const listener = services.listening.view(clientId);
        // somebody takes the events in place of the webhook: who wonders where they go is told
        return listener
          ? { ...row, listener: { url: listener.webhookUrl, expiresAt: listener.expiresAt } }
          : row;
      }),
    };
  },
});
