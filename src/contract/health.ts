import Joi from 'joi';
import { operation } from './operation.js';
import {
  anyFields,
  clientId,
  count,
  flag,
  listOf,
  named,
  oneOf,
  optional,
  reasonFields,
  record,
  type TypeOf,
  text,
  time,
  timeOrEmpty,
} from './schema.js';
import { sessionStatus } from './sessions.js';

/** Accepts any query, because probes add parameters to their URLs. */
const probeQuery = Joi.object<object>().unknown();

export const historyProgress = named('HistoryProgress', {
  progress: Joi.number().description('Percent, as the phone reports it'),
  messages: count.description('New messages'),
});

/** A restriction of a number; present while it is active. */
const restriction = named('Restriction', {
  until: timeOrEmpty.description('When the restriction ends; empty if the network does not say it'),
  reason: text.description("Reason for people, with the network's name for it in brackets"),
});

/** Events that wait in the store for a receiver with `retry: durable`. */
export const waitingEvents = named('WaitingEvents', {
  events: count,
  bytes: count.description('Bytes on disk, limited by the setting `--durable-mb`'),
  since: time.description('When the oldest event was stored'),
  circuit: oneOf('closed', 'open').description(
    '`open` while the receiver is down: then single calls test whether it answers again',
  ),
});

/** Waiting events of a receiver beside the webhook. */
const receiverHealth = named('ReceiverHealth', {
  id: text,
  paused: optional(text).description('Why the receiver is paused; absent if it is not'),
  waiting: optional(waitingEvents).description('Events that wait for the receiver, with `retry: durable`'),
});

export const healthFields = {
  clientId,
  jid: text,
  status: sessionStatus,
  ...reasonFields,
  since: timeOrEmpty.description('Start of the present status; empty if unknown'),
  connected: flag.description('Traffic within the last minute proves the connection'),
  loggedIn: flag.description('Paired'),
  enableGroupAi: flag,
  rejectCalls: flag.description('True if every incoming call is declined'),
  reconnects: count,
  connectedAt: timeOrEmpty,
  lastDisconnect: text.description('The last close reason, or empty'),
  lastDisconnectCode: optional(text).description(
    'The last close reason as a code, such as `store_unavailable`; absent if unknown',
  ),
  lastDisconnectValues: optional(anyFields()).description(
    'Values that the words of the last close reason name, as in `reasonValues`',
  ),
  lastStanzaAt: timeOrEmpty.description('When the network last sent anything; answers to pings do not count'),
  retryAt: timeOrEmpty.description('Time of the next attempt to connect'),
  exportedAt: optional(time).description('When `/export` stopped the session; absent if it is in use here'),
  openJournal: count.description('Messages that arrived and are not announced yet'),
  restriction: optional(restriction).description('The active restriction of the number'),
  warning: optional(text).description(
    "The network's warning before the limit of new chats: `FIRST_WARNING`, `SECOND_WARNING`",
  ),
  history: optional(historyProgress).description(
    '[Progress of the history import](inbox.md#importing-the-history-of-a-number)',
  ),
  waiting: optional(waitingEvents).description('Events that wait for the receiver, with `retry: durable`'),
  webhookPaused: optional(text).description('Why the webhook is paused; absent if it is not'),
  receivers: optional(listOf(receiverHealth)).description(
    'Receivers beside the webhook; absent if there are none',
  ),
};

export const waVersion = named('WaVersion', {
  version: text.description('`2.3000.N`').example('2.3000.1043857760'),
  source: oneOf('setting', 'stored', 'library', 'lookup').description(
    'Origin of the version: the setting, the store, the library, or a look-up of this run',
  ),
});

export const sessionHealth = named('SessionHealth', healthFields);
export const sessionCounts = named('SessionCounts', {
  total: count,
  connected: count,
  down: count.description('Paired, but not connected; a session that is being paired is in `total` only'),
  terminal: count,
});
export const readyAnswer = named('ReadyAnswer', {
  status: oneOf('ok', 'stopping', 'unavailable'),
  podName: text,
  database: flag,
  storage: flag,
  proxy: flag.description('True if a session of this node has a proxy'),
  alerts: flag,
  sessions: sessionCounts,
});
export const configAnswer = named('ConfigAnswer', {
  podName: text,
  environment: text.description('The network'),
  storage: text,
  publicMedia: flag,
  proxy: flag.description('True if a session of this node has a proxy'),
  rejectCalls: flag.description('True if a session of this node declines calls'),
  alerts: flag,
  version: text,
  routes: listOf(text).description('`METHOD /path`'),
});

export type WaVersionAnswer = TypeOf<typeof waVersion>;
export type SessionHealth = TypeOf<typeof sessionHealth>;
export type HistoryProgress = TypeOf<typeof historyProgress>;
export type SessionCounts = TypeOf<typeof sessionCounts>;
export type ReadyAnswer = TypeOf<typeof readyAnswer>;
export type ConfigAnswer = TypeOf<typeof configAnswer>;

export const health = {
  getLive: operation({
    method: 'GET',
    path: '/health/live',
    owner: 'none',
    access: 'open',
    summary: 'Check that this process answers',
    query: probeQuery,
    answer: record({ status: oneOf('ok'), podName: text, uptime: text }),
    example: { status: 'ok', podName: 'node-1', uptime: '3h12m5s' },
  }),
  getReady: operation({
    method: 'GET',
    path: '/health/ready',
    owner: 'none',
    access: 'open',
    summary: 'Check that this node can work: 503 while the store is unreachable, and while it stops',
    query: probeQuery,
    answer: readyAnswer,
    alsoAnswers: { 503: 'The store is unreachable, or the node is stopping' },
    example: {
      status: 'ok',
      podName: 'node-1',
      database: true,
      storage: true,
      proxy: false,
      alerts: false,
      sessions: { total: 1, connected: 1, down: 0, terminal: 0 },
    },
  }),
  getClientsHealth: operation({
    method: 'GET',
    path: '/health/clients',
    owner: 'none',
    access: 'open',
    summary: 'Get the health of every session of the node that answers, and its version of WhatsApp Web',
    query: probeQuery,
    answer: record({
      podName: text,
      failedCount: count.description('Sessions that need an operator'),
      waVersion: waVersion.description('The version of WhatsApp Web that this node reports'),
      clients: listOf(sessionHealth),
    }),
    example: {
      podName: 'node-1',
      failedCount: 0,
      waVersion: { version: '2.3000.1043857760', source: 'library' },
      clients: [
        {
          clientId: 'acme',
          jid: '15550000001@s.whatsapp.net',
          status: 'connected',
          reason: '',
          since: '2026-11-22T10:00:00.000Z',
          connected: true,
          loggedIn: true,
          enableGroupAi: false,
          rejectCalls: false,
          reconnects: 0,
          connectedAt: '2026-11-22T10:00:00.000Z',
          lastDisconnect: '',
          lastStanzaAt: '2026-11-22T10:00:00.000Z',
          retryAt: '',
          openJournal: 0,
        },
      ],
    },
  }),
  getConfig: operation({
    method: 'GET',
    path: '/config',
    owner: 'none',
    summary: 'Get facts about this run, without secrets, and the list of routes',
    answer: configAnswer,
    example: {
      podName: 'node-1',
      environment: 'whatsapp',
      storage: 'sqlite',
      publicMedia: true,
      proxy: false,
      rejectCalls: false,
      alerts: false,
      version: '2026-11',
      routes: ['POST /start', 'GET /qr'],
    },
  }),
  getMetrics: operation({
    method: 'GET',
    path: '/metrics',
    owner: 'none',
    access: 'master',
    summary: 'Get the metrics of the node that answers, for Prometheus',
    description: 'The label `node` of each metric names the node.',
    answer: 'text/plain',
  }),
};
