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
  reasonFields,
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
  ms: count.description('Milliseconds until the store answered'),
});
const network = named('NetworkHealth', {
  name: text,
  state: oneOf('ok', 'down', 'unknown').description(
    '`ok`: traffic proved at least one link within the last minute; `down`: it proved none of the links that should be up; `unknown`: no number is linked',
  ),
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
  waVersion: optional(waVersion).description('The version of WhatsApp Web that the node reports'),
};

/** A node's report of itself to another node. */
export const nodeReport = record({ ...nodeFields, store, network, deliveries });

export const fleetNode = named('FleetNode', {
  ...nodeFields,
  store: optional(store),
  network: optional(network),
  deliveries: optional(deliveries),
  self: flag.description('`true` for the node that was called'),
  reachable: flag.description(
    'Whether the node has answered. If not, the node has no `memory`, `store`, `network` or `deliveries`, and its sessions count as `down` and ' +
      'have a `reason` that says so',
  ),
  draining: flag.description('The node hands over its sessions and takes no new ones'),
  silentSeconds: count.description("Seconds since the node's last heartbeat; nodes send one every second"),
});
export const webhookAttempt = named('WebhookAttempt', {
  at: time,
  origin: text,
  type: text,
  attempt: count,
  outcome: oneOf('delivered', 'rejected', 'failed'),
  status: count.description("The receiver's HTTP status; 0 without an answer"),
  ...reasonFields,
  reason: text.description('Why it was not delivered; empty when it was'),
  durationMs: number,
});
export const fleetWebhook = named('FleetWebhook', {
  origin: text.description('Scheme, host and port; empty if delivery is off'),
  waiting: count,
  inFlight: count,
  failed: count.description('Failed deliveries of the session that are stored, for all of its receivers'),
  delivered: count.description('Number since the start of the daemon'),
  dropped: count.description('Number since the start of the daemon'),
  last: optional(webhookAttempt).description(
    'The last call since the start of the daemon; absent before the first',
  ),
});
export const pauseCode = oneOf(...PAUSE_CODES).description(
  'The reason in `paused` as a code: paused by an operator, the receiver answered 410, its broker crashed the client ' +
    'process, or its broker sent far more data than requested',
);
export const setBy = oneOf('operator', 'tenant').description(
  'Who set the URL: with the master token, or with the secret of the session; absent if unknown',
);
/** A receiver beside the webhook in the report of the fleet. */
export const fleetReceiver = named('FleetReceiver', {
  id: text,
  name: text,
  origin: text.description('Scheme, host and port'),
  setBy: optional(setBy),
  paused: optional(text).description('Why the receiver is paused; absent if it is not'),
  pauseCode: optional(pauseCode),
  waiting: optional(waitingEvents).description('Events that wait for the receiver, with `retry: durable`'),
  inFlight: count,
  delivered: count.description('Number since the start of the daemon'),
  dropped: count.description('Number since the start of the daemon'),
  last: optional(webhookAttempt).description(
    'The last call since the start of the daemon; absent before the first',
  ),
});

const sessionFields = {
  ...healthFields,
  ...{ orgId: text, webhook: fleetWebhook, proxy: optional(proxy) },
  policy: optional(policyFigures).description('Absent for a session without a policy'),
  held: optional(count).description(
    'Messages that wait until the policy allows them; absent if there are none',
  ),
  receivers: optional(listOf(fleetReceiver)).description(
    'Receivers beside the webhook; absent if there are none',
  ),
};

/** A node's report of one of its sessions to another node. */
export const sessionReport = record(sessionFields);

const leaseFields = {
  epoch: count.description('How often a node has taken the session'),
  ageSeconds: count.description('Seconds since the present node took it'),
  leftSeconds: count.description('Seconds until the lease expires if it is not renewed'),
};
export const fleetSession = named('FleetSession', {
  ...sessionFields,
  podName: text.description('The node that holds the session; empty if no node holds it'),
  lease: optional(named('FleetLease', leaseFields)).description('With several nodes'),
});
export const node = named('Node', {
  nodeId: text,
  podName: text,
  url: text.description('URL at which other nodes reach the node; empty without other nodes'),
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
  nodes: listOf(fleetNode).description('Every running daemon'),
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
    query: record({ clientId: optional(clientId).description('Only this session') }),
    summary: 'Get the state of every session that the token can see, and of every node',
    description:
      'All figures are counters in memory, so you can call it every few seconds. If several nodes share a store, the node that is called asks ' +
      "the others in parallel, for at most two seconds. A time that does not exist is empty. With a session's secret the answer has that session " +
      'only, its own counts, and no `memory`.',
    answer: fleetAnswer,
    example: { at: '2026-11-22T10:00:00.000Z', nodes: [], sessions: [] },
  }),
  listNodes: operation({
    method: 'GET',
    path: '/nodes',
    owner: 'any',
    access: 'master',
    summary: 'List the nodes with a recent heartbeat; with `leases` also the node of each session',
    query: record({
      clientId: optional(clientId).description('Adds `leases`, with the holder of this session'),
      leases: flag.default(false).description('`true` adds `leases`, with the holder of each session'),
    }),
    answer: record({
      nodes: listOf(node),
      leases: optional(listOf(lease)).description('An empty `podName` means that the node is gone'),
    }),
    example: { nodes: [nodeExample] },
  }),
  drainNode: operation({
    method: 'POST',
    path: '/nodes/drain',
    owner: 'any',
    access: 'master',
    summary: 'Make a node hand over its sessions and take no new ones',
    body: record({
      node: Joi.string().max(256).description('Name or `nodeId` of the node').example('node-1'),
      draining: flag.default(true).description('`false` ends the drain, and so does a restart'),
    }),
    answer: record({ node }),
    example: { node: { ...nodeExample, draining: true } },
    errors: ['node_unknown', 'node_ambiguous', 'nodes_unsupported'],
  }),
};
