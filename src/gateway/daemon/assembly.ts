import { join } from 'node:path';
import type { Server } from '@hapi/hapi';
import { type MonotonicClock, systemClock } from '../../domain/clock.js';
import type { RetryPolicy } from '../../domain/retry.js';
import type { Tracing } from '../../domain/tracing.js';
import { NodeAuth } from '../cluster/node-auth.js';
import { loadPolicies } from '../config/policy-file.js';
import type { Config } from '../config/schema.js';
import { encryptionKeyBytes } from '../config/secrets.js';
import { Dispatcher, type DispatcherOptions } from '../delivery/dispatch.js';
import type { DurableLimits } from '../delivery/durable-queue.js';
import { PollLookups } from '../delivery/poll-lookup.js';
import { Tail } from '../delivery/tail.js';
import { createHttpServer } from '../http/server.js';
import { createLazyLinks, dispatcherOver } from '../link/baileys/lazy.js';
import type { LinkFactory } from '../link/link.js';
import { LIBRARY_VERSION } from '../link/wa-versions.js';
import type { Logger } from '../log.js';
import { Media } from '../services/files/media.js';
import { Gateway } from '../services/gateway.js';
import type { HistoryWaits } from '../services/history/history-requests.js';
import { notifyingRooms, type RoomChange } from '../services/history/room-changes.js';
import type { Lifecycle } from '../services/lifecycle.js';
import { createBackups } from '../services/operations/backups.js';
import { countingFailures, createFleet } from '../services/operations/fleet.js';
import { createMessageTraces } from '../services/operations/message-traces.js';
import { createDeliveries } from '../services/receivers/deliveries.js';
import { Listeners } from '../services/receivers/listeners.js';
import { ReceiverLists } from '../services/receivers/receiver-lists.js';
import { SessionReceivers } from '../services/receivers/receivers.js';
import { createReplays } from '../services/receivers/replays.js';
import type { UnreadableWaits } from '../services/receiving/unreadable.js';
import type { Services } from '../services/services.js';
import { ApiSecretHasher } from '../services/sessions/api-secret.js';
import { MemoryPairLinks } from '../services/sessions/pair-links.js';
import { SessionRegistry } from '../services/sessions/registry.js';
import { SessionParts } from '../services/sessions/session-parts.js';
import { MessageSpans } from '../services/spans.js';
import { openBackup, openStore } from '../store/open.js';
import type { SealedStore } from '../store/sealing/sealed-store.js';
import type { FailedDeliveryStore, Store } from '../store/store.js';
import { ClientVersions } from './client-versions.js';
import { joinNodes, type Membership } from './membership.js';
import { Metrics } from './metrics.js';
import { type Network, openNetwork, versionPage } from './network.js';
import { OwnAddress } from './own-address.js';
import { releaseVersion } from './release.js';
import { openTracing } from './tracing.js';

/** Parts that a test or an embedding program may replace. */
export interface DaemonOverrides {
  clock?: MonotonicClock;
  log?: Logger;
  backoff?: RetryPolicy;
  returns?: RetryPolicy;
  durable?: Partial<DurableLimits>;
  /** Settings of the broker process. */
  brokers?: DispatcherOptions['brokers'];
  /** Bytes of the kept events of one session. */
  keptEventBytes?: number;
  /** Opens the links of sessions, in place of those to the network. */
  links?: LinkFactory;
  /** Finds the sessions of this node, in place of the cluster of the store. */
  membership?: Membership;
  /** Wraps the store. */
  aroundStore?: (store: SealedStore) => SealedStore;
  unreadableWaits?: UnreadableWaits;
  historyWaits?: HistoryWaits;
  /** Milliseconds that each QR code lives. */
  qrLifetimeMs?: number;
  /** Milliseconds between two pings of a link, for networks with shorter timeouts than the real one. */
  pingEveryMs?: number;
  /** Milliseconds for work in flight at a stop. */
  stopGraceMs?: number;
  /** Milliseconds for a poll look-up. */
  pollLookupMs?: number;
}

/** Stores failed deliveries of existing sessions and receivers only. */
function keepForLiving(
  store: FailedDeliveryStore,
  lists: ReceiverLists,
): Pick<FailedDeliveryStore, 'add' | 'remove'> {
  return {
    add: async (delivery, keep) => {
      if (lists.lives(delivery)) await store.add(delivery, keep);
    },
    remove: (id) => store.remove(id),
  };
}

/** The services of a daemon, and the parts behind them. */
export interface ServiceParts {
  services: Services;
  store: Store;
  network: Network;
  sessions: SessionRegistry;
  lifecycle: Lifecycle;
  membership: Membership;
  dispatcher: Dispatcher;
  lookups: PollLookups;
  media: Media;
  tail: Tail;
  address: OwnAddress;
  metrics: Metrics;
  nodeAuth: NodeAuth;
  tracing: Tracing;
  clock: MonotonicClock;
  /** Exports the last spans. */
  stopTracing(): Promise<void>;
}

/** The parts of a daemon. */
export interface DaemonParts extends ServiceParts {
  server: Server;
  run: { isStopping: boolean };
}

/**
 * Creates the services without starting them. The only file that chooses adapters.
 * @param cleanup collects functions that undo each step, in order, for a failed start
 * @throws ConfigError, GatewayError or a system error
 */
export async function assembleServices(
  config: Config,
  overrides: DaemonOverrides & { log: Logger },
  cleanup: (() => Promise<unknown>)[],
): Promise<ServiceParts> {
  const { log, backoff, returns, qrLifetimeMs, pingEveryMs, pollLookupMs } = overrides;
  const { allowPrivateUrls } = config;
  const sessionLog = log.child({ area: 'sessions' });
  const deliveryLog = log.child({ area: 'delivery' });
  const machineClock = overrides.clock ?? systemClock;
  const encryptionKey = encryptionKeyBytes(config.encryptionKey);
  const policies = await loadPolicies(config.policy);
  const { aroundStore = (store) => store } = overrides;
  const storeLog = log.child({ area: 'store' });
  const location = { url: config.store, dataDir: config.dataDir, encryptionKey };
  const opened = aroundStore(await openStore({ ...location, log: storeLog }));
  cleanup.push(() => opened.close());
  const network = await openNetwork(config);
  if (network.sandbox) cleanup.push(network.sandbox.stop);
  // with an embedded sandbox, moving its clock also moves that of the gateway; nothing else can move it
  const clock = overrides.clock ?? network.sandbox?.clock ?? systemClock;
  const tail = new Tail(clock.now());
  const onRoomChange = (change: RoomChange) => {
    tail.signal({ kind: 'room', at: new Date(clock.now()).toISOString(), ...change });
  };
  const telling = notifyingRooms(opened, onRoomChange);
  const { store, failures } = await countingFailures(telling);
  const { tracing, stop: stopTracing } = await openTracing(
    config,
    machineClock,
    log.child({ area: 'traces' }),
  );
  cleanup.push(stopTracing);
  const spans = new MessageSpans(tracing, store.sends);

  const parts = new SessionParts();
  const address = new OwnAddress(config);
  const metrics = new Metrics(config.nodeName);

  // the clock of the machine, because nodes compare their times and virtual clocks do not move together
  const nodeAuth = new NodeAuth(encryptionKey, machineClock);
  const membership =
    overrides.membership ??
    joinNodes({
      ...{ store, nodeAuth, address, failures, clock, observer: metrics },
      name: config.nodeName,
      version: releaseVersion(),
      leaseMs: config.leaseSeconds * 1_000,
      log: log.child({ area: 'cluster' }),
    });
  cleanup.push(() => membership.leave());
  const { ownership, nodes, leases } = membership;

  // sessions and their links
  const linkLog = log.child({ area: 'link' });
  const versions = new ClientVersions({
    ...{ setting: config.waVersion, library: LIBRARY_VERSION, page: versionPage(network), dispatcherOver },
    ...{ store: store.versions, clock, log: linkLog },
  });
  await versions.load();
  const links =
    overrides.links ??
    createLazyLinks({
      ...{ network, clock, log: linkLog },
      ...(qrLifetimeMs && { qrLifetimeMs }),
      ...(pingEveryMs && { pingEveryMs }),
    });
  const sessions = new SessionRegistry({
    ...{ store, links, parts, ownership, versions, allowPrivateUrls, clock, log: sessionLog },
    hasher: new ApiSecretHasher(store.hashKey),
    ...(backoff && { backoff }),
    ...(returns && { returns }),
  });
  const records = {
    has: (clientId: string) => sessions.has(clientId),
    find: (clientId: string) => sessions.find(clientId).record,
  };

  // deliveries to the receivers of the sessions
  const lists = new ReceiverLists(sessions);
  const dispatcher = new Dispatcher({
    ...{ receivers: lists, tail, clock, signingClock: machineClock, log: deliveryLog },
    failed: keepForLiving(store.failedDeliveries, lists),
    waiting: store.waitingDeliveries,
    brokers: { ...overrides.brokers, marks: join(config.dataDir, 'connected-brokers.json') },
    durable: { bytes: config.durableMb * 1024 * 1024, ...overrides.durable },
    serves: ownership.holds,
    allowPrivate: allowPrivateUrls,
    traces: { tracing, find: (clientId, messageId) => spans.find(clientId, messageId) },
    observe: {
      attempt: (_clientId, { outcome }) => metrics.attempt(outcome),
      dropped: (_clientId, cause) => metrics.dropped(cause),
    },
  });
  cleanup.push(() => dispatcher.stop(0));
  const listening = new Listeners({
    sessions: records,
    dispatcher,
    allowPrivateUrls,
    clock,
    log: deliveryLog,
  });
  const receivers = new SessionReceivers({
    ...{ sessions, lists, deliveries: dispatcher, failed: store.failedDeliveries, allowPrivateUrls, clock },
    allowTenantBrokers: config.allowTenantBrokers,
    log: deliveryLog,
  });
  const lookups = new PollLookups({
    ...{ allowPrivate: allowPrivateUrls, tracing, clock },
    ...(pollLookupMs && { timeoutMs: pollLookupMs }),
  });
  cleanup.push(() => lookups.destroy());
  const media = new Media({
    ...{ spoolDir: join(config.dataDir, 'spool'), allowPrivate: allowPrivateUrls, clock },
    log: log.child({ area: 'media' }),
    uninspected: () => metrics.fileUninspected(),
  });
  cleanup.push(() => media.stop());
  await media.start();

  // what sessions do
  const gateway = new Gateway({
    ...{ store, links, sessions, parts, lookups, tracing, spans, media, address, onRoomChange, clock },
    announcer: {
      announce: (event, receiver, options) =>
        dispatcher.announce(event, listening.inFront(event, receiver), options),
      deliver: (...delivery) => dispatcher.deliver(...delivery),
    },
    durable: dispatcher.durable,
    observer: metrics,
    hashKey: store.hashKey,
    allowPrivateUrls,
    linkPreviews: config.linkPreviews,
    retentionDays: config.retentionDays,
    keptEventBytes: overrides.keptEventBytes,
    ...(policies && { policies }),
    heldSends: config.heldSends,
    log: sessionLog,
    historyWaits: overrides.historyWaits,
    ...(overrides.unreadableWaits && { unreadableWaits: overrides.unreadableWaits }),
  });
  cleanup.push(() => gateway.lifecycle.stop());
  const { sends, messages, chats, inbox, history, library, groups, people, profile, avatars, restrictions } =
    gateway;
  const { held } = sends;
  const createdAt = (clientId: string) => records.find(clientId).createdAt;
  const pairLinks = new MemoryPairLinks({ sessions, createdAt, address, clock, log: sessionLog });
  // only `forget`: their `end` and `stop` are not about a session that leaves
  for (const part of [listening, pairLinks, dispatcher])
    parts.add({ forget: (clientId) => part.forget(clientId) });
  metrics.watch({ sessions, restrictions, deliveries: dispatcher, receivers, held, media, leases });

  // what callers see
  const traceOf = (clientId: string, messageId: string) => spans.find(clientId, messageId);
  const services: Services = {
    ...{ sessions, pairLinks, sending: sends, heldMessages: held, messages, chats, inbox, history },
    library,
    ...{ groups, people, profile, avatars, restrictions, receivers, listening, nodes, versions },
    adoption: gateway.adoption,
    channels: gateway.channels,
    statuses: gateway.statuses,
    presence: gateway.presence,
    policies: gateway.policies.reports,
    deliveries: createDeliveries({
      ...{ sessions: records, listening, dispatcher, failed: store.failedDeliveries, clock },
    }),
    replays: createReplays({
      ...{ sessions: records, listening, dispatcher, kept: store.keptEvents, keeper: gateway.keptEvents },
      ...{ clock, log: deliveryLog },
    }),
    traces: createMessageTraces({ sessions: records, store, tail, traceOf }),
    fleet: createFleet({
      sessions,
      figures: (clientId) => dispatcher.figures(clientId),
      receivers: (clientId) => receivers.report(clientId),
      failures: (clientId) => failures.of(clientId),
      policy: (record) => gateway.policies.reports.figures(record),
      held: (clientId) => held.count(clientId),
    }),
    backups: createBackups({
      open: () => openBackup(location),
      release: releaseVersion(),
      clock: machineClock,
      log: log.child({ area: 'backup' }),
    }),
  };
  const { lifecycle } = gateway;
  return {
    ...{ services, store, network, sessions, lifecycle, membership, dispatcher, lookups, media, tail },
    ...{ address, metrics, nodeAuth, tracing, clock, stopTracing },
  };
}

/**
 * Creates the parts of a daemon without starting them.
 * @param cleanup as for `assembleServices`
 * @throws ConfigError, GatewayError or a system error
 */
export async function assemble(
  config: Config,
  overrides: DaemonOverrides & { log: Logger },
  cleanup: (() => Promise<unknown>)[],
): Promise<DaemonParts> {
  const run = { isStopping: false };
  const parts = await assembleServices(config, overrides, cleanup);
  const { services, store, membership, nodeAuth, tail, metrics, tracing, clock } = parts;
  const server = await createHttpServer({
    host: config.host,
    port: config.port,
    connectionsPerAddress: config.connectionsPerAddress,
    urls: [config.publicUrl, config.nodeUrl],
    services,
    auth: { token: config.token },
    facts: {
      podName: config.nodeName,
      environment: config.network,
      storage: store.name,
      publicMedia: true,
      alerts: false,
      version: releaseVersion(),
      startedAt: clock.now(),
    },
    health: store,
    isStopping: () => run.isStopping,
    checkAnswers: config.checkAnswers,
    owners: membership.owners,
    nodeAuth,
    tail,
    metrics,
    tracing,
    log: overrides.log.child({ area: 'http' }),
    clock,
  });
  parts.address.listensOn(server);
  return { ...parts, server, run };
}
