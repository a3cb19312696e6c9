import Joi from 'joi';
import { LIMITS } from '../domain/limits.js';
import { OWN_HEADERS, ownHeadersFlaw } from '../domain/own-headers.js';
import { plainLine } from '../domain/text.js';
import { EVENT_TYPES } from './events/catalogue.js';
import { AMPLE, OPAQUE } from './fields.js';
import { pauseCode, setBy, webhookAttempt } from './fleet.js';
import { waitingEvents } from './health.js';
import { type BodyOf, operation } from './operation.js';
import {
  clientId,
  count,
  flag,
  listOf,
  named,
  nameText,
  number,
  ok,
  oneOf,
  optional,
  receiverAddress,
  record,
  requiredClient,
  signingToken,
  type TypeOf,
  text,
  time,
} from './schema.js';
import { previousTokenFor, retry, TOKEN_LENGTH } from './sessions.js';

/** Longer than any chatRoomId or jid. */
const ROOM_LENGTH = 256;

/** The id of a receiver: a number that is never reused in its session. */
export const receiverId = Joi.string()
  .max(LIMITS.receiverIdLength)
  .meta(AMPLE)
  .description('Id of the receiver')
  .pattern(/^[1-9][0-9]*$/)
  .messages({ 'string.pattern.base': '{#label} must be a number such as 2' })
  .example('2');

const few = <T>(item: Joi.AnySchema<T>) => listOf(item).min(1).max(LIMITS.receiverFilterEntries).unique();

const filter = named('ReceiverFilter', {
  types: optional(few(oneOf(...EVENT_TYPES))).description(
    '[Types](events.md) of events, including opt-in types. Default: messages, and the `extraEvents` of the session',
  ),
  direction: optional(oneOf('received', 'sent')).description('Only received or only sent events'),
  groups: optional(flag).description('`true` for only groups, `false` for no groups'),
  rooms: optional(few(Joi.string().max(ROOM_LENGTH).meta(AMPLE))).description(
    'Only events of these rooms: each a `chatRoomId`, a `remoteJid`, the user-part of one, or a number with `+`',
  ),
  senders: optional(few(Joi.string().max(LIMITS.addressLength).meta(AMPLE))).description(
    'Only events of these people: user-parts, or numbers with `+`',
  ),
}).description('An event must pass every given part; `{}` accepts all events');

const schedule = named('ReceiverSchedule', {
  attempts: optional(count.min(1).max(LIMITS.receiverAttempts)).description(
    'With `retry: contract`: attempts for one event; default: 4',
  ),
  pauses: optional(
    listOf(number.min(1).max(LIMITS.receiverPauseSeconds)).min(1).max(LIMITS.receiverPauses),
  ).description('With `retry: durable`: seconds between the attempts; the last pause is repeated'),
  giveUpHours: optional(count.min(1).max(LIMITS.receiverGiveUpHours)).description(
    'With `retry: durable`: hours after which an event becomes a failed delivery; default: 72',
  ),
});

const headers = Joi.object<Record<string, string>>()
  .unknown()
  .custom((value: Record<string, unknown>, helpers) => {
    const texts: Record<string, string> = {};
    for (const [name, content] of Object.entries(value)) {
      if (typeof content !== 'string')
        return helpers.message({ custom: '{#label} must have texts as values' });
      texts[name] = content;
    }
    const flaw = ownHeadersFlaw(texts);
    if (flaw) return helpers.message({ custom: `{#label} ${flaw}` });
    const lower = Object.entries(texts).map(([name, content]) => [name.toLowerCase(), content]);
    return Object.fromEntries(lower);
  })
  .description(
    `Headers of every call, by name; at most ${OWN_HEADERS.most}, with ${OWN_HEADERS.bytes.toLocaleString('en-US')} characters together. ` +
      'Not `Authorization`, `Host`, `User-Agent`, `X-SN-…`, `webhook-…`, `Content-…`, nor those of the connection',
  )
  .example({ 'x-api-key': 's3cret' });

const url = receiverAddress()
  .description('An http(s) address or that of a [broker](webhooks.md#brokers)')
  .example('https://example.com/audit');
const token = signingToken(TOKEN_LENGTH).description(
  'Bearer token and signing key of the calls; `""` for none',
);
const name = nameText(LIMITS.receiverNameLength).description('Name for people').example('audit');
/** A name without the check for control characters, because earlier releases accepted them and their sessions must be able to move. */
const movedName = Joi.string()
  .max(LIMITS.receiverNameLength)
  .allow('')
  .custom((value: string) => plainLine(value));

const settings = {
  name: optional(name),
  token: optional(token),
  retry: optional(retry).description('Retries; a broker always has `durable`'),
  filter: optional(filter),
  headers: optional(headers),
  schedule: optional(schedule).description("400 for a part that the receiver's kind of retries does not use"),
};

/** A receiver as an exported session has it, with its secrets. */
export const movedReceiver = record({
  ...{ id: receiverId, name: movedName, url, token, retry, filter, headers, schedule },
  previousToken: Joi.string<string | null>().max(TOKEN_LENGTH.max).allow(null),
  previousTokenUntil: count.description('Milliseconds since the epoch; 0 without such a token'),
  paused: text,
  pauseCode: optional(pauseCode),
  setBy: optional(setBy),
});

export const receiver = named('Receiver', {
  id: text.description('`1` is the webhook of the session'),
  name: text,
  url: text.description('URL of the receiver; without user and password for a broker'),
  hasToken: flag,
  previousTokenUntil: optional(time).description(
    'When calls stop carrying a second signature with the previous token; absent if they carry none',
  ),
  retry,
  setBy: optional(setBy),
  paused: optional(text).description('Why the receiver is paused; absent if it is not'),
  pauseCode: optional(pauseCode),
  filter: filter.meta(OPAQUE),
  headers: listOf(text).description('Names of its additional headers'),
  schedule: schedule.meta(OPAQUE),
  waiting: optional(waitingEvents).description('Events that wait for the receiver, with `retry: durable`'),
  failed: count.description('Failed deliveries, kept for sending again by hand'),
  delivered: count.description('Number since the start of the daemon'),
  dropped: count.description('Number since the start of the daemon'),
  last: optional(webhookAttempt).description('The last call; absent before the first').meta(OPAQUE),
});

export type Receiver = TypeOf<typeof receiver>;
export type MovedReceiver = TypeOf<typeof movedReceiver>;

const example: Receiver = {
  id: '2',
  name: 'audit',
  url: 'https://example.com/audit',
  hasToken: true,
  retry: 'durable',
  filter: { direction: 'received' },
  headers: ['x-api-key'],
  schedule: { giveUpHours: 24 },
  failed: 0,
  delivered: 17,
  dropped: 0,
};

const OF_TENANTS =
  "A session's secret may set the URL of a broker only with the setting `--allow-tenant-brokers`.";

const ofReceiver = { clientId, id: receiverId };
const answer = record({ ok, clientId, receiver });
const answered = { ok: true as const, clientId: 'acme', receiver: example };

export const receivers = {
  listReceivers: operation({
    method: 'GET',
    path: '/receivers',
    owner: 'session',
    summary: 'List the receivers of a session; its webhook, if there is one, has the id `1`',
    description:
      'Never with tokens, the values of headers, or [user and password](webhooks.md#user-and-password-in-an-address).',
    query: requiredClient,
    answer: record({ receivers: listOf(receiver) }),
    example: { receivers: [example] },
  }),
  addReceiver: operation({
    method: 'POST',
    path: '/receivers',
    owner: 'session',
    summary: `Add a receiver beside the webhook; a session has up to ${LIMITS.receivers} receivers in total`,
    description: `${OF_TENANTS} 409: \`receivers_full\`.`,
    body: record({ clientId, url, ...settings }),
    answer,
    example: answered,
    errors: ['receivers_full'],
  }),
  updateReceiver: operation({
    method: 'POST',
    path: '/receivers/update',
    owner: 'session',
    summary: 'Change, pause or resume a receiver; absent fields do not change',
    description:
      '`filter`, `headers` and `schedule` replace the previous value as a whole. A new `url` also ends a pause. Change the webhook, ' +
      `\`1\`, with \`/set-webhook\` and \`/pause-webhook\`: 400 for \`1\` here. 404: \`receiver_unknown\`. ${OF_TENANTS}`,
    body: record({
      ...ofReceiver,
      url: optional(url),
      ...settings,
      previousTokenFor: optional(previousTokenFor),
      paused: optional(flag).description(
        '`true` pauses the receiver until somebody resumes it, `false` resumes it',
      ),
    }),
    answer,
    example: answered,
    errors: ['receiver_unknown'],
  }),
  removeReceiver: operation({
    method: 'POST',
    path: '/receivers/remove',
    owner: 'session',
    summary: 'Remove a receiver with its failed deliveries, and drop the events that wait for it',
    description:
      'The id of a removed receiver is never reused. 404: `receiver_unknown`; 400 for `1`, the webhook.',
    body: record(ofReceiver),
    answer: record({ ok, clientId, id: text, discarded: count.description('Number of dropped events') }),
    example: { ok: true, clientId: 'acme', id: '2', discarded: 0 },
    errors: ['receiver_unknown'],
  }),
};

export type NewReceiver = Omit<BodyOf<typeof receivers.addReceiver>, 'clientId'>;
export type ReceiverChanges = Omit<BodyOf<typeof receivers.updateReceiver>, 'clientId' | 'id'>;
