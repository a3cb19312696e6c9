import Joi from 'joi';
import { WEBHOOK_ID } from '../domain/ids.js';
import { LIMITS } from '../domain/limits.js';
import { EVENT_TYPES } from './events/catalogue.js';
import { type BodyOf, operation } from './operation.js';
import { receiverId } from './receivers.js';
import {
  clientId,
  count,
  flag,
  listOf,
  named,
  ok,
  oneOf,
  optional,
  place,
  reasonFields,
  record,
  type TypeOf,
  text,
  time,
} from './schema.js';

const DEFAULT_LIMIT = 100;
const ID_LENGTH = 26;

const type = oneOf(...EVENT_TYPES)
  .description('[Type](events.md#types) of the events')
  .example('text');
const limit = Joi.number().integer().min(1).max(LIMITS.replayedEvents).default(DEFAULT_LIMIT);
const from = optional(time).description('Only events that were announced at this time or later');
const to = optional(time).description('Only events that were announced at this time or earlier');

export const keptEvent = named('KeptEvent', {
  id: text.description('Id of the event, as in the header `X-SN-Replayed`'),
  clientId,
  at: time.description('When the event was announced'),
  type: text,
  messageId: text.description('Id of the message; empty if the event is about no message'),
  bytes: count,
});

export const replayAnswer = named('ReplayAnswer', {
  ok,
  clientId,
  receiver: text,
  replayed: count.description('Events that the receiver accepted, or that wait for it with `retry: durable`'),
  filtered: count.description('Events that do not pass the filter of the receiver'),
  damaged: optional(count).description(
    'Events that were changed in the store: they are skipped, and the log names them',
  ),
  ...reasonFields,
  reason: optional(text).description(
    'Why the receiver did not accept the next event, which ended the request; that event is now a failed delivery',
  ),
  missing: optional(listOf(text)).description('Requested ids that are not kept'),
  next: optional(text).description('`after` of the next request; absent if no event is left'),
});

export type KeptEvent = TypeOf<typeof keptEvent>;
export type ReplayAnswer = TypeOf<typeof replayAnswer>;

const kept: KeptEvent = {
  id: '01K0000000000000000000000A',
  clientId: 'acme',
  at: '2026-11-22T10:00:00.000Z',
  type: 'text',
  messageId: '3EB0A9253D5F6C2B1E7A90',
  bytes: 812,
};

/** Operations on the kept events of a session with `keepEvents`. */
export const replays = {
  listKeptEvents: operation({
    method: 'GET',
    path: '/kept-events',
    owner: 'session',
    summary: 'List the events that a session keeps, newest first, without their content',
    query: record({ clientId, from, to, type: optional(type), limit, before: optional(place) }),
    answer: record({
      keptEvents: listOf(keptEvent),
      next: optional(text).description('`before` of the next page; absent on the last one'),
    }),
    example: { keptEvents: [kept] },
  }),
  replay: operation({
    method: 'POST',
    path: '/replay',
    owner: 'session',
    summary: 'Send kept events of a session again to one of its receivers, oldest first',
    description:
      'Each event is a new delivery with the header `X-SN-Replayed` and the retries of the receiver. The request ends ' +
      'at the first event that the receiver does not accept, and starts no further event after 20 s: give `next` as `after` of a request with ' +
      'the same other fields to continue. 409: `receiver_paused`, `webhook_missing`; 404: `receiver_unknown`.',
    body: record({
      clientId,
      receiver: receiverId
        .default(WEBHOOK_ID)
        .description('Id of the [receiver](api.md#receivers); `1` is the webhook'),
      from,
      to,
      ids: optional(
        listOf(
          Joi.string()
            .length(ID_LENGTH)
            .pattern(/^[0-9A-Z]+$/)
            .example(kept.id),
        )
          .min(1)
          .max(LIMITS.replayedEvents)
          .unique(),
      ).description('Only these events'),
      types: optional(listOf(type).min(1).unique()).description('Only events of these types'),
      ignoreFilter: flag
        .default(false)
        .description('`true` includes events that do not pass the filter of the receiver'),
      limit,
      after: optional(place).description('`next` of the previous request, with the same other fields'),
    }).or('from', 'to', 'ids'),
    answer: replayAnswer,
    example: { ok: true, clientId: 'acme', receiver: '1', replayed: 17, filtered: 0 },
    errors: ['webhook_missing', 'receiver_unknown', 'receiver_paused'],
  }),
};

export type ReplayWish = BodyOf<typeof replays.replay>;
