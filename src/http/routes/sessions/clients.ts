import type { Services, SessionView } from '../../../services/services.js';
import { sessionFilter } from '../../caller.js';
import { route } from '../../route.js';

export const clients = route({
  method: 'GET',
  path: '/clients',
  owner: 'any',
  description: 'Every session that the token can see',
  async handler(request, { services, facts }) {
    const { clientId: only } = sessionFilter(request);
    const views = await services.sessions.list(only);
    const podNameOf = await holders(services, views, facts.podName, only);
    return {
      clients: views.map(({ clientId, jid, orgId, webhookUrl, status }) => {
        const row = { clientId, jid, podName: podNameOf(clientId), orgId, webhookUrl, status };
        const listener = services.listening.view(clientId);
        // somebody takes the events in place of the webhook: who wonders where they go is told
        return listener
          ? { ...row, listener: { url: listener.webhookUrl, expiresAt: listener.expiresAt } }
          : row;
      }),
    };
  },
});

/** Names the node that holds a session; empty when none does. Others are only asked for where this one has not all. */
async function holders(
  { sessions, nodes }: Services,
  views: readonly SessionView[],
  podName: string,
  only: string | undefined,
): Promise<(clientId: string) => string> {
  const isElsewhere = views.some(({ clientId }) => !sessions.has(clientId));
  const leases = isElsewhere ? await nodes.leases(only) : [];
  const names = new Map(leases.map((lease) => [lease.clientId, lease.podName]));
  return (clientId) => (sessions.has(clientId) ? podName : (names.get(clientId) ?? ''));
}
