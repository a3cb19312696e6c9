import Hapi from '@hapi/hapi';
import type { Registry } from 'prom-client';
import type { Hops } from '../cluster/hops.js';
import type { Owners } from '../cluster/owners.js';
import type { Tail } from '../delivery/tail.js';
import type { Clock } from '../domain/clock.js';
import { LIMITS } from '../domain/limits.js';
import type { Logger } from '../log.js';
import type { Services } from '../services/services.js';
import { EventStreams } from './event-streams.js';
import { Peers } from './peers.js';
import { auth } from './plugins/auth.js';
import { errors } from './plugins/errors.js';
import { log } from './plugins/log.js';
import { metrics } from './plugins/metrics.js';
import { owner } from './plugins/owner.js';
import { unreadable } from './plugins/unreadable.js';
import { QrImages } from './qr-images.js';
import type { Parts, RuntimeFacts } from './route.js';
import { ROUTES } from './routes/index.js';
import { PRESENTED_TYPES } from './routes/media/presentation.js';
import { StoreProbe } from './store-probe.js';

export type { RuntimeFacts } from './route.js';

/** Compressed, events would wait for the stream's end, and files would have another length and no parts. */
const UNCOMPRESSED = ['text/event-stream', ...PRESENTED_TYPES];

/**
 * Milliseconds for which a connection stays open without a request: longer than load balancers keep theirs, because one
 * that is closed at the instant of a request makes that fail.
 */
const KEEP_ALIVE_MS = 75_000;

export interface HttpOptions {
  host: string;
  /** 0 takes any free one. */
  port: number;
  services: Services;
  /** The master token. */
  auth: { token: string };
  facts: RuntimeFacts;
  /** The store. */
  health: { ping(): Promise<void> };
  /** The daemon has been asked to stop. */
  isStopping(): boolean;
  /** Which node holds a session. */
  owners: Owners;
  /** Proves to other nodes that a request comes from a node. */
  hops: Hops;
  tail: Tail;
  metrics: { registry: Registry };
  log: Logger;
  clock: Clock;
}

/** The API, ready to start: `start()` listens, `stop()` ends the live streams and waits for answers under way. */
export async function createHttpServer(options: HttpOptions): Promise<Hapi.Server> {
  const {
    services,
    owners,
    hops,
    clock,
    metrics: { registry },
  } = options;
  const server = Hapi.server(serverSettings(options));
  const parts = createParts(options);
  await server.register([
    { plugin: errors, options: { log: options.log } },
    { plugin: unreadable },
    { plugin: log, options: { log: options.log } },
    { plugin: metrics, options: { registry } },
    { plugin: auth, options: { token: options.auth.token, sessions: services.sessions } },
    { plugin: owner, options: { owners, hops, clock, registry } },
  ]);
  for (const route of ROUTES) route(server, parts);
  server.listener.keepAliveTimeout = KEEP_ALIVE_MS;
  server.ext('onPreStop', () => parts.eventStreams.stop());
  return server;
}

function createParts(options: HttpOptions): Parts {
  const { services, facts, health, isStopping, owners, hops, tail, metrics, log, clock } = options;
  const peers = new Peers(owners, hops);
  return {
    services,
    facts,
    now: () => clock.now(),
    store: new StoreProbe(health, clock),
    isStopping,
    registry: metrics.registry,
    qrImages: new QrImages(),
    eventStreams: new EventStreams({ tail, peers, clock, log }),
    peers,
  };
}

function serverSettings({ host, port }: HttpOptions): Hapi.ServerOptions {
  return {
    host,
    port,
    // hapi would print unexpected errors on the console; the errors plugin logs them
    debug: false,
    mime: { override: Object.fromEntries(UNCOMPRESSED.map((type) => [type, { type, compressible: false }])) },
    routes: {
      cache: { otherwise: 'no-store' },
      payload: { allow: 'application/json', maxBytes: LIMITS.jsonBodyBytes },
      // hapi answers a range that it does not understand in a form of its own; only files need ranges
      response: { ranges: false },
      security: { hsts: false, xframe: 'deny', xss: false, noOpen: false, noSniff: true },
      state: { parse: false, failAction: 'ignore' },
      validate: {
        options: { abortEarly: false, errors: { wrap: { label: false } } },
        // without this hapi answers "Invalid request payload input" and keeps the reason for itself
        failAction(_request, _h, error) {
          throw error ?? new Error('validation failed without an error');
        },
      },
    },
  };
}
