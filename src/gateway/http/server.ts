import Hapi from '@hapi/hapi';
import type { Registry } from 'prom-client';
import type { MonotonicClock } from '../../domain/clock.js';
import { isLoopback } from '../../domain/host.js';
import { LIMITS } from '../../domain/limits.js';
import { NO_TRACING, type Tracing } from '../../domain/tracing.js';
import type { NodeAuth } from '../cluster/node-auth.js';
import type { Owners } from '../cluster/owners.js';
import type { Tail } from '../delivery/tail.js';
import type { Logger } from '../log.js';
import type { Services } from '../services/services.js';
import { boundConnections } from './connections.js';
import { EventStreams } from './events/event-streams.js';
import { PRESENTED_TYPES } from './file-headers.js';
import { Peers } from './peers.js';
import { auth, isToken } from './plugins/auth.js';
import { errors } from './plugins/errors.js';
import { foreignPages } from './plugins/foreign-pages.js';
import { log } from './plugins/log.js';
import { metrics } from './plugins/metrics.js';
import { owner } from './plugins/owner.js';
import { queryText } from './plugins/query-text.js';
import { traces } from './plugins/traces.js';
import { unreadable } from './plugins/unreadable.js';
import { Refusals } from './refusals.js';
import { RequestLimits } from './request-limits.js';
import type { Parts, RuntimeFacts } from './route.js';
import { ROUTES } from './routes/index.js';
import { StoreProbe } from './store-probe.js';
import { TenantThrottle } from './tenant-throttle.js';
import { WrongTokens } from './wrong-tokens.js';

export type { RuntimeFacts } from './route.js';

/** Types that are never compressed: events would wait for the end of the stream, and files would lose their length and ranges. */
const UNCOMPRESSED = ['text/event-stream', ...PRESENTED_TYPES];

/**
 * Milliseconds for which an idle connection stays open: longer than in load balancers, because a request fails when its
 * connection is closed at that moment.
 */
const KEEP_ALIVE_MS = 75_000;

interface HttpOptions {
  host: string;
  /** Port; 0 for any free port. */
  port: number;
  /** Connections that one address may have open; 0 for no limit. */
  connectionsPerAddress?: number;
  /** Addresses of this service, besides `host`; may be empty. */
  urls?: readonly string[];
  services: Services;
  /** The master token. */
  auth: { token: string };
  facts: RuntimeFacts;
  /** The store, whose health is probed. */
  health: { ping(): Promise<void> };
  /** True once the daemon has been asked to stop. */
  isStopping(): boolean;
  /** Whether to fail a request whose answer breaks the contract. */
  checkAnswers?: boolean;
  /** Finds the node that holds a session. */
  owners: Owners;
  /** Proves to other nodes that a request comes from a node. */
  nodeAuth: NodeAuth;
  tail: Tail;
  metrics: { registry: Registry };
  tracing?: Tracing;
  log: Logger;
  clock: MonotonicClock;
}

/** The API, ready to start: `start()` listens, `stop()` ends the live streams and waits for requests in flight. */
export async function createHttpServer(options: HttpOptions): Promise<Hapi.Server> {
  const {
    services,
    owners,
    nodeAuth,
    clock,
    metrics: { registry },
  } = options;
  const server = Hapi.server(serverSettings(options));
  const parts = createParts(options);
  const { token } = options.auth;
  const limits = new RequestLimits();
  const wrongTokens = new WrongTokens(clock, registry);
  await server.register([
    { plugin: errors, options: { log: options.log } },
    { plugin: unreadable },
    { plugin: log, options: { log: options.log } },
    { plugin: metrics, options: { registry } },
    ...(options.tracing?.isOn ? [{ plugin: traces, options: { tracing: options.tracing } }] : []),
    { plugin: foreignPages, options: { isLoopback: isLoopback(options.host), urls: options.urls ?? [] } },
    {
      plugin: auth,
      options: {
        token,
        sessions: services.sessions,
        wrongTokens,
        limits,
        throttle: new TenantThrottle(clock),
        refusals: new Refusals(clock, registry),
      },
    },
    { plugin: queryText },
    { plugin: owner, options: { owners, nodeAuth, clock, registry, limits } },
  ]);
  for (const route of ROUTES) route(server, parts);
  server.listener.keepAliveTimeout = KEEP_ALIVE_MS;
  boundConnections(server.listener, options.connectionsPerAddress ?? 0, registry);
  server.ext('onPreStop', () => parts.eventStreams.stop());
  return server;
}

function createParts(options: HttpOptions): Parts {
  const { services, facts, health, isStopping, owners, nodeAuth, tail, metrics, log, clock } = options;
  const { tracing = NO_TRACING } = options;
  const peers = new Peers(owners, nodeAuth, tracing);
  return {
    services,
    tracing,
    facts,
    now: () => clock.now(),
    store: new StoreProbe(health, clock),
    isStopping,
    isMasterToken: (text) => isToken(text, options.auth.token),
    checkAnswers: options.checkAnswers ?? false,
    registry: metrics.registry,
    eventStreams: new EventStreams({ tail, peers, clock, log, registry: metrics.registry }),
    peers,
  };
}

function serverSettings({ host, port }: HttpOptions): Hapi.ServerOptions {
  return {
    host,
    port,
    // the errors plugin logs unexpected errors; hapi would print them on the console
    debug: false,
    mime: { override: Object.fromEntries(UNCOMPRESSED.map((type) => [type, { type, compressible: false }])) },
    routes: {
      cache: { otherwise: 'no-store' },
      // the validator of bodies refuses `__proto__`, and names its place
      payload: { allow: 'application/json', maxBytes: LIMITS.jsonBodyBytes, protoAction: 'ignore' },
      // hapi answers malformed ranges in its own format; only files need ranges
      response: { ranges: false },
      security: { hsts: false, xframe: 'deny', xss: false, noOpen: false, noSniff: true },
      state: { parse: false, failAction: 'ignore' },
      validate: {
        options: { abortEarly: false, errors: { wrap: { label: false } } },
        // by default hapi answers "Invalid request payload input" without the reason
        failAction(_request, _h, error) {
          throw error ?? new Error('validation failed without an error');
        },
      },
    },
  };
}
