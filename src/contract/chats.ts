import Joi from 'joi';
import { LIMITS } from '../domain/limits.js';
import { addressFields, messageIdField } from './fields.js';
import { chatRoomId } from './inbox.js';
import { targetErrors } from './messages.js';
import { type BodyOf, operation } from './operation.js';
import { count, flag, ok, oneOf, optional, record, time } from './schema.js';

/** WhatsApp's own choices: off, a day, a week, 90 days. */
export const disappearingSeconds = Joi.number<0 | 86_400 | 604_800 | 7_776_000>()
  .valid(0, 86_400, 604_800, 7_776_000)
  .description('`0` (off), `86400` (a day), `604800` (a week) or `7776000` (90 days)')
  .example(86_400);

/** More messages than a person reads at once; the limit bounds the look-ups of one request. */
const MAX_MESSAGES = 1_000;

const chatErrors = [
  'session_unpaired',
  'session_suspended',
  'session_not_connected',
  'recipient_unknown',
  'lookup_failed',
  'send_not_connected',
] as const;

export const chats = {
  sendTyping: operation({
    method: 'POST',
    path: '/send-typing',
    owner: 'session',
    summary: 'Show or stop the typing indicator in a chat',
    description: 'The network does not acknowledge this. Ignores `Idempotency-Key`.',
    body: record({
      ...addressFields,
      composing: Joi.boolean()
        .default(true)
        .description('`true` shows that the number is typing, `false` that it stopped'),
    }),
    answer: record({ status: oneOf('ok') }),
    example: { status: 'ok' },
    errors: [...chatErrors, 'send_rejected'],
  }),
  subscribePresence: operation({
    method: 'POST',
    path: '/subscribe-presence',
    owner: 'session',
    summary: 'Subscribe to `presence` events of a chat for some minutes; the number appears online meanwhile',
    description:
      'Until `expiresAt`, [`presence` events](events.md#presence) tell when the person types or comes online, and **the number appears ' +
      'online**. 400 (`invalid_request`) if the session does not have `presence` in `extraEvents`.',
    body: record({
      ...addressFields,
      seconds: Joi.number()
        .integer()
        .min(LIMITS.presenceMinSeconds)
        .max(LIMITS.presenceMaxSeconds)
        .default(LIMITS.presenceMs / 1_000)
        .description('Seconds until the subscription ends'),
    }),
    answer: record({ ok, expiresAt: time }),
    example: { ok: true, expiresAt: '2026-11-22T10:10:00.000Z' },
    errors: [...chatErrors],
  }),
  deleteMessage: operation({
    method: 'POST',
    path: '/delete-message',
    owner: 'session',
    summary: 'Delete a message for everyone, or only on your own devices',
    description:
      'A deletion for everyone is a send: its errors are those of sends, and with an unknown outcome (502) it can be repeated. A message that ' +
      '[waits for its policy](policies.md#keep-a-refused-message) is cancelled instead, and nothing is sent unless a copy of it may have ' +
      'arrived. 404 (`message_unknown`, `room_unknown`) if mode `me` does not find the message in the history. Ignores `Idempotency-Key`.',
    body: record({
      ...addressFields,
      messageId: messageIdField.description('The message'),
      fromMe: flag.description('`true` if the linked number sent the message').example(true),
      mode: oneOf('everyone', 'me')
        .description(
          '`everyone`: own messages only, which the network enforces; `me`: only on the devices of the account',
        )
        .example('everyone'),
      chatRoomId: optional(chatRoomId).description(
        'The room of the message; required for `me` if the session has a [hosted inbox](inbox.md)',
      ),
    }),
    answer: record({ status: Joi.boolean<true>().valid(true) }),
    example: { status: true },
    errors: [
      ...chatErrors,
      ...targetErrors,
      'room_unknown',
      'send_rejected',
      'send_unacknowledged',
      'send_cut_off',
      'device_query_unanswered',
      'app_state_rejected',
    ],
  }),
  markRead: operation({
    method: 'POST',
    path: '/mark-read',
    owner: 'session',
    summary: "Send read receipts, and set the hosted room's unread count to 0",
    description:
      'The senders see that the messages were read. 502 (`receipt_rejected`) if the network refuses the receipt.',
    body: record({
      ...addressFields,
      messageIds: Joi.array<string[]>()
        .items(messageIdField)
        .min(1)
        .max(MAX_MESSAGES)
        .description('Messages of the chat')
        .example(['3EB0A9253D5F6C2B1E7A90']),
    }),
    answer: record({ ok, count }),
    example: { ok: true, count: 1 },
    errors: [...chatErrors, ...targetErrors, 'receipt_rejected'],
  }),
  archiveChat: operation({
    method: 'POST',
    path: '/archive-chat',
    owner: 'session',
    summary: 'Archive or unarchive a chat on all devices of the account',
    body: record({
      ...addressFields,
      archived: flag.default(true).description('`false` unarchives the chat'),
    }),
    answer: record({ ok }),
    example: { ok: true },
    errors: [...chatErrors, 'app_state_rejected'],
  }),
  muteChat: operation({
    method: 'POST',
    path: '/mute-chat',
    owner: 'session',
    summary: 'Mute or unmute a chat on all devices of the account',
    body: record({
      ...addressFields,
      muted: flag.default(true).description('`false` ends the mute'),
      until: optional(Joi.string().isoDate())
        .description('When the mute ends, RFC 3339, in the future; if absent, the mute has no end')
        .example('2026-11-23T08:00:00.000Z'),
    }),
    answer: record({ ok }),
    example: { ok: true },
    errors: [...chatErrors, 'app_state_rejected'],
  }),
  pinChat: operation({
    method: 'POST',
    path: '/pin-chat',
    owner: 'session',
    summary: 'Pin a chat to the top of the list on all devices of the account, or unpin it',
    body: record({ ...addressFields, pinned: flag.default(true).description('`false` unpins the chat') }),
    answer: record({ ok }),
    example: { ok: true },
    errors: [...chatErrors, 'app_state_rejected'],
  }),
  setDisappearingMessages: operation({
    method: 'POST',
    path: '/disappearing-messages',
    owner: 'session',
    summary: 'Set the seconds after which messages of a chat disappear; 0 turns the timer off',
    description:
      'The timer holds for everybody in the chat, for messages that people write from then on; messages that the gateway sends do not carry ' +
      'it and stay. In a group only admins may set it if the group is locked: 403 (`group_forbidden`). The timer of new chats is in the ' +
      '[profile](api.md#profile).',
    body: record({
      ...addressFields,
      seconds: disappearingSeconds,
    }),
    answer: record({ ok }),
    example: { ok: true },
    errors: [
      ...chatErrors,
      'policy_refused',
      'room_unknown',
      'send_rejected',
      'send_unacknowledged',
      'send_cut_off',
      'device_query_unanswered',
      'group_unknown',
      'group_forbidden',
      'group_conflict',
    ],
  }),
  markUnread: operation({
    method: 'POST',
    path: '/mark-unread',
    owner: 'session',
    summary: 'Flag a chat as unread on the linked phone',
    description:
      '404 (`message_unknown`) if no message of the chat is stored, 502 (`app_state_rejected`) if the network refuses the change.',
    body: record(addressFields),
    answer: record({ ok }),
    example: { ok: true },
    errors: [...chatErrors, ...targetErrors, 'app_state_rejected'],
  }),
};

export type Deletion = BodyOf<typeof chats.deleteMessage>;
