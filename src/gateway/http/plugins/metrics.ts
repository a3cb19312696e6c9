import Boom from '@hapi/boom';
import type { Plugin, Request } from '@hapi/hapi';
import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import type { ErrorCode } from '../../../domain/errors.js';
import { cameFromNode } from '../peers.js';
import { ERROR_HEADER } from './errors.js';
import { statusOf } from './log.js';

/** Buckets in seconds, up to 40, because a send waits for the network. */
const BUCKETS = [0.005, 0.025, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 40];
/** Codes of requests that a limit or a rule against misuse refused. */
const REFUSALS: ReadonlySet<unknown> = new Set<ErrorCode>([
  'unauthorized',
  'too_many_attempts',
  'too_many_requests',
  'too_many_streams',
  'streams_full',
  'too_many_uploads',
  'media_busy',
  'cross_site',
  'host_unknown',
]);
/** hapi's route for unknown paths: they share one label, because callers choose the paths. */
export const NO_ROUTE = '/{p*}';
/** The live stream: a request that lasts as long as its client listens. */
export const STREAM = '/events';
/** Credentials by which requests in flight are counted; never a specific secret. */
const CREDENTIALS = ['master', 'secret', 'node', 'none'] as const;

/** Measures requests: their duration by route and status, and how many are in flight; without live streams. */
export const metrics: Plugin<{ registry: Registry }> = {
  name: 'metrics',
  register(server, { registry }) {
    const durations = new Histogram({
      name: 'switchboard_http_request_duration_seconds',
      help: 'Time from the request to its answer',
      labelNames: ['method', 'route', 'status'],
      buckets: BUCKETS,
      registers: [registry],
    });
    const refusals = new Counter({
      name: 'switchboard_http_refused_total',
      help: 'Requests refused by a limit or a rule against misuse, by the code of the error',
      labelNames: ['code'],
      registers: [registry],
    });
    const inFlight = new Set<Request>();
    new Gauge({
      name: 'switchboard_http_requests_in_flight',
      help: 'Requests that are being answered, by the kind of credential that they have shown',
      labelNames: ['credential'],
      registers: [registry],
      collect() {
        for (const credential of CREDENTIALS) this.set({ credential }, 0);
        for (const request of inFlight)
          if (request.route.path !== STREAM) this.inc({ credential: credentialOf(request) });
      },
    });
    server.ext('onRequest', (request, h) => {
      // skip a caller that has gone already, because no event will report the end of the request
      if (request.info.completed === 0) inFlight.add(request);
      return h.continue;
    });
    server.events.on('response', (request) => {
      inFlight.delete(request);
      const code = codeOf(request);
      if (REFUSALS.has(code)) refusals.inc({ code });
      const { route, info, method } = request;
      if (route.path === STREAM) return;
      const labels = {
        method: method.toUpperCase(),
        route: route.path === NO_ROUTE ? 'none' : route.path,
        status: statusOf(request),
      };
      durations.observe(labels, (Date.now() - info.received) / 1_000);
    });
  },
};

/** The credential of a request; `none` before the check, without a token, and for a wrong one. */
function credentialOf(request: Request): (typeof CREDENTIALS)[number] {
  if (cameFromNode(request)) return 'node';
  // known before the credentials, while the request waits for its turn
  if (request.plugins.secret !== undefined) return 'secret';
  return request.auth.isAuthenticated ? 'master' : 'none';
}

/** The stable code of a failure; empty for other answers. */
function codeOf({ response }: Request): string {
  return Boom.isBoom(response) ? '' : String(response.headers[ERROR_HEADER] ?? '');
}
