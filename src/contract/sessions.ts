import Joi from 'joi';
import { LIMITS } from '../domain/limits.js';
import { SESSION_STATUSES } from '../domain/session.js';
import { EXTRA_EVENT_TYPES } from './events/catalogue.js';
import { phone } from './linking.js';
import { type BodyOf, operation } from './operation.js';
import { restrictionsAnswer } from './restrictions.js';
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
  proxyUrl,
  reasonFields,
  receiverUrl,
  record,
  requiredClient,
  signingToken,
  type TypeOf,
  text,
  time,
  workspace,
} from './schema.js';

export const TOKEN_LENGTH = { min: 1, max: 1_024 };
const SECRET_LENGTH = { min: LIMITS.apiSecretMinLength, max: 256 };

export const sessionStatus = oneOf(...SESSION_STATUSES).description(
  'State of the session; `logged_out`, `replaced` and `banned` need an operator',
);

export const extraEvents = Joi.array<(typeof EXTRA_EVENT_TYPES)[number][]>()
  .items(oneOf(...EXTRA_EVENT_TYPES))
  .unique();

/** The fields of the webhook in `/start`, `/set-webhook` and `/adopt`. */
export const webhookFields = {
  webhookToken: optional(
    signingToken(TOKEN_LENGTH).description(
      '[Bearer token and signing key](webhooks.md#checking-a-call) of calls to the webhook',
    ),
  ),
  pollLookupUrl: optional(
    receiverUrl.description('URL that returns the options of polls that are not stored'),
  ),
  extraEvents: optional(
    extraEvents.description(
      'Types of [opt-in events](events.md#opt-in-types); replaces the whole list, `[]` turns all of them off',
    ),
  ),
};

export const retry = oneOf('contract', 'durable').description(
  '`contract`: four attempts within seconds. `durable`: events are [stored first](webhooks.md#durable-retries) and tried for up to 72 hours, ' +
    'in order for each chat',
);

const MAX_PREVIOUS_TOKEN_SECONDS = 7 * 24 * 60 * 60;
export const previousTokenFor = Joi.number()
  .integer()
  .min(0)
  .max(MAX_PREVIOUS_TOKEN_SECONDS)
  .strict()
  .description(
    'Seconds for which calls carry [a second signature](webhooks.md#replacing-the-token), with the previous `webhookToken`: up to 7 days; 0 stops it. ' +
      'A new token without this field stops it, too',
  );

export const webhookUrl = receiverUrl.description('URL of the webhook; `""` stops delivery');
const jid = text.description("The linked number's own address; empty before pairing");

const rejectCalls = Joi.boolean().description(
  'Decline every incoming call; [the event `call`](events.md#call) tells of each call',
);

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
  qr: text.description('The QR code; empty unless the status is `qr`'),
  ...reasonFields,
  reason: optional(text).description('Why there is no QR code, for example because the QR codes expired'),
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
  podName: text.description('The node that holds the session; empty if no node holds it'),
  orgId: text,
  webhookUrl: text,
  extraEvents: optional(listOf(text)).description('Opt-in event types that are on'),
  retry: optional(retry).description('`durable`; absent for `contract`'),
  webhookPaused: optional(text).description('Why the webhook gets no calls; absent if it is not paused'),
  status: sessionStatus,
  listener: optional(listener).description(
    'A temporary receiver that gets the events instead of the webhook',
  ),
  proxy: optional(proxy),
  retentionDays: optional(count).description(
    "Days after which messages and files are deleted, 0 for never; absent if the daemon's setting applies",
  ),
  keepEvents: optional(count).description(
    'Days for which events of the session are kept; absent if none are kept',
  ),
  secretSharedWith: optional(listOf(text)).description(
    'Up to 10 other sessions with the same secret, which earlier releases allowed; they keep it. Absent if there are none, and when `clientId` is given',
  ),
});

export type StartAnswer = TypeOf<typeof startAnswer>;
export type QrAnswer = TypeOf<typeof qrAnswer>;
export type Client = TypeOf<typeof client>;
export type Listener = TypeOf<typeof listener>;

export const sessions = {
  start: operation({
    method: 'POST',
    path: '/start',
    owner: 'session',
    creates: true,
    summary: 'Create a session, or connect it; returns before it is connected',
    description: 'Absent fields do not change.',
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
    query: record({
      clientId,
      format: oneOf('png', 'text')
        .default('png')
        .description('`png` for a data URL, `text` for the text inside the QR'),
    }),
    answer: qrAnswer,
    example: { clientId: 'acme', status: 'qr', qr: 'data:image/png;base64,iVBORw0KGgo=' },
  }),
  pairPhone: operation({
    method: 'POST',
    path: '/pair-phone',
    owner: 'session',
    summary: 'Get a code to type on the phone, instead of scanning the QR',
    body: record({ clientId, phone }),
    answer: named('PairPhoneAnswer', { clientId, phone: text, code: text.description('Two groups of four') }),
    example: { clientId: 'acme', phone: '15550000001', code: 'ABCD-EFGH' },
    errors: ['session_already_paired', 'session_terminal', 'pairing_code_refused'],
  }),
  checkState: operation({
    method: 'POST',
    path: '/check-state',
    owner: 'session',
    summary: 'Check whether a session is connected, proven by traffic',
    description: 'Answers 200 for every JSON object; an unknown session counts as not connected.',
    // an invalid clientId names no session
    body: record({ clientId: clientId.failover('-') }).unknown(),
    answer: named('CheckStateAnswer', {
      status: flag,
      state: text.description('The own jid if connected, otherwise `not connected` or `unknown clientId`'),
      ...reasonFields,
      reason: optional(text).description('Why the session is not connected, if known'),
    }),
    example: { status: true, state: '15550000001@s.whatsapp.net' },
  }),
  listClients: operation({
    method: 'GET',
    path: '/clients',
    owner: 'any',
    summary: 'List every session that the token can see',
    query: record({ clientId: optional(clientId).description('Only this session') }),
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
    summary: 'Change the webhook of a session; an empty webhookUrl stops delivery',
    description: 'Absent fields do not change.',
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
        'When calls stop carrying a second signature with the previous token; absent if they carry none',
      ),
    }),
    example: { ok: true, clientId: 'acme', webhookUrl: 'https://example.com/webhook', pollLookupUrl: '' },
  }),
  pauseWebhook: operation({
    method: 'POST',
    path: '/pause-webhook',
    owner: 'session',
    summary: 'Pause or resume calls to the webhook of a session; nothing else of the session pauses',
    description: '[A paused webhook](webhooks.md#pausing-a-webhook) gets no calls.',
    body: record({ clientId, paused: flag.example(true) }),
    answer: record({ ok, clientId, paused: flag }),
    example: { ok: true, clientId: 'acme', paused: true },
  }),
  setOrgId: operation({
    method: 'POST',
    path: '/set-org-id',
    owner: 'session',
    summary: 'Set the workspace whose history is kept; an empty orgId stops keeping it',
    description:
      'Needs the master token while the [policy file](policies.md#a-policy-file) names workspaces (`orgs`).',
    body: record({ clientId, orgId: workspace.allow('').description('`""` stops the history') }),
    answer: record({ ok, clientId, orgId: text }),
    example: { ok: true, clientId: 'acme', orgId: 'workspace1' },
  }),
  setApiSecret: operation({
    method: 'POST',
    path: '/set-api-secret',
    owner: 'session',
    summary: 'Set a token limited to this session; an empty secret removes it',
    description: '409 `secret_taken` if another session has it.',
    body: record({
      clientId,
      secret: headerSecret(SECRET_LENGTH)
        .description('Not the master token; `""` removes the secret')
        .example('sixteen-characters'),
    }),
    answer: record({ clientId, hasSecret: flag }),
    example: { clientId: 'acme', hasSecret: true },
    errors: ['secret_taken'],
  }),
  setEnableGroupAi: operation({
    method: 'POST',
    path: '/set-enable-group-ai',
    owner: 'session',
    summary: 'Turn events of group messages on or off',
    body: record({ clientId, enabled: flag.example(true) }),
    answer: record({ ok, clientId, enabled: flag }),
    example: { ok: true, clientId: 'acme', enabled: true },
  }),
  setProxy: operation({
    method: 'POST',
    path: '/set-proxy',
    owner: 'session',
    access: 'master',
    summary: 'Set the proxy for all connections of a session, and reconnect through it; null removes it',
    description: '`proxy` is absent from the answer for direct connections.',
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
      "Set the days after which messages and files of a session are deleted; null uses the daemon's setting",
    description: 'With `keepEvents`, set the days for which its events are kept, too, or alone.',
    body: record({
      clientId,
      days: optional(retentionDays.example(90)),
      keepEvents: optional(keepEvents),
    }).or('days', 'keepEvents'),
    answer: record({
      ok,
      clientId,
      days: retentionDays,
      keepEvents: optional(count).description('Days for which events are kept; absent if none are kept'),
    }),
    example: { ok: true, clientId: 'acme', days: 90 },
  }),
  setRejectCalls: operation({
    method: 'POST',
    path: '/set-reject-calls',
    owner: 'session',
    summary: 'Decline every incoming call, or let it ring',
    description: '[The event `call`](events.md#call) tells of each call.',
    body: record({ clientId, enabled: flag.example(true) }),
    answer: record({ ok, clientId, enabled: flag }),
    example: { ok: true, clientId: 'acme', enabled: true },
  }),
  reconnect: operation({
    method: 'POST',
    path: '/reconnect',
    owner: 'session',
    summary: 'Close the link of a paired session and connect again now; returns before it is connected',
    description:
      'Does not wait for the next scheduled attempt. Requests in flight continue over the new link.',
    body: requiredClient,
    answer: record({ ok, clientId, status: sessionStatus }),
    example: { ok: true, clientId: 'acme', status: 'reconnecting' },
    errors: ['session_unpaired', 'session_terminal'],
  }),
  restrictions: operation({
    method: 'GET',
    path: '/restrictions',
    owner: 'session',
    summary: 'Get the restriction or warning that the network last reported for a linked number',
    description: '[The event `account_status`](events.md#account_status) has the meaning of the fields.',
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
      warning: optional(text).description('Present if the network did not confirm the logout'),
    }),
    example: { ok: true, clientId: 'acme' },
  }),
};

/** The settings of `/start`; absent fields do not change. */
export type StartSettings = BodyOf<typeof sessions.start>;
/** The settings of the webhook; absent fields do not change. */
export type WebhookSettings = Omit<StartSettings, 'proxy'> &
  Pick<BodyOf<typeof sessions.setWebhook>, 'retry'>;
