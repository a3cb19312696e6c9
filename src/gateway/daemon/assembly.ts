import { join } from 'node:path';
import type { Server } from '@hapi/hapi';
import { type MonotonicClock, systemClock } from '../../domain/clock.js';
import type { RetryPolicy } from '../../domain/retry.js';
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
import { LIBRARY_VERSION } from '../link/wa-versions.js';
import type { Logger } from '../log.js';
import { Media } from '../services/files/media.js';
import { Gateway } from '../services/gateway.js';
import { notifyingRooms, type RoomChange } from '../services/history/room-changes.js';
import { createBackups } from '../services/operations/backups.js';
import { countingFailures, createFleet } from '../services/operations/fleet.js';
import { createMessageTraces } from '../services/operations/message-traces.js';
import { receiverOf } from '../services/receivers/announce.js';
import { createDeliveries } from '../services/receivers/deliveries.js';
import { Listeners } from '../services/receivers/listeners.js';
import { SessionReceivers } from '../services/receivers/receivers.js';
import { createReplays } from '../services/receivers/replays.js';
import type { UnreadableWaits } from '../services/receiving/unreadable.js';
import { MemoryPairLinks } from '../services/sessions/pair-links.js';
import { isRemovedFrom, otherReceiverOf } from '../services/sessions/receiver-list.js';
import { SessionParts } from '../services/sessions/session-parts.js';
import { MessageSpans } from '../services/spans.js';
import { openBackup, openStore } from '../store/open.js';
import type { SealedStore } from '../store/sealing/sealed-store.js';
import type { FailedDelivery, FailedDeliveryStore, Store } from '../store/store.js';
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
  /** Wraps the store. */
  aroundStore?: (store: SealedStore) => SealedStore;
  unreadableWaits?: UnreadableWaits;
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
  lives: (delivery: Pick<FailedDelivery, 'clientId' | 'receiver'>) => boolean,
): Pick<FailedDeliveryStore, 'add' | 'remove'> {
  return {
    add: async (delivery, keep) => {
      if (lives(delivery)) await store.add(delivery, keep);
    },
    remove: (id) => store.remove(id),
  };
}

/** The parts of a daemon. */
export interface DaemonParts {
  store: Store;
  network: Network;
  gateway: Gateway;
  membership: Membership;
  dispatcher: Dispatcher;
  lookups: PollLookups;
  media: Media;
  server: Server;
  run: { isStopping: boolean };
  /** Exports the last spans. */
  stopTracing(): Promise<void>;
}

/**
 * Creates the parts without starting them. The only file that chooses adapters.
 * @param cleanup collects functions that undo each step, in order, for a failed start
 * @throws ConfigError, GatewayError or a system error
 */
export async function assemble(
  config: Config,
  overrides: DaemonOverrides & { log: Logger },
  cleanup: (() => Promise<unknown>)[],
): Promise<DaemonParts> {
  const run = { isStopping: false };
  const { log, backoff, returns, qrLifetimeMs, pingEveryMs, pollLookupMs } = overrides;
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
  const address = new OwnAddress(config);
  const parts = new SessionParts();

  // the clock of the machine, because nodes compare their times and virtual clocks do not move together
  const nodeAuth = new NodeAuth(encryptionKey, machineClock);
  const membership = joinNodes({
    store,
    nodeAuth,
    name: config.nodeName,
    address,
    version: releaseVersion(),
    leaseMs: config.leaseSeconds * 1_000,
    gateway: () => gateway,
    failures,
    metrics: () => metrics,
    clock,
    log: log.child({ area: 'cluster' }),
  });
  cleanup.push(() => membership.leave());
  const { owners, ownership, nodes, leases } = membership;
  const metrics: Metrics = new Metrics({
    node: config.nodeName,
    ...(leases && { leases }),
    sessionStatuses: () => gateway.sessions.states().map(({ status }) => status),
    restrictedSessions: () => gateway.restrictions.count('restriction'),
    warnedSessions: () => gateway.restrictions.count('warning'),
    deliveriesInFlight: () => dispatcher.inFlight(),
    deliveriesWaiting: () => dispatcher.waiting(),
    durable: () => dispatcher.durable.totals(),
    receiverStates: () => receivers.states(),
    heldSends: () => gateway.sends.held.total(),
    filesOnDisk: () => media.onDisk(),
  });
  const dispatcher = new Dispatcher({
    failed: keepForLiving(store.failedDeliveries, ({ clientId, receiver }) => {
      if (!gateway.sessions.has(clientId)) return false;
      return receiver === undefined || !isRemovedFrom(recordOf(clientId), receiver);
    }),
    waiting: store.waitingDeliveries,
    receiverOf: (clientId, id) => {
      if (!gateway.sessions.has(clientId)) return undefined;
      return id === undefined ? receiverOf(recordOf(clientId)) : otherReceiverOf(recordOf(clientId), id);
    },
    isRemoved: (clientId, id) => gateway.sessions.has(clientId) && isRemovedFrom(recordOf(clientId), id),
    pause: async ({ clientId, receiverId, url }, code) => {
      if (receiverId !== undefined) await receivers.pause(clientId, { id: receiverId, url }, code);
      else await gateway.sessions.pauseWebhook(clientId, url, code);
    },
    brokers: { ...overrides.brokers, marks: join(config.dataDir, 'connected-brokers.json') },
    durable: { bytes: config.durableMb * 1024 * 1024, ...overrides.durable },
    tail,
    serves: ownership.holds,
    allowPrivate: config.allowPrivateUrls,
    clock,
    signingClock: machineClock,
    log: log.child({ area: 'delivery' }),
    traces: { tracing, find: (clientId, messageId) => spans.find(clientId, messageId) },
    observe: {
      attempt: (_clientId, { outcome }) => metrics.attempt(outcome),
      dropped: (_clientId, cause) => metrics.dropped(cause),
    },
  });
  cleanup.push(() => dispatcher.stop(0));
  const lookups = new PollLookups({
    allowPrivate: config.allowPrivateUrls,
    tracing,
    clock,
    ...(pollLookupMs && { timeoutMs: pollLookupMs }),
  });
  cleanup.push(() => lookups.destroy());
  const media = new Media({
    spoolDir: join(config.dataDir, 'spool'),
    allowPrivate: config.allowPrivateUrls,
    clock,
    log: log.child({ area: 'media' }),
    uninspected: () => metrics.fileUninspected(),
  });
  cleanup.push(() => media.stop());
  await media.start();
  const versions = new ClientVersions({
    setting: config.waVersion,
    library: LIBRARY_VERSION,
    page: versionPage(network),
    dispatcherOver,
    store: store.versions,
    clock,
    log: log.child({ area: 'link' }),
  });
  await versions.load();
  const links = createLazyLinks({
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
    allowPrivateUrls: config.allowPrivateUrls,
    clock,
    log: log.child({ area: 'delivery' }),
  });
  const gateway: Gateway = new Gateway({
    store,
    links,
    announcer: {
      announce: (event, receiver, options) =>
        dispatcher.announce(event, listening.inFront(event, receiver), options),
      deliver: (...delivery) => dispatcher.deliver(...delivery),
    },
    durable: dispatcher.durable,
    lookups,
    tracing,
    spans,
    media,
    observer: metrics,
    hashKey: store.hashKey,
    allowPrivateUrls: config.allowPrivateUrls,
    linkPreviews: config.linkPreviews,
    retentionDays: config.retentionDays,
    keptEventBytes: overrides.keptEventBytes,
    ...(policies && { policies }),
    heldSends: config.heldSends,
    address,
    parts,
    onRoomChange,
    ownership,
    versions,
    clock,
    log: log.child({ area: 'sessions' }),
    ...(backoff && { backoff }),
    ...(returns && { returns }),
    ...(overrides.unreadableWaits && { unreadableWaits: overrides.unreadableWaits }),
  });
  cleanup.push(() => gateway.lifecycle.stop());
  const { sessions, sends, messages, chats, inbox, library, groups, people, profile, avatars } = gateway;
  const pairLinks = new MemoryPairLinks({
    sessions,
    createdAt: (clientId) => recordOf(clientId).createdAt,
    address,
    clock,
    log: log.child({ area: 'sessions' }),
  });
  for (const part of [listening, pairLinks, dispatcher])
    parts.add({ forget: (clientId) => part.forget(clientId) });
  const receivers = new SessionReceivers({
    sessions,
    deliveries: dispatcher,
    failed: store.failedDeliveries,
    allowPrivateUrls: config.allowPrivateUrls,
    allowTenantBrokers: config.allowTenantBrokers,
    clock,
    log: log.child({ area: 'delivery' }),
  });
  const deliveries = createDeliveries({
    sessions: { find: recordOf },
    listening,
    dispatcher,
    failed: store.failedDeliveries,
    clock,
  });
  const replays = createReplays({
    sessions: { find: recordOf },
    ...{ listening, dispatcher, clock },
    kept: store.keptEvents,
    keeper: gateway.keptEvents,
    log: log.child({ area: 'delivery' }),
  });
  const fleet = createFleet({
    sessions,
    figures: (clientId) => dispatcher.figures(clientId),
    receivers: (clientId) => receivers.report(clientId),
    failures: (clientId) => failures.of(clientId),
    policy: (record) => gateway.policies.reports.figures(record),
    held: (clientId) => sends.held.count(clientId),
  });
  const server: Server = await createHttpServer({
    host: config.host,
    port: config.port,
    connectionsPerAddress: config.connectionsPerAddress,
    urls: [config.publicUrl, config.nodeUrl],
    services: {
      sessions,
      adoption: gateway.adoption,
      pairLinks,
      sending: sends,
      heldMessages: sends.held,
      messages,
      chats,
      presence: gateway.presence,
      restrictions: gateway.restrictions,
      policies: gateway.policies.reports,
      inbox,
      library,
      groups,
      people,
      profile,
      avatars,
      receivers,
      deliveries,
      replays,
      traces: createMessageTraces({
        sessions: { find: recordOf },
        store,
        tail,
        traceOf: (clientId, messageId) => spans.find(clientId, messageId),
      }),
      listening,
      fleet,
      nodes,
      backups: createBackups({
        open: () => openBackup(location),
        release: releaseVersion(),
        clock: machineClock,
        log: log.child({ area: 'backup' }),
      }),
      versions,
    },
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
    owners,
    nodeAuth,
    tail,
    metrics,
    tracing,
    log: log.child({ area: 'http' }),
    clock,
  });
  address.isOf(server);
  return { store, network, gateway, membership, dispatcher, lookups, media, server, run, stopTracing };
}
