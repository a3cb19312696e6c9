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
  .description('0 (off), 86400 (a day), 604800 (a week) or 7776000 (90 days)')
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
    body: record({ ...addressFields, composing: Joi.boolean().default(true) }),
    answer: record({ status: oneOf('ok') }),
    example: { status: 'ok' },
    errors: [...chatErrors, 'send_rejected'],
  }),
  subscribePresence: operation({
    method: 'POST',
    path: '/subscribe-presence',
    owner: 'session',
    summary: 'Subscribe to `presence` events of a chat for some minutes; the number appears online meanwhile',
    body: record({
      ...addressFields,
      seconds: Joi.number()
        .integer()
        .min(LIMITS.presenceMinSeconds)
        .max(LIMITS.presenceMaxSeconds)
        .default(LIMITS.presenceMs / 1_000),
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
    body: record({
      ...addressFields,
      messageId: messageIdField,
      fromMe: flag.example(true),
      mode: oneOf('everyone', 'me').example('everyone'),
      chatRoomId: optional(chatRoomId).description(
        'The room in the hosted inbox; required for `me`, if the session has a hosted inbox',
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
    body: record({
      ...addressFields,
      messageIds: Joi.array<string[]>()
        .items(messageIdField)
        .min(1)
        .max(MAX_MESSAGES)
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
    body: record({ ...addressFields, archived: flag.default(true) }),
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
      muted: flag.default(true),
      until: optional(Joi.string().isoDate())
        .description('When the mute ends, RFC 3339; absent for a mute without an end')
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
    body: record({ ...addressFields, pinned: flag.default(true) }),
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
      'Applies to everyone in the chat, and to new messages only. In a group that only admins may change, the number must be an admin.',
    body: record({ ...addressFields, seconds: disappearingSeconds }),
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
    body: record(addressFields),
    answer: record({ ok }),
    example: { ok: true },
    errors: [...chatErrors, ...targetErrors, 'app_state_rejected'],
  }),
};

export type Deletion = BodyOf<typeof chats.deleteMessage>;
