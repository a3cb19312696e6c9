import Joi from 'joi';
import { isTerminal } from '../../../domain/session.js';
import type { SessionHealth } from '../../../services/services.js';
import { route } from '../../route.js';

/** Probes add what they like to their URLs. */
export const probeQuery = Joi.object<object>().unknown();

export const ready = route({
  method: 'GET',
  path: '/health/ready',
  owner: 'none',
  open: true,
  description: 'This node can work: 503 while the store is unreachable, and once it has begun to stop',
  query: probeQuery,
  async handler(_request, { services, facts, store, isStopping }, h) {
    const database = await store.reachable();
    const isReady = database && !isStopping();
    const body = {
      status: isReady ? 'ok' : isStopping() ? 'stopping' : 'unavailable',
      podName: facts.podName,
      database,
      // files are kept where the rows are
      storage: database,
      proxy: facts.proxy,
      alerts: facts.alerts,
      sessions: countSessions(services.sessions.health()),
    };
    return h.response(body).code(isReady ? 200 : 503);
  },
});

/** Sessions by what they are able to do. */
export function countSessions(sessions: readonly Pick<SessionHealth, 'connected' | 'status'>[]) {
  const connected = sessions.filter((session) => session.connected).length;
  const terminal = sessions.filter(({ status }) => isTerminal(status)).length;
  return { total: sessions.length, connected, down: sessions.length - connected - terminal, terminal };
}
