import { confinedTo, sessionFilter } from '../../caller.js';
import { type Parts, route } from '../../route.js';
import { countSessions } from '../health/ready.js';
import { networkHealth } from './network-health.js';

export const fleet = route({
  method: 'GET',
  path: '/fleet',
  owner: 'any',
  description: 'Every session that the token can see, and every node, with what an operator looks at',
  async handler(request, parts) {
    const { podName } = parts.facts;
    const { clientId } = sessionFilter(request);
    const sessions = parts.services.fleet.sessions(clientId);
    const node = await describeNode(parts, confinedTo(request));
    return {
      at: new Date(parts.now()).toISOString(),
      nodes: [node],
      sessions: sessions.map((session) => ({ ...session, podName })),
    };
  },
});

/** This node. Who is confined to a session sees counts of that session only, and nothing of the machine. */
async function describeNode({ services, facts, store, now }: Parts, only: string | undefined) {
  const sessions = services.fleet.sessions(only);
  const askedAt = now();
  const reachable = await store.reachable();
  const { rss, heapUsed } = process.memoryUsage();
  return {
    podName: facts.podName,
    version: facts.version,
    startedAt: new Date(facts.startedAt).toISOString(),
    uptimeSeconds: Math.max(0, Math.floor((now() - facts.startedAt) / 1_000)),
    ...(only === undefined && { memory: { rss, heapUsed } }),
    store: { name: facts.storage, reachable, ms: now() - askedAt },
    network: networkHealth(facts.environment, sessions),
    sessions: countSessions(sessions),
    deliveries: {
      waiting: sessions.reduce((sum, { webhook }) => sum + webhook.waiting, 0),
      inFlight: sessions.reduce((sum, { webhook }) => sum + webhook.inFlight, 0),
      failed: sessions.reduce((sum, { webhook }) => sum + webhook.failed, 0),
    },
  };
}
