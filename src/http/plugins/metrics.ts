import type { Plugin } from '@hapi/hapi';
import { Histogram, type Registry } from 'prom-client';
import { statusOf } from './log.js';

/** Seconds; a send waits for the network. */
const BUCKETS = [0.005, 0.025, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 40];
/** hapi's own route for what matches nothing: one label for all of it, since paths come from outside. */
const NO_ROUTE = '/{p*}';

/** How long requests take, by route and status. Streams are left out: they last as long as somebody listens. */
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
    server.events.on('response', (request) => {
      const { route, info, method } = request;
      if (route.path === '/events') return;
      const labels = {
        method: method.toUpperCase(),
        route: route.path === NO_ROUTE ? 'none' : route.path,
        status: statusOf(request),
      };
      durations.observe(labels, (Date.now() - info.received) / 1_000);
    });
  },
};
