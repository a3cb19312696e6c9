import Joi from 'joi';
import { LIMITS } from '../domain/limits.js';
import { EVENT_TYPES } from './events/catalogue.js';
import { AMPLE, characters } from './fields.js';
import { type BodyOf, operation } from './operation.js';
import { receiverId } from './receivers.js';
import {
  anyFields,
  clientId,
  count,
  flag,
  httpUrl,
  listOf,
  named,
  ok,
  oneOf,
  optional,
  place,
  reasonFields,
  record,
  signingToken,
  type TypeOf,
  text,
  time,
} from './schema.js';
import { extraEvents } from './sessions.js';

/** Programs generate a listener's token, which must distinguish listeners. */
const LISTENER_TOKEN_LENGTH = { min: 16, max: 1_024 };
const TOKEN_LENGTH = { min: 1, max: 1_024 };
const LISTEN_SECONDS = 30;
const DEFAULT_LIMIT = 100;
/** Longer than any id: a ULID has 26 characters. */
const ID_LENGTH = 64;

const deliveryParams = record({
  id: Joi.string().max(ID_LENGTH).meta(AMPLE).example('01K0000000000000000000000A'),
});

const failedFields = {
  id: text,
  clientId,
  receiver: optional(text).description('Id of the receiver; absent for the webhook'),
  url: text.description('URL of the receiver, without parts that may be secret'),
  type: text,
  messageId: text,
  ...reasonFields,
  reason: text.description('Why it was not delivered'),
  attempts: count,
  failedAt: time,
  sample: optional(flag).description(
    'True for a sample of `/send-test-event` that an earlier release listed; absent for a real event',
  ),
};
export const failedDelivery = named('FailedDelivery', failedFields);
export const failedDeliveryWithEvent = named('FailedDeliveryWithEvent', {
  ...failedFields,
  event: anyFields().description('The event as it was POSTed'),
});
const deliveryFields = {
  deliveryId: text,
  delivered: flag,
  ...reasonFields,
  reason: text.description('Why the delivery failed; empty if it succeeded'),
};
export const resendAnswer = named('ResendAnswer', deliveryFields);
export const testEventAnswer = named('TestEventAnswer', {
  ...deliveryFields,
  signed: flag.description('True if the call had a token and a signature'),
});
export const listenAnswer = named('ListenAnswer', {
  ok,
  clientId,
  webhookUrl: text,
  registeredUrl: text.description(
    "The session's own webhook, which is used again afterwards; empty if it has none",
  ),
  expiresAt: time,
  renewed: flag.description('True if this listener was already registered'),
});
export const unlistenAnswer = named('UnlistenAnswer', { ok, clientId, ended: flag, webhookUrl: text });

export type FailedDelivery = TypeOf<typeof failedDelivery>;
export type FailedDeliveryWithEvent = TypeOf<typeof failedDeliveryWithEvent>;
export type ResendAnswer = TypeOf<typeof resendAnswer>;
export type TestEventAnswer = TypeOf<typeof testEventAnswer>;
export type ListenAnswer = TypeOf<typeof listenAnswer>;
export type UnlistenAnswer = TypeOf<typeof unlistenAnswer>;

const failed: FailedDelivery = {
  id: '01K0000000000000000000000A',
  clientId: 'acme',
  url: 'https://example.com/webhook',
  type: 'text',
  messageId: '3EB0A9253D5F6C2B1E7A90',
  reason: 'the receiver answered 500',
  attempts: 4,
  failedAt: '2026-11-22T10:00:00.000Z',
};

const NAME = characters(LIMITS.displayNameLength).allow('');

export const deliveries = {
  sendTestEvent: operation({
    method: 'POST',
    path: '/send-test-event',
    owner: 'session',
    summary: "Send a sample event to the session's webhook, and return the outcome",
    description:
      'Reaches a paused webhook or receiver too. A sample that the receiver refuses is not kept as a failed delivery. 409 (`webhook_missing`) ' +
      'without a webhook, 404 (`receiver_unknown`).',
    body: record({
      clientId,
      type: oneOf(...EVENT_TYPES)
        .description('[Type](events.md#types) of the event')
        .example('text'),
      fields: optional(
        record({
          body: optional(characters(LIMITS.textLength)),
          messageId: optional(Joi.string().max(LIMITS.messageIdLength).meta(AMPLE)),
          remoteName: optional(NAME),
          remotePhone: optional(NAME),
          pushName: optional(NAME),
        }).description('Values for fields of the event'),
      ),
      receiver: optional(receiverId).description(
        'Id of the [receiver](api.md#receivers); by default the webhook',
      ),
    }),
    answer: testEventAnswer,
    example: { deliveryId: '01K0000000000000000000000A', delivered: true, reason: '', signed: true },
    errors: ['webhook_missing', 'receiver_unknown'],
  }),
  listenWebhook: operation({
    method: 'POST',
    path: '/listen-webhook',
    owner: 'session',
    summary: "Receive a session's events instead of its webhook for some seconds; call again to renew",
    body: record({
      clientId,
      webhookUrl: httpUrl().description('Where the events go').example('http://127.0.0.1:4000/webhook'),
      webhookToken: signingToken(LISTENER_TOKEN_LENGTH)
        .disallow('')
        .description('Bearer token and signing key of the calls; tells listeners apart')
        .example('a-token-made-for-this-one'),
      extraEvents: extraEvents.default([]).description('Types of [opt-in events](events.md#opt-in-types)'),
      seconds: Joi.number()
        .integer()
        .min(LIMITS.listenMin)
        .max(LIMITS.listenMax)
        .default(LISTEN_SECONDS)
        .description('Seconds until the listener ends unless the call is repeated'),
      takeOver: flag.default(false).description('`true` replaces another listener of the session'),
    }),
    answer: listenAnswer,
    example: {
      ok: true,
      clientId: 'acme',
      webhookUrl: 'http://127.0.0.1:4000/webhook',
      registeredUrl: 'https://example.com/webhook',
      expiresAt: '2026-11-22T10:00:30.000Z',
      renewed: false,
    },
    errors: ['webhook_taken', 'webhook_unreachable'],
  }),
  unlistenWebhook: operation({
    method: 'POST',
    path: '/unlisten-webhook',
    owner: 'session',
    summary:
      "Send a session's events to its webhook again: ends the listener with that token; without a token, any listener",
    body: record({
      clientId,
      webhookToken: optional(
        signingToken(TOKEN_LENGTH).disallow('').description('Token of the listener; absent for any listener'),
      ),
    }),
    answer: unlistenAnswer,
    example: { ok: true, clientId: 'acme', ended: true, webhookUrl: 'https://example.com/webhook' },
  }),
  listFailedDeliveries: operation({
    method: 'GET',
    path: '/failed-deliveries',
    owner: 'any',
    summary: 'List the events that no attempt could deliver, newest first',
    query: record({
      clientId: optional(clientId).description('Only this session'),
      receiver: optional(receiverId).description(
        'With `clientId`: only deliveries to this [receiver](api.md#receivers); `1` is the webhook',
      ),
      limit: Joi.number().integer().min(1).max(LIMITS.failedDeliveriesKept).default(DEFAULT_LIMIT),
      before: optional(place),
    }),
    answer: record({
      failedDeliveries: listOf(failedDelivery),
      next: optional(text).description('`before` of the next page; absent on the last one'),
    }),
    example: { failedDeliveries: [failed] },
  }),
  getFailedDelivery: operation({
    method: 'GET',
    path: '/failed-deliveries/{id}',
    owner: 'any',
    summary: 'Get one failed delivery with its event',
    description: '404: `delivery_unknown`.',
    params: deliveryParams,
    answer: failedDeliveryWithEvent,
    example: {
      ...failed,
      event: { event: 'message.received', type: 'text', clientId: 'acme', body: 'Hello' },
    },
    errors: ['delivery_unknown'],
  }),
  resendFailedDelivery: operation({
    method: 'POST',
    path: '/failed-deliveries/{id}/resend',
    owner: 'session',
    summary:
      'Send a failed delivery again to its receiver, with four new attempts; a success removes it from the list',
    description: '404: `delivery_unknown`, `receiver_unknown`; 409: `webhook_missing`.',
    params: deliveryParams,
    answer: resendAnswer,
    example: { deliveryId: '01K0000000000000000000000A', delivered: true, reason: '' },
    errors: ['delivery_unknown', 'webhook_missing', 'receiver_unknown'],
  }),
};

export type ListenWish = BodyOf<typeof deliveries.listenWebhook>;
