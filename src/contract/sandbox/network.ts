import Joi from 'joi';
import { durationMs } from '../../domain/duration.js';
import {
  count,
  flag,
  listOf,
  named,
  number as numeric,
  oneOf,
  optional,
  record,
  type TypeOf,
  text,
} from '../schema.js';
import { mapOf } from './fields.js';
import { controlOperation } from './operation.js';

const version = Joi.string<string | null>()
  .pattern(/^2\.3000\.[0-9]{1,10}$/, 'version')
  .messages({ 'string.pattern.name': '{{#label}} must be a version such as 2.3000.1043857760' })
  .allow(null);

/** Demands of the network on every client. */
const networkView = named('NetworkView', {
  minVersion: Joi.string<string | null>()
    .allow(null)
    .description('Clients of an older version get failure 405; null for no floor'),
  currentVersion: text.description('The version that `GET /sw.js` names'),
  checkDisplay: flag.description(
    'A code is refused to devices with another display name than `Browser (OS)`',
  ),
});
export type NetworkView = TypeOf<typeof networkView>;

const networkUpdate = named('NetworkUpdate', {
  minVersion: optional(version.description('`2.3000.N`; null removes the floor')),
  checkDisplay: optional(flag.example(true)),
}).min(1);
export type NetworkUpdate = TypeOf<typeof networkUpdate>;

/** The network's time. */
const clockView = named('ClockView', {
  now: count.description('Milliseconds since the epoch'),
  ahead: numeric.description("Milliseconds that it is ahead of the machine's time"),
});
export type ClockView = TypeOf<typeof clockView>;

/** How long a clock is moved forward: a text in requests, milliseconds for handlers. */
const advance = Joi.string<number>()
  .custom((given: string, { message }) => {
    const ms = Math.round(durationMs(given) ?? 0);
    return ms > 0 ? ms : message({ custom: '{{#label}} must be a time such as 30s, 5m, 2h or 3d' });
  })
  .messages({ 'string.base': '{{#label}} needs a unit: 30s, 5m, 2h or 3d' })
  .example('2h');

/** Requests that came over one connection of a client. */
const visitView = named('VisitView', {
  purpose: oneOf('chat', 'media', 'version'),
  address: text.description('`ip:port` at the other end'),
  requests: count,
});
export type VisitView = TypeOf<typeof visitView>;

/** Counters of the network. */
const statsView = named('StatsView', {
  connections: count.description('Open sockets'),
  logins: count.description('Successful logins since the start'),
  conflicts: count.description('Connections that were replaced by a newer one of the same device'),
  dropped: count.description('Connections that were dropped because their client was silent'),
  repeated: count.description(
    'Messages that clients sent again under the same id; duplicates are not delivered',
  ),
  resent: count.description(
    'Copies of messages that clients sent again because a device could not read them, or was missed',
  ),
  retryReceipts: mapOf(count).description('Retry receipts of linked devices, by their `error`'),
  messageRefusals: mapOf(count).description(
    'Negative acknowledgements of messages by linked devices, by their `error`',
  ),
  firstContacts: mapOf(count).description(
    'Chats that each number began, with people who had not written to it, since the sandbox started',
  ),
  senderKeys: count.description('Copies of group messages that brought the sender key'),
  outdated: count.description("Connections that were refused with 405 because of the client's version"),
  pairErrors: mapOf(count).description('How often devices refused `pair-success`, by `<code> <text>`'),
  resumed: count.description('Handshakes that were resumed (Noise IK)'),
  versionLookups: count.description('Requests for `GET /sw.js`'),
  stanzasIn: count,
  stanzasOut: count,
  loginsByDevice: mapOf(count).description('Successful logins by device, as `<number>:<device>`'),
  queries: mapOf(count).description(
    'Queries that clients made since the start, by namespace: `w:g2` are those about groups',
  ),
  waitingOffline: count.description('Messages held for devices that are not connected'),
  unacknowledged: count.description('Stanzas that connected devices have not acknowledged yet'),
  phones: count,
  devices: count,
});
export type StatsView = TypeOf<typeof statsView>;

const STATS: StatsView = {
  connections: 1,
  logins: 1,
  conflicts: 0,
  dropped: 0,
  repeated: 0,
  resent: 0,
  retryReceipts: {},
  messageRefusals: {},
  firstContacts: {},
  senderKeys: 0,
  outdated: 0,
  pairErrors: {},
  resumed: 0,
  versionLookups: 0,
  stanzasIn: 12,
  stanzasOut: 14,
  loginsByDevice: { '+15550000001:1': 1 },
  queries: { 'w:g2': 1 },
  waitingOffline: 0,
  unacknowledged: 0,
  phones: 2,
  devices: 1,
};
const RULES: NetworkView = {
  minVersion: null,
  currentVersion: '2.3000.1043857760',
  checkDisplay: true,
};
const CLOCK: ClockView = { now: 1_795_255_200_000, ahead: 0 };

/** The network itself: its demands, its time and its counters. */
export const network = {
  network: controlOperation({
    method: 'GET',
    path: '/network',
    summary: 'Show what the network demands of every client',
    answer: networkView,
    example: RULES,
  }),
  changeNetwork: controlOperation({
    method: 'PATCH',
    path: '/network',
    summary: 'Change what the network demands of every client',
    body: networkUpdate,
    answer: networkView,
    example: RULES,
  }),
  clock: controlOperation({
    method: 'GET',
    path: '/clock',
    summary: "Show the network's time",
    answer: clockView,
    example: CLOCK,
  }),
  advanceClock: controlOperation({
    method: 'POST',
    path: '/clock',
    summary: "Move the network's time forward, and that of the daemon that it runs in",
    description:
      'Answers when what is due by then has begun. `advance` is a time such as `90s`, `2h` or `3d`.',
    body: record({ advance }),
    answer: clockView,
    example: CLOCK,
    errors: ['clock_too_far'],
    client: { takes: ['advance'] },
  }),
  visits: controlOperation({
    method: 'GET',
    path: '/connections',
    summary: 'List the connections that clients have made, oldest first',
    answer: record({ connections: listOf(visitView) }),
    example: { connections: [{ purpose: 'chat', address: '127.0.0.1:50000', requests: 1 }] },
    client: { gives: 'connections' },
  }),
  stats: controlOperation({
    method: 'GET',
    path: '/stats',
    summary: 'Show the counters of the network',
    answer: statsView,
    example: STATS,
  }),
  publicRootKey: controlOperation({
    method: 'GET',
    path: '/root-key',
    summary: "Show the public key of the network's Noise root: 32 bytes in base64",
    answer: record({ publicKey: text }),
    example: { publicKey: `${'A'.repeat(43)}=` },
    client: { gives: 'publicKey' },
  }),
};
