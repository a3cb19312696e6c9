import Joi from 'joi';
import { errorMessage } from '../domain/errors.js';
import { LIMITS } from '../domain/limits.js';
import { parseProxy } from '../domain/proxy.js';
import type { SessionStatus } from '../domain/session.js';
import { EXTRA_EVENT_TYPES } from '../events/catalogue.js';
import { phone } from './linking.js';
import { type BodyOf, operation } from './operation.js';
import { keepEvents, retentionDays } from './retention.js';
import {
  clientId,
  count,
  flag,
  headerSecret,
  listOf,
  named,
  ok,
  oneOf,
  optional,
  receiverUrl,
  record,
  requiredClient,
  signingToken,
  type TypeOf,
  text,
  time,
  timeOrEmpty,
  workspace,
} from './schema.js';

export const TOKEN_LENGTH = { min: 1, max: 1_024 };
const SECRET_LENGTH = { min: LIMITS.apiSecretMinLength, max: 256 };
const PROXY_LENGTH = 2_048;

export const sessionStatus = oneOf<SessionStatus>(
  'initializing',
  'qr',
  'connected',
  'reconnecting',
  'logged_out',
  'replaced',
  'banned',
).description('State of the session; `logged_out`, `replaced` and `banned` wait for an operator');

export const extraEvents = Joi.array<(typeof EXTRA_EVENT_TYPES)[number][]>()
  .items(oneOf(...EXTRA_EVENT_TYPES))
  .unique();

/** The fields of the webhook in `/start`, `/set-webhook` and `/adopt`. */
export const webhookFields = {
  webhookToken: optional(
    signingToken(TOKEN_LENGTH).description('Sent to the webhook as a bearer token, and signs each call'),
  ),
  pollLookupUrl: optional(receiverUrl.description('Asked for the options of a poll that is not stored')),
  extraEvents: optional(extraEvents.description('Opt-in event types')),
};

export const retry = oneOf('contract', 'durable').description(
  '`contract`: four attempts within seconds. `durable`: written down first, and tried for up to 72 hours, in order for each chat',
);

const MAX_PREVIOUS_TOKEN_SECONDS = 7 * 24 * 60 * 60;
export const previousTokenFor = Joi.number()
  .integer()
  .min(0)
  .max(MAX_PREVIOUS_TOKEN_SECONDS)
  .strict()
  .description(
    'Seconds for which calls carry a second signature, with the token before `webhookToken`: up to 7 days; 0 ends it. ' +
      'A new token without it ends it too',
  );

export const webhookUrl = receiverUrl.description('Where events go; `""` stops delivery');
/** A proxy, or null for direct connections. The error never repeats the address: it may hold a password. */
export const proxyUrl = Joi.string<string | null>()
  .max(PROXY_LENGTH)
  .allow(null)
  .custom((value: string, helpers) => {
    try {
      parseProxy(value);
      return value;
    } catch (error) {
      return helpers.message({ custom: errorMessage(error).replace(/^proxy/, '{#label}') });
    }
  })
  .description(
    'The proxy for everything of this session: `http`, `https` or `socks5`, with user and password if it asks for them; ' +
      '`null` for direct connections. Needs the master token',
  )
  .example('socks5://user:password@proxy.example.com:1080');
const jid = text.description("The linked number's own address; empty before pairing");

const rejectCalls = Joi.boolean().description('Decline every call that comes');

export const startAnswer = named('StartAnswer', {
  clientId,
  status: sessionStatus,
  podName: text.description('The node that answered'),
  webhookUrl: text,
  pollLookupUrl: text,
});
export const qrAnswer = named('QrAnswer', {
  clientId,
  status: sessionStatus,
  qr: text.description('Empty unless the status is `qr`'),
  reason: optional(text).description('Why there is no QR, such as that the QR codes expired'),
});
export const proxy = named('Proxy', {
  kind: oneOf('http', 'https', 'socks5'),
  host: text,
  port: count,
}).description('The proxy of the session, without user and password');
export const listener = named('Listener', { url: text, expiresAt: time });
export const client = named('Client', {
  clientId,
  jid,
  podName: text.description('The node that holds the session; empty when none does'),
  orgId: text,
  webhookUrl: text,
  extraEvents: optional(listOf(text)).description('Opt-in event types that are on'),
  retry: optional(retry).description('`durable`; absent for four attempts'),
  webhookPaused: optional(text).description('Why the webhook gets no calls now; absent while it gets them'),
  status: sessionStatus,
  listener: optional(listener).description(
    'A temporary receiver that takes the events in place of the webhook',
  ),
  proxy: optional(proxy),
  retentionDays: optional(count).description(
    'Days after which messages and files are deleted, 0 for never; absent where the setting of the daemon counts',
  ),
  keepEvents: optional(count).description('Days for which its events are kept; absent where none are kept'),
  secretSharedWith: optional(listOf(text)).description(
    'Up to 10 other sessions that the same secret opens, as releases before allowed it. Absent without one, and when `clientId` is named',
  ),
});

export type StartAnswer = TypeOf<typeof startAnswer>;
export type QrAnswer = TypeOf<typeof qrAnswer>;
export type Client = TypeOf<typeof client>;
export type Listener = TypeOf<typeof listener>;
export type RestrictionsAnswer = TypeOf<typeof restrictionsAnswer>;

/** The fields of `/restrictions` and of the event `account_status`. */
export const restrictionFields = {
  clientId,
  restricted: flag,
  until: timeOrEmpty.description('When the restriction ends; empty where the network does not say it'),
  reason: text.description(
    'For people; with the word of the network in brackets; empty without a restriction',
  ),
  warning: text.description(
    "The network's word when it warns of the limit of new chats: `FIRST_WARNING`, `SECOND_WARNING`; empty without a warning",
  ),
  newChats: named('NewChats', {
    used: count.description('Chats that the number has begun in this period'),
    limit: count.description('Chats that it may begin; 0 where the network names no limit'),
    resetsAt: timeOrEmpty.description('When the next period begins; empty where not known'),
  }),
};
const restrictionsAnswer = named('RestrictionsAnswer', restrictionFields);

export const sessions = {
  start: operation({
    method: 'POST',
    path: '/start',
    owner: 'session',
    creates: true,
    summary: 'Create a session, or connect it; returns before it is connected',
    query: requiredClient,
    body: record({
      webhookUrl: optional(webhookUrl),
      ...webhookFields,
      rejectCalls: optional(rejectCalls),
      proxy: optional(proxyUrl),
    }),
    answer: startAnswer,
    example: {
      clientId: 'acme',
      status: 'initializing',
      podName: 'node-1',
      webhookUrl: 'https://example.com/webhook',
      pollLookupUrl: '',
    },
    errors: ['webhook_not_persisted'],
  }),
  getQr: operation({
    method: 'GET',
    path: '/qr',
    owner: 'session',
    summary: 'Get the current pairing QR: a PNG data URL, or the text inside it',
    query: record({ clientId, format: oneOf('png', 'text').default('png') }),
    answer: qrAnswer,
    example: { clientId: 'acme', status: 'qr', qr: 'data:image/png;base64,iVBORw0KGgo=' },
  }),
  pairPhone: operation({
    method: 'POST',
    path: '/pair-phone',
    owner: 'session',
    summary: 'Get a code to type on the phone, instead of scanning the QR',
    body: record({
      clientId,
      phone,
    }),
    answer: named('PairPhoneAnswer', { clientId, phone: text, code: text.description('Two groups of four') }),
    example: { clientId: 'acme', phone: '15550000001', code: 'ABCD-EFGH' },
    errors: ['session_already_paired', 'session_terminal', 'pairing_code_refused'],
  }),
  checkState: operation({
    method: 'POST',
    path: '/check-state',
    owner: 'session',
    summary: 'Check whether a session is connected, proven by traffic',
    description: 'Answers 200 for every JSON object: what names no connected session is not connected.',
    // an invalid clientId names no session
    body: record({ clientId: clientId.failover('-') }).unknown(),
    answer: named('CheckStateAnswer', {
      status: flag,
      state: text.description('The own jid when connected, else `not connected` or `unknown clientId`'),
      reason: optional(text).description('Why it is not connected, where that is known'),
    }),
    example: { status: true, state: '15550000001@s.whatsapp.net' },
  }),
  listClients: operation({
    method: 'GET',
    path: '/clients',
    owner: 'any',
    summary: 'List every session that the token can see',
    answer: record({ clients: listOf(client) }),
    example: {
      clients: [
        {
          clientId: 'acme',
          jid: '15550000001@s.whatsapp.net',
          podName: 'node-1',
          orgId: '',
          webhookUrl: 'https://example.com/webhook',
          status: 'connected',
        },
      ],
    },
  }),
  setWebhook: operation({
    method: 'POST',
    path: '/set-webhook',
    owner: 'session',
    summary: 'Change where events go; an empty webhookUrl stops delivery',
    body: record({
      clientId,
      webhookUrl,
      ...webhookFields,
      retry: optional(retry),
      previousTokenFor: optional(previousTokenFor),
    }),
    answer: record({
      ok,
      clientId,
      webhookUrl: text,
      pollLookupUrl: text,
      retry: optional(retry),
      previousTokenUntil: optional(time).description(
        'Until then calls carry a second signature, with the token before; absent otherwise',
      ),
    }),
    example: { ok: true, clientId: 'acme', webhookUrl: 'https://example.com/webhook', pollLookupUrl: '' },
  }),
  pauseWebhook: operation({
    method: 'POST',
    path: '/pause-webhook',
    owner: 'session',
    summary:
      'Make no calls to the webhook of a session, or make them again; nothing else of the session pauses',
    body: record({ clientId, paused: flag.example(true) }),
    answer: record({ ok, clientId, paused: flag }),
    example: { ok: true, clientId: 'acme', paused: true },
  }),
  setOrgId: operation({
    method: 'POST',
    path: '/set-org-id',
    owner: 'session',
    summary: 'Set the workspace whose history is kept; an empty orgId stops keeping it',
    description: 'Needs the master token while the policy file names workspaces (`orgs`).',
    body: record({ clientId, orgId: workspace.allow('') }),
    answer: record({ ok, clientId, orgId: text }),
    example: { ok: true, clientId: 'acme', orgId: 'workspace1' },
  }),
  setApiSecret: operation({
    method: 'POST',
    path: '/set-api-secret',
    owner: 'session',
    summary: 'Set a token limited to this session; an empty secret removes it',
    body: record({ clientId, secret: headerSecret(SECRET_LENGTH).example('sixteen-characters') }),
    answer: record({ clientId, hasSecret: flag }),
    example: { clientId: 'acme', hasSecret: true },
    errors: ['secret_taken'],
  }),
  setEnableGroupAi: operation({
    method: 'POST',
    path: '/set-enable-group-ai',
    owner: 'session',
    summary: 'Deliver group messages as events, or not',
    body: record({ clientId, enabled: flag.example(true) }),
    answer: record({ ok, clientId, enabled: flag }),
    example: { ok: true, clientId: 'acme', enabled: true },
  }),
  setProxy: operation({
    method: 'POST',
    path: '/set-proxy',
    owner: 'session',
    access: 'master',
    summary: 'Set the proxy for everything of a session, and connect again through it; null removes it',
    body: record({ clientId, proxy: proxyUrl }),
    answer: record({ ok, clientId, proxy: optional(proxy) }),
    example: {
      ok: true,
      clientId: 'acme',
      proxy: { kind: 'socks5', host: 'proxy.example.com', port: 1_080 },
    },
  }),
  setRetention: operation({
    method: 'POST',
    path: '/set-retention',
    owner: 'session',
    access: 'master',
    summary:
      'Set the days after which messages and files of a session are deleted; null is the setting of the daemon',
    description:
      'With `keepEvents`, set the days for which its events are kept, too, or alone: 0 keeps none, and removes those that are kept.',
    body: record({
      clientId,
      days: optional(retentionDays.example(90)),
      keepEvents: optional(keepEvents),
    }).or('days', 'keepEvents'),
    answer: record({
      ok,
      clientId,
      days: retentionDays,
      keepEvents: optional(count).description('Absent where none are kept'),
    }),
    example: { ok: true, clientId: 'acme', days: 90 },
  }),
  setRejectCalls: operation({
    method: 'POST',
    path: '/set-reject-calls',
    owner: 'session',
    summary: 'Decline every call that comes, or let it ring',
    body: record({ clientId, enabled: flag.example(true) }),
    answer: record({ ok, clientId, enabled: flag }),
    example: { ok: true, clientId: 'acme', enabled: true },
  }),
  reconnect: operation({
    method: 'POST',
    path: '/reconnect',
    owner: 'session',
    summary: 'Close the link of a paired session and connect again now; returns before it is connected',
    body: requiredClient,
    answer: record({ ok, clientId, status: sessionStatus }),
    example: { ok: true, clientId: 'acme', status: 'reconnecting' },
    errors: ['session_unpaired', 'session_terminal'],
  }),
  restrictions: operation({
    method: 'GET',
    path: '/restrictions',
    owner: 'session',
    summary: 'Get what the network does not let a linked number do, as it told last',
    query: requiredClient,
    answer: restrictionsAnswer,
    example: {
      clientId: 'acme',
      restricted: true,
      until: '2026-11-23T10:00:00.000Z',
      reason: 'the network does not let this number begin chats for now (DEFAULT)',
      warning: '',
      newChats: { used: 12, limit: 100, resetsAt: '2026-12-01T00:00:00.000Z' },
    },
    errors: ['session_unpaired', 'session_suspended', 'session_not_connected', 'lookup_failed'],
  }),
  disconnect: operation({
    method: 'POST',
    path: '/disconnect',
    owner: 'session',
    summary: 'Log the device out and delete everything of the session',
    body: requiredClient,
    answer: record({
      ok,
      clientId,
      warning: optional(text).description('The network did not confirm the logout'),
    }),
    example: { ok: true, clientId: 'acme' },
  }),
};

/** The settings of `/start`; absent fields do not change. */
export type StartSettings = BodyOf<typeof sessions.start>;
/** The settings of the webhook; absent fields do not change. */
export type WebhookSettings = Omit<StartSettings, 'proxy'> &
  Pick<BodyOf<typeof sessions.setWebhook>, 'retry'>;
