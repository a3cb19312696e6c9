import Joi from 'joi';
import { POLICY_MODES } from '../domain/policy/policy.js';
import { RULE_NAMES } from '../domain/policy/rules.js';
import { AMPLE } from './fields.js';
import { operation } from './operation.js';
import {
  clientId,
  count,
  flag,
  listOf,
  messageId,
  named,
  ok,
  oneOf,
  optional,
  record,
  type TypeOf,
  text,
  time,
  timeOrEmpty,
} from './schema.js';

const mode = oneOf(...POLICY_MODES).description(
  '`observe`: refusals are only counted; `enforce`: sends are refused; `off`: the session has no policy',
);
const refused = listOf(record({ rule: oneOf(...RULE_NAMES), count })).description(
  'Sends by the first rule that refused them, or would have, since the node holds the session',
);
const standing = oneOf('new', 'unanswered', 'running').description(
  '`running`: the other side has written, or it is a group; `unanswered`: only this number has written',
);

/** The policy of a session in the report of the fleet. */
export const policyFigures = named('PolicyFigures', { name: text, mode, refused });

const policyRefusal = named('PolicyRefusal', {
  rule: oneOf(...RULE_NAMES),
  reason: text.description('Reason for people'),
  limit: optional(count).description('The limit of the rule; absent for a rule that counts nothing'),
  left: optional(count).description('Unused part of the limit'),
  allowedAt: timeOrEmpty.description('When the rule allows the message; empty if never'),
  retryAfter: optional(count).description('Seconds until then'),
});

const policyAnswer = named('PolicyAnswer', {
  clientId,
  policy: text.description('Name of the policy; empty if the session has none'),
  mode,
  linkedDays: count.description('Days since the number was linked'),
  refused,
  messages: optional(record({ lastHour: count, lastDay: count })),
  newChats: optional(
    record({
      used: count.description('New chats of the last 24 hours'),
      limit: optional(count).description('Limit at the current age of the link; absent without a limit'),
      left: optional(count),
    }),
  ),
  lookUps: optional(record({ used: count, limit: count, left: count })).description(
    'Questions of the last hour whether a recipient is on WhatsApp; present under a policy with `lookUpFirst`',
  ),
  chat: optional(
    record({
      jid: text,
      standing,
      allowed: flag,
      refusals: listOf(policyRefusal),
      lookUp: optional(oneOf('known', 'absent', 'asked')).description(
        'Whether the recipient of a first message is on WhatsApp, with `lookUpFirst`: `known` to be there, known to be `absent`, or to be `asked`',
      ),
    }),
  ).description(
    'With `to`: whether a message to that recipient would leave now, and every rule that refuses it',
  ),
});

const pastSends = named('PastSends', {
  clientId,
  orgId: optional(text).description('The workspace of the session; absent if it has none'),
  createdAt: time.description('When the session was created'),
  linkedAt: time.description('When the number was linked, from which rules by age count'),
  sends: listOf(
    record({
      at: time,
      to: text,
      pn: optional(text).description('Jid of the phone number of a person with a LID, if known'),
      standing,
    }),
  ).description('The sends, oldest first'),
  next: optional(time).description('`after` of the next page; present if more follow'),
});

export const heldMessage = named('HeldMessage', {
  messageId: text.description('Id of the message'),
  to: text.description('Jid of the recipient'),
  route: text.description('The operation of the send, such as `/send-message`'),
  rule: oneOf(...RULE_NAMES).description('The rule that refused the message at its last judgement'),
  heldAt: time,
  allowedAt: time.description('When no rule refuses the message any more, if nothing else is sent before'),
  expiresAt: time.description('When the message is given up'),
  leaving: flag.description('True while the message is being sent'),
});

export type HeldMessage = TypeOf<typeof heldMessage>;
export type PolicyAnswer = TypeOf<typeof policyAnswer>;
export type PolicyFigures = TypeOf<typeof policyFigures>;
export type PastSends = TypeOf<typeof pastSends>;

const HELD_PAGE = 1_000;
const SENDS_PAGE = 1_000;

export const policies = {
  listOutbox: operation({
    method: 'GET',
    path: '/outbox',
    owner: 'session',
    summary: 'List the messages that wait until their policy allows them, oldest first',
    description: '[`whenAllowed`](policies.md#keep-a-refused-message) makes messages wait.',
    query: record({
      clientId,
      limit: count.min(1).max(HELD_PAGE).default(100),
      after: optional(messageId).description('Continue after this message: `next` of the previous page'),
    }),
    answer: record({
      messages: listOf(heldMessage),
      next: optional(text).description('`after` of the next page; present if more follow'),
    }),
    example: {
      messages: [
        {
          messageId: '3EB0C767D097B7C1A2B3C4',
          to: '90000000000002@lid',
          route: '/send-message',
          rule: 'newChatsPerDay',
          heldAt: '2026-11-22T10:00:00.000Z',
          allowedAt: '2026-11-22T11:30:00.000Z',
          expiresAt: '2026-11-29T10:00:00.000Z',
          leaving: false,
        },
      ],
    },
  }),
  cancelHeldMessage: operation({
    method: 'POST',
    path: '/outbox/cancel',
    owner: 'session',
    summary: 'Cancel a message that waits until its policy allows it',
    description:
      '404 `held_send_unknown`: no such message waits; 409 `held_send_leaving`: it is being sent, or may have arrived.',
    body: record({ clientId: clientId.required(), messageId: messageId.required() }),
    answer: record({ ok, messageId: text }),
    example: { ok: true, messageId: '3EB0C767D097B7C1A2B3C4' },
    errors: ['held_send_unknown', 'held_send_leaving'],
  }),
  getPolicy: operation({
    method: 'GET',
    path: '/policy',
    owner: 'session',
    summary:
      'Get the policy of a session and its counts; with `to` also whether a message to that recipient would be sent now',
    query: record({
      clientId,
      to: optional(Joi.string().max(128).meta(AMPLE)).description('Recipient, as in `/send-message`'),
    }),
    answer: policyAnswer,
    example: {
      clientId: 'acme',
      policy: 'gentle',
      mode: 'enforce',
      linkedDays: 2,
      refused: [{ rule: 'newChatsPerDay', count: 3 }],
      messages: { lastHour: 4, lastDay: 31 },
      newChats: { used: 5, limit: 5, left: 0 },
    },
    errors: [
      'session_unpaired',
      'session_suspended',
      'session_not_connected',
      'recipient_unknown',
      'lookup_failed',
    ],
  }),
  getPastSends: operation({
    method: 'GET',
    path: '/policy/sends',
    owner: 'session',
    summary: 'Get the recent sends of a session, without their content, for a replay against a policy',
    description: 'Sends of the same millisecond are in one page.',
    query: record({
      clientId,
      days: count.min(1).max(14).default(14).description('Sends of so many last days'),
      limit: count.min(1).max(SENDS_PAGE).default(SENDS_PAGE),
      after: optional(time).description('Continue after this time: `next` of the previous page'),
    }),
    answer: pastSends,
    example: {
      clientId: 'acme',
      createdAt: '2026-11-01T10:00:00.000Z',
      linkedAt: '2026-11-01T10:02:00.000Z',
      sends: [{ at: '2026-11-22T10:00:00.000Z', to: '90000000000002@lid', standing: 'running' }],
    },
  }),
};
