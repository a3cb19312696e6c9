import type { Server } from '@hapi/hapi';
import { health } from '../../../contract/health.js';
import { isTerminal } from '../../../domain/session.js';
import { countSessions, shownWaVersion } from '../fleet-report.js';
import { type Route, route, shownPath } from '../route.js';

export const healthRoutes: readonly Route[] = [
  route(health.getLive, (_request, { facts, now }) => ({
    status: 'ok',
    podName: facts.podName,
    uptime: duration(now() - facts.startedAt),
  })),
  route(health.getReady, async (_request, { services, facts, store, isStopping }, h) => {
    const database = await store.reachable();
    const sessions = services.sessions.states();
    const isReady = database && !isStopping();
    const body = {
      status: isReady ? 'ok' : isStopping() ? 'stopping' : 'unavailable',
      podName: facts.podName,
      database,
      // the store keeps the files too
      storage: database,
      proxy: sessions.some(({ hasProxy }) => hasProxy),
      alerts: facts.alerts,
      sessions: countSessions(sessions),
    };
    return h.response(body).code(isReady ? 200 : 503);
  }),
  route(health.getClientsHealth, (_request, { services, facts }) => {
    const clients = services.sessions.health();
    const failedCount = clients.filter(({ status }) => isTerminal(status)).length;
    return { podName: facts.podName, failedCount, waVersion: shownWaVersion(services), clients };
  }),
  route(health.getConfig, ({ server }, { services, facts }) => {
    const { startedAt, ...shown } = facts;
    const sessions = services.sessions.states();
    const proxy = sessions.some(({ hasProxy }) => hasProxy);
    const rejectCalls = sessions.some((session) => session.rejectCalls);
    return { ...shown, proxy, rejectCalls, routes: routeNames(server) };
  }),
  route(health.getMetrics, async (_request, { registry }, h) =>
    h.response(await registry.metrics()).header('content-type', registry.contentType),
  ),
];

function routeNames(server: Server): string[] {
  return server.table().map((route) => `${route.method.toUpperCase()} ${shownPath(route)}`);
}

/** Milliseconds as `1h2m3s`, without leading units that are zero. */
function duration(ms: number): string {
  const total = Math.max(0, Math.floor(ms / 1_000));
  const [hours, minutes, seconds] = [Math.floor(total / 3_600), Math.floor(total / 60) % 60, total % 60];
  if (hours > 0) return `${hours}h${minutes}m${seconds}s`;
  return minutes > 0 ? `${minutes}m${seconds}s` : `${seconds}s`;
}
