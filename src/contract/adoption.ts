import Joi from 'joi';
import { LIMITS } from '../domain/limits.js';
import { NAMES_ONLY, OPAQUE } from './fields.js';
import { type AnswerOf, type BodyOf, operation } from './operation.js';
import { movedReceiver } from './receivers.js';
import { keepEvents, retentionDays } from './retention.js';
import {
  anyFields,
  clientId,
  count,
  flag,
  listOf,
  ok,
  optional,
  proxyUrl,
  record,
  type TypeOf,
  text,
  time,
} from './schema.js';
import { extraEvents, retry, sessionStatus, webhookFields, webhookUrl } from './sessions.js';

const NAME_LENGTH = 512;

const keyFields = {
  type: Joi.string()
    .max(NAME_LENGTH)
    .description("The library's name of the key family, such as `session` or `pre-key`")
    .example('pre-key'),
  id: Joi.string().max(NAME_LENGTH).description('Name of the key in its family').example('17'),
};
const keyName = record(keyFields);
const key = record({
  ...keyFields,
  value: Joi.any()
    .description('The key as the library writes it in JSON')
    .example({ public: {}, private: {} }),
});

const bytes = Joi.string().base64().allow('');
const received = record({
  id: Joi.string().hex().length(64).description('SHA-256 of the ciphertext'),
  messageId: text,
  plain: bytes.description('The decrypted content, in base64'),
  stanza: bytes.description('The stanza of the message, in base64'),
  receivedAt: count.description('Milliseconds since the epoch'),
}).description('A message that was already received, so that a redelivery is recognised');

const linkedAt = time.description(
  'When the number was linked, from which policy rules by age count; by default now',
);

/** Delivery settings of the webhook and of other receivers; only exports of this or a later release have them. */
const movedDeliveries = {
  webhookPaused: optional(text.description('Why the webhook is paused; empty if it is not')),
  previousToken: optional(
    record({ token: text, until: time })
      .description('The previous token, which also signs calls until then, as with `previousTokenFor`')
      .meta(OPAQUE),
  ),
  receivers: optional(
    listOf(movedReceiver)
      .max(LIMITS.receivers - 1)
      .unique('id'),
  )
    .description('The receivers beside the webhook, with their secrets')
    .meta(OPAQUE),
};

/** Settings of a session that move with it. */
export const movedSettings = record({
  orgId: text,
  webhookUrl: text,
  webhookToken: text,
  pollLookupUrl: text,
  extraEvents,
  retry,
  proxy: proxyUrl,
  enableGroupAi: flag,
  rejectCalls: flag,
  retentionDays,
  keepEvents: optional(keepEvents),
  linkedAt: optional(linkedAt),
  ...movedDeliveries,
});
export type MovedSettings = TypeOf<typeof movedSettings>;

/** The parts of an exported session's file beside credentials and keys. */
export const movedParts = record({ settings: movedSettings, received: listOf(received) });

/** Counts of the work that would be lost with a session. */
const unfinished = {
  failedDeliveries: count.description('[Failed deliveries](api.md#deliveries-and-live-stream)'),
  waitingDeliveries: count.description('Events that wait for their receivers, with `retry: durable`'),
  unannounced: count.description('Received messages that still have to be announced here'),
  unacknowledgedSends: count.description(
    'Sends that the network has not acknowledged, or whose event is not announced',
  ),
  heldSends: count.description('Messages that wait until the policy allows them'),
};

/** Operations that take over numbers linked by another program with the same protocol library. */
export const adoption = {
  adopt: operation({
    method: 'POST',
    path: '/adopt',
    owner: 'session',
    access: 'master',
    creates: true,
    summary: 'Take over a number from another program, without a new pairing',
    description:
      'A number may be sent in several requests, each within the limit of 1 MB. The first has `begin: true`. The last has `credentials`: then ' +
      'the number connects. Stop the other program before: the network permits one connection.',
    body: record({
      clientId,
      begin: optional(flag.description('`true` forgets the parts of an adoption that did not end')),
      keys: optional(listOf(key)).description('Keys of the link'),
      credentials: optional(
        anyFields().description(
          'The credentials of the link as the library writes them in JSON (`creds.json`)',
        ),
      ),
      received: optional(listOf(received)).description('The value that `/export-keys` answered').meta(OPAQUE),
      webhookUrl: optional(webhookUrl),
      ...webhookFields,
      proxy: optional(proxyUrl),
      linkedAt: optional(linkedAt),
      ...movedDeliveries,
    }),
    answer: record({
      ok,
      clientId,
      status: sessionStatus,
      jid: text,
      leftOut: listOf(text).description(
        'Family and id of the keys that cannot be used; all others are accepted',
      ),
    }),
    example: {
      ok: true,
      clientId: 'acme',
      status: 'initializing',
      jid: '15550000001@s.whatsapp.net',
      leftOut: [],
    },
    errors: ['session_already_paired'],
  }),
  giveBack: operation({
    method: 'POST',
    path: '/give-back',
    owner: 'session',
    access: 'master',
    summary: 'Close and delete a session but leave its device linked, so that another program can connect it',
    description: 'Deletes everything of the session; its device stays linked at the network.',
    body: record({
      clientId,
      jid: text
        .description(
          "The session's own jid, with or without its device, so that no other session is given back by mistake",
        )
        .example('15550000001@s.whatsapp.net'),
    }),
    answer: record({ ok, clientId }),
    example: { ok: true, clientId: 'acme' },
  }),
  exportSession: operation({
    method: 'POST',
    path: '/export',
    owner: 'session',
    access: 'master',
    summary: 'Stop a session, and get its credentials and settings for another Switchboard',
    description:
      'The session is `replaced` afterwards: it keeps its history, and connects again with `/reconnect` or `/start` only. Get its keys ' +
      'from `/export-keys`. Credentials, tokens, proxy, and addresses with a user or password are secrets: whoever has them can use the ' +
      'number, so keep the answer out of logs.',
    body: record({ clientId }),
    answer: record({
      ok,
      clientId,
      jid: text.description('The own jid, with its device'),
      credentials: anyFields().description('Credentials in the form of `/adopt`'),
      settings: movedSettings.description('Settings that move with the session').meta(NAMES_ONLY),
      staying: record(unfinished).description(
        'Data that is not moved and stays here, beside history, files and names of people',
      ),
    }),
    example: {
      ok: true,
      clientId: 'acme',
      jid: '15550000001:3@s.whatsapp.net',
      credentials: {},
      settings: {
        orgId: '',
        webhookUrl: 'https://example.com/webhook',
        webhookToken: '',
        pollLookupUrl: '',
        extraEvents: [],
        retry: 'contract',
        proxy: null,
        enableGroupAi: false,
        rejectCalls: false,
        retentionDays: null,
        linkedAt: '2026-11-01T10:02:00.000Z',
      },
      staying: {
        failedDeliveries: 0,
        waitingDeliveries: 0,
        unannounced: 0,
        unacknowledgedSends: 0,
        heldSends: 0,
      },
    },
    errors: ['session_unpaired', 'session_terminal'],
  }),
  getUnfinished: operation({
    method: 'GET',
    path: '/unfinished',
    owner: 'session',
    access: 'master',
    summary: 'Count the unfinished work of a session, which would be deleted with it',
    description:
      'Counted in the store. All counts are 0 when nothing would be lost but the history. Call it before `/give-back`.',
    query: record({ clientId }),
    answer: record({ clientId, ...unfinished }),
    example: {
      clientId: 'acme',
      failedDeliveries: 0,
      waitingDeliveries: 0,
      unannounced: 2,
      unacknowledgedSends: 0,
      heldSends: 0,
    },
  }),
  exportKeys: operation({
    method: 'POST',
    path: '/export-keys',
    owner: 'session',
    access: 'master',
    summary: 'Get the Signal keys of a session that `/export` stopped, page by page',
    body: record({
      clientId,
      after: optional(keyName.description('`next` of the previous page').meta(OPAQUE)),
    }),
    answer: record({
      ok,
      clientId,
      keys: listOf(key).description('A page of keys as `/adopt` takes them').meta(OPAQUE),
      next: optional(keyName).description('`after` of the next page; absent on the last page').meta(OPAQUE),
      received: optional(listOf(received))
        .description(
          'On the last page: the messages of the last minute with traffic, and the messages still to be announced, so that `/adopt` recognises ' +
            'a second delivery of them',
        )
        .meta(OPAQUE),
    }),
    example: { ok: true, clientId: 'acme', keys: [{ type: 'pre-key', id: '17', value: {} }] },
    errors: ['session_unpaired', 'session_already_paired'],
  }),
};

export type ExportSessionAnswer = AnswerOf<typeof adoption.exportSession>;
export type UnfinishedAnswer = AnswerOf<typeof adoption.getUnfinished>;
export type ExportKeysAnswer = AnswerOf<typeof adoption.exportKeys>;
/** One part of the state of a number. */
export type AdoptRequest = BodyOf<typeof adoption.adopt>;
