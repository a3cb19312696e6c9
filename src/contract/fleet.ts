import Joi from 'joi';
import { PAUSE_CODES } from '../domain/pauses.js';
import { healthFields, sessionCounts, waitingEvents, waVersion } from './health.js';
import { operation } from './operation.js';
import { policyFigures } from './policies.js';
import {
  clientId,
  count,
  flag,
  listOf,
  named,
  number,
  oneOf,
  optional,
  record,
  type TypeOf,
  text,
  time,
  timeOrEmpty,
} from './schema.js';
import { proxy } from './sessions.js';

const memory = record({ rss: count, heapUsed: count });
const store = record({
  name: text,
  reachable: flag,
  ms: count.description('How long it took to answer'),
});
const network = named('NetworkHealth', {
  name: text,
  state: oneOf('ok', 'down', 'unknown').description('`unknown` while no linked number can tell'),
  lastStanzaAt: timeOrEmpty,
});
const deliveries = named('DeliveryCounts', { waiting: count, inFlight: count, failed: count });

const nodeFields = {
  nodeId: text,
  podName: text,
  version: text,
  startedAt: time,
  uptimeSeconds: count,
  memory: optional(memory).description('Bytes; with the master token only'),
  sessions: sessionCounts,
  waVersion: optional(waVersion).description('The version of WhatsApp Web that it reports'),
};

/** A node's report of itself to another node. */
export const nodeReport = record({ ...nodeFields, store, network, deliveries });

export const fleetNode = named('FleetNode', {
  ...nodeFields,
  store: optional(store),
  network: optional(network),
  deliveries: optional(deliveries),
  self: flag.description('The node that answers'),
  reachable: flag.description('False: it did not answer, and most of it is unknown'),
  draining: flag.description('The node hands its sessions over'),
  silentSeconds: count.description('Since its last heartbeat'),
});
export const webhookAttempt = named('WebhookAttempt', {
  at: time,
  origin: text,
  type: text,
  attempt: count,
  outcome: oneOf('delivered', 'rejected', 'failed'),
  status: count.description("The receiver's HTTP status; 0 when there was no answer"),
  reason: text,
  durationMs: number,
});
export const fleetWebhook = named('FleetWebhook', {
  origin: text.description('Scheme, host and port; empty when delivery is off'),
  waiting: count,
  inFlight: count,
  failed: count.description('Kept for sending again by hand'),
  delivered: count.description('Since the start of the daemon'),
  dropped: count.description('Since the start of the daemon'),
  last: optional(webhookAttempt),
});
export const pauseCode = oneOf(...PAUSE_CODES).description(
  'The same as `paused`, for programs: an operator did it, the receiver answered 410, or its broker ended the process of its client ' +
    'or sent far more than it was asked for',
);
export const setBy = oneOf('operator', 'tenant').description(
  'Who set its address: with the master token, or with the secret of its session; absent where that is not known',
);
/** A receiver beside the webhook in the report of the fleet. */
export const fleetReceiver = named('FleetReceiver', {
  id: text,
  name: text,
  origin: text.description('Scheme, host and port'),
  setBy: optional(setBy),
  paused: optional(text).description('Why it gets no calls now; absent while it gets them'),
  pauseCode: optional(pauseCode),
  waiting: optional(waitingEvents).description('Events that wait for it, with `retry: durable`'),
  inFlight: count,
  delivered: count.description('Since the start of the daemon'),
  dropped: count.description('Since the start of the daemon'),
  last: optional(webhookAttempt),
});

const sessionFields = {
  ...healthFields,
  ...{ orgId: text, webhook: fleetWebhook, proxy: optional(proxy) },
  policy: optional(policyFigures).description('Absent for a session without a policy'),
  held: optional(count).description('Messages that wait until the policy allows them; absent when none do'),
  receivers: optional(listOf(fleetReceiver)).description('Receivers beside the webhook; absent without any'),
};

/** A node's report of one of its sessions to another node. */
export const sessionReport = record(sessionFields);

const leaseFields = {
  epoch: count.description('One more each time that a node takes the session'),
  ageSeconds: count,
  leftSeconds: count.description('Seconds until the lease expires unless it is renewed'),
};
export const fleetSession = named('FleetSession', {
  ...sessionFields,
  podName: text.description('The node that holds it; empty when none does'),
  lease: optional(named('FleetLease', leaseFields)).description('The lease, where nodes share a store'),
});
export const node = named('Node', {
  nodeId: text,
  podName: text,
  url: text.description('Address at which other nodes reach it; empty without other nodes'),
  self: flag,
  version: text,
  draining: flag,
  ageSeconds: count,
  silentSeconds: count,
  sessions: count.description('Number of sessions that the node holds'),
});
export const lease = named('Lease', { clientId, podName: text, nodeId: text, ...leaseFields });

export type NodeReport = TypeOf<typeof nodeReport>;
export type SessionReport = TypeOf<typeof sessionReport>;
export type FleetNode = TypeOf<typeof fleetNode>;
export type FleetSession = TypeOf<typeof fleetSession>;
export type FleetReceiver = TypeOf<typeof fleetReceiver>;
export type FleetWebhook = TypeOf<typeof fleetWebhook>;
export type WebhookAttempt = TypeOf<typeof webhookAttempt>;
export type NetworkHealth = TypeOf<typeof network>;
export type DeliveryCounts = TypeOf<typeof deliveries>;
export type Node = TypeOf<typeof node>;
export type Lease = TypeOf<typeof lease>;

export const fleetAnswer = named('FleetAnswer', {
  at: time,
  nodes: listOf(fleetNode),
  sessions: listOf(fleetSession),
});
export type FleetAnswer = TypeOf<typeof fleetAnswer>;

const nodeExample: Node = {
  nodeId: '01K0000000000000000000000N',
  podName: 'node-1',
  url: 'http://10.0.0.1:3000',
  self: true,
  version: '2026-11',
  draining: false,
  ageSeconds: 3_600,
  silentSeconds: 0,
  sessions: 1,
};

export const fleet = {
  getFleet: operation({
    method: 'GET',
    path: '/fleet',
    owner: 'any',
    summary: 'Get every session that the token can see, and every node, with what an operator needs',
    answer: fleetAnswer,
    example: { at: '2026-11-22T10:00:00.000Z', nodes: [], sessions: [] },
  }),
  listNodes: operation({
    method: 'GET',
    path: '/nodes',
    owner: 'any',
    access: 'master',
    summary: 'List the nodes that share the store; with `leases` also which one holds which session',
    query: record({ clientId: optional(clientId), leases: flag.default(false) }),
    answer: record({ nodes: listOf(node), leases: optional(listOf(lease)) }),
    example: { nodes: [nodeExample] },
  }),
  drainNode: operation({
    method: 'POST',
    path: '/nodes/drain',
    owner: 'any',
    access: 'master',
    summary:
      'Have a node give its sessions to the others and take no more, until it is restarted or undrained',
    body: record({
      node: Joi.string().max(256).description('Its name or its nodeId').example('node-1'),
      draining: flag.default(true).description('False ends it'),
    }),
    answer: record({ node }),
    example: { node: { ...nodeExample, draining: true } },
    errors: ['node_unknown', 'node_ambiguous', 'nodes_unsupported'],
  }),
};
