import { hostname } from 'node:os';
import { join } from 'node:path';
import type { Server } from '@hapi/hapi';
import { Hops } from './cluster/hops.js';
import { type Config, encryptionKeyBytes } from './config/index.js';
import { Dispatcher } from './delivery/dispatch.js';
import { PollLookups } from './delivery/lookup.js';
import { Tail } from './delivery/tail.js';
import { type MonotonicClock, systemClock } from './domain/clock.js';
import { createHttpServer } from './http/server.js';
import { createBaileysLinks } from './link/baileys/index.js';
import type { Logger } from './log.js';
import { joinNodes, type Membership } from './membership.js';
import { Metrics } from './metrics.js';
import { type Network, openNetwork } from './network.js';
import { releaseVersion } from './release.js';
import { createDeliveries } from './services/deliveries.js';
import { countingFailures } from './services/fleet/failure-counts.js';
import { createFleet } from './services/fleet/fleet.js';
import { Gateway } from './services/gateway.js';
import { type RoomChange, tellingOfRooms } from './services/inbox/room-changes.js';
import { Listeners } from './services/listeners.js';
import { Media } from './services/media/media.js';
import type { BackoffOptions } from './services/sessions/backoff.js';
import { openStore } from './store/open.js';
import type { FailedDeliveryStore, Store } from './store/store.js';

/** What a test or an embedding program may replace. */
export interface DaemonOverrides {
  clock?: MonotonicClock;
  log?: Logger;
  backoff?: BackoffOptions;
  /** Milliseconds that each QR code lives. */
  qrLifetimeMs?: number;
  /** Milliseconds between two pings of a link: for networks that bear silence for less long than the real one. */
  pingEveryMs?: number;
  /** Milliseconds that a stop gives to what is in flight. */
  stopGraceMs?: number;
  /** Milliseconds that a receiver has for the look-up of a poll. */
  pollLookupMs?: number;
}

/** Failed deliveries of sessions that still exist: of a deleted one nothing is kept. */
function keepForLiving(
  store: FailedDeliveryStore,
  lives: (clientId: string) => boolean,
): Pick<FailedDeliveryStore, 'add' | 'remove'> {
  return {
    add: async (delivery, keep) => {
      if (lives(delivery.clientId)) await store.add(delivery, keep);
    },
    remove: (id) => store.remove(id),
  };
}

/** Everything that a daemon consists of. */
export interface DaemonParts {
  store: Store;
  network: Network;
  gateway: Gateway;
  membership: Membership;
  dispatcher: Dispatcher;
  lookups: PollLookups;
  media: Media;
  server: Server;
  /** Of this run. */
  run: { isStopping: boolean };
}

/**
 * Puts the parts together; nothing of them works yet. The only place that picks adapters.
 * @param cleanup gets what undoes each step, in their order, for a start that fails
 * @throws ConfigError, GatewayError or a system error
 */
export async function assemble(
  config: Config,
  overrides: DaemonOverrides & { log: Logger },
  cleanup: (() => Promise<unknown>)[],
): Promise<DaemonParts> {
  const run = { isStopping: false };
  const { log, clock = systemClock, backoff, qrLifetimeMs, pingEveryMs, pollLookupMs } = overrides;
  const encryptionKey = encryptionKeyBytes(config.encryptionKey);
  const tail = new Tail(clock.now());
  const opened = await openStore({ url: config.store, dataDir: config.dataDir, encryptionKey });
  cleanup.push(() => opened.close());
  const onRoomChange = (change: RoomChange) => {
    tail.signal({ kind: 'room', at: new Date(clock.now()).toISOString(), ...change });
  };
  const telling = tellingOfRooms(opened, onRoomChange);
  const { store, failures } = await countingFailures(telling);
  const network = await openNetwork(config);
  if (network.sandbox) cleanup.push(network.sandbox.stop);

  const membership = joinNodes({
    store,
    name: config.nodeName,
    url: () => nodeUrl(config, server),
    version: releaseVersion(),
    leaseMs: config.leaseSeconds * 1_000,
    gateway: () => gateway,
    failures,
    metrics: () => metrics,
    clock,
    log: log.child({ area: 'cluster' }),
  });
  cleanup.push(() => membership.leave());
  const { owners, residence, nodes, leases } = membership;
  const metrics: Metrics = new Metrics({
    node: config.nodeName,
    ...(leases && { leases }),
    sessionStatuses: () => gateway.sessions.views().map(({ status }) => status),
    deliveriesInFlight: () => dispatcher.inFlight(),
    deliveriesWaiting: () => dispatcher.waiting(),
  });
  const dispatcher = new Dispatcher({
    failed: keepForLiving(store.failedDeliveries, (clientId) => gateway.sessions.has(clientId)),
    tail,
    serves: residence.holds,
    allowPrivate: config.allowPrivateUrls,
    clock,
    log: log.child({ area: 'delivery' }),
    observe: {
      attempt: (_clientId, { outcome }) => metrics.attempt(outcome),
      dropped: (_clientId, cause) => metrics.dropped(cause),
    },
  });
  cleanup.push(() => dispatcher.stop(0));
  const lookups = new PollLookups({
    allowPrivate: config.allowPrivateUrls,
    clock,
    ...(pollLookupMs && { timeoutMs: pollLookupMs }),
  });
  cleanup.push(() => lookups.destroy());
  const media = new Media({
    spoolDir: join(config.dataDir, 'spool'),
    allowPrivate: config.allowPrivateUrls,
    clock,
    log: log.child({ area: 'media' }),
  });
  cleanup.push(() => media.stop());
  await media.start();
  const links = createBaileysLinks({
    network,
    log: log.child({ area: 'link' }),
    clock,
    ...(qrLifetimeMs && { qrLifetimeMs }),
    ...(pingEveryMs && { pingEveryMs }),
  });
  const recordOf = (clientId: string) => gateway.sessions.find(clientId).record;
  const listening = new Listeners({
    sessions: { has: (clientId) => gateway.sessions.has(clientId), find: recordOf },
    dispatcher,
    clock,
    log: log.child({ area: 'delivery' }),
  });
  const gateway: Gateway = new Gateway({
    store,
    links,
    announcer: {
      announce: (event, receiver, options) =>
        dispatcher.announce(event, listening.inFront(event, receiver), options),
    },
    lookups,
    media,
    observer: metrics,
    apiSecretKey: store.hashKey,
    publicUrl: () => publicUrl(config, server),
    onForgotten: (clientId) => {
      listening.forget(clientId);
      dispatcher.forget(clientId);
    },
    onRoomChange,
    residence,
    clock,
    log: log.child({ area: 'sessions' }),
    ...(backoff && { backoff }),
  });
  cleanup.push(() => gateway.stop());
  const { sessions, sending, chats, inbox, library, groups, people, avatars } = gateway;
  const deliveries = createDeliveries({
    sessions: { find: recordOf },
    listening,
    dispatcher,
    failed: store.failedDeliveries,
    clock,
  });
  const fleet = createFleet({
    sessions,
    figures: (clientId) => dispatcher.figures(clientId),
    failures: (clientId) => failures.of(clientId),
  });
  const server: Server = await createHttpServer({
    host: config.host,
    port: config.port,
    services: {
      sessions,
      sending,
      chats,
      inbox,
      library,
      groups,
      people,
      avatars,
      deliveries,
      listening,
      fleet,
      nodes,
    },
    auth: { token: config.token },
    facts: {
      podName: config.nodeName,
      environment: config.network,
      storage: store.name,
      publicMedia: true,
      proxy: false,
      alerts: false,
      version: releaseVersion(),
      startedAt: clock.now(),
    },
    health: store,
    isStopping: () => run.isStopping,
    owners,
    hops: new Hops(encryptionKey),
    tail,
    metrics,
    log: log.child({ area: 'http' }),
    clock,
  });
  return { store, network, gateway, membership, dispatcher, lookups, media, server, run };
}

/** The setting, or the address that the server got where it asked for any free port. */
function publicUrl(config: Config, server: Server): string {
  return config.port === 0 && config.publicUrl.endsWith(':0') ? server.info.uri : config.publicUrl;
}

/** The setting; else where it listens, by the host's name when that is everywhere. */
function nodeUrl(config: Config, server: Server): string {
  if (config.nodeUrl) return config.nodeUrl.replace(/\/+$/, '');
  const isEverywhere = config.host === '0.0.0.0' || config.host === '::';
  return isEverywhere ? `http://${hostname()}:${server.info.port}` : server.info.uri;
}
