import Joi from 'joi';
import { LIMITS } from '../domain/limits.js';
import { MESSAGE_STATUSES } from '../domain/room.js';
import { AMPLE } from './fields.js';
import { operation } from './operation.js';
import {
  anyFields,
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
  requiredClient,
  type TypeOf,
  text,
  time,
  timeOrEmpty,
} from './schema.js';

/** Longer than any room's id: three parts of at most 64, 20 and 64 characters. */
const ROOM_ID_LENGTH = 256;

export const chatRoomId = Joi.string()
  .max(ROOM_ID_LENGTH)
  .meta(AMPLE)
  .example('acme-90000000000001-90000000000002');
const roomParams = record({ chatRoomId });

export const chatRoom = named('ChatRoom', {
  chatRoomId: text,
  clientId,
  name: text,
  myLid: text,
  clientLid: text.description("The other party's LID user-part, or the group's id"),
  isGroup: flag,
  remoteJid: text,
  lastMessage: text,
  lastMessageFromMe: flag,
  lastMessageAt: timeOrEmpty,
  unreadCount: count,
  avatarUrl: text.description("Permanent link to the room's picture; empty if there is none"),
  archived: optional(flag).description(
    'Present, and true, while the chat is archived on the devices of the account',
  ),
  mutedUntil: optional(time).description(
    'End of the mute, which may be in the past; `9999-12-31T23:59:59.999Z` for a mute without an end',
  ),
  pinned: optional(flag).description('Present, and true, while the chat is pinned'),
});
export const storedMessage = named('StoredMessage', {
  messageId: text,
  chatRoomId: text,
  clientId,
  body: text,
  messageType: text,
  fromMe: flag,
  pushname: text,
  sentAt: time,
  deleted: flag,
  fromAi: flag,
  media: optional(named('StoredMedia', { mimeType: text, mediaType: text, fileName: text, fileSize: count })),
  downloadUrl: text.description('Permanent link to the stored file; empty if there is none'),
  extras: anyFields().description("The per-type objects of the message's event, with later changes"),
  status: optional(oneOf(...MESSAGE_STATUSES)).description(
    'Status of an own message, with `status=true`; in a group the furthest of any member',
  ),
});
export type ChatRoom = TypeOf<typeof chatRoom>;
export type StoredMessage = TypeOf<typeof storedMessage>;

export const inbox = {
  listChatRooms: operation({
    method: 'GET',
    path: '/chatrooms',
    owner: 'any',
    summary: 'List the chat rooms of the hosted inbox, newest activity first',
    query: requiredClient,
    answer: record({ chatRooms: listOf(chatRoom) }),
    example: {
      chatRooms: [
        {
          chatRoomId: 'acme-90000000000001-90000000000002',
          clientId: 'acme',
          name: 'Ada Example',
          myLid: '90000000000001',
          clientLid: '90000000000002',
          isGroup: false,
          remoteJid: '90000000000002@lid',
          lastMessage: 'Hello',
          lastMessageFromMe: false,
          lastMessageAt: '2026-11-22T10:00:00.000Z',
          unreadCount: 1,
          avatarUrl: '',
        },
      ],
    },
    errors: ['session_unknown'],
  }),
  listMessages: operation({
    method: 'GET',
    path: '/chatrooms/{chatRoomId}/messages',
    owner: 'any',
    summary: 'List the newest messages of a room, or with `before` those before a message; oldest first',
    description: 'An empty list means that no message is older than `before`.',
    params: roomParams,
    query: record({
      clientId: optional(clientId),
      limit: Joi.number().integer().min(1).max(LIMITS.historyPage).default(LIMITS.historyPage),
      before: optional(
        Joi.string()
          .max(LIMITS.messageIdLength)
          .meta(AMPLE)
          .description('A `messageId`: the messages before that one')
          .example('3EB0A9253D5F6C2B1E7A90'),
      ),
      status: flag.default(false).description('`true`: own messages have a `status`'),
    }),
    answer: record({ messages: listOf(storedMessage) }),
    example: {
      messages: [
        {
          messageId: '3EB0A9253D5F6C2B1E7A90',
          chatRoomId: 'acme-90000000000001-90000000000002',
          clientId: 'acme',
          body: 'Hello',
          messageType: 'chat',
          fromMe: false,
          pushname: 'Ada',
          sentAt: '2026-11-22T10:00:00.000Z',
          deleted: false,
          fromAi: false,
          downloadUrl: '',
          extras: {},
        },
      ],
    },
    errors: ['session_unknown', 'room_unknown', 'message_unknown'],
  }),
  getMessageMediaUrl: operation({
    method: 'GET',
    path: '/chatrooms/{chatRoomId}/messages/{messageId}/media-url',
    owner: 'any',
    summary: "Get the permanent link to a stored message's file",
    description: 'The `downloadUrl` of the message.',
    params: record({ chatRoomId, messageId }),
    answer: record({ ok, url: text }),
    example: { ok: true, url: 'http://127.0.0.1:3000/media/7d9f9a1e-5a0c-4f0e-9f43-6b8f0f3f4a51/menu.pdf' },
    errors: ['session_unknown', 'room_unknown', 'message_unknown', 'file_unknown'],
  }),
  requestHistory: operation({
    method: 'POST',
    path: '/request-history',
    owner: 'session',
    summary: 'Ask the phone for the messages of a room before the oldest stored one, and store them',
    description:
      `Answers when the phone has answered and the messages are stored. 502 (\`history_phone_silent\`) if it does not answer within ` +
      `${LIMITS.historyAnswerMs / 1_000} s; a later answer is stored all the same. A session asks for one room at a time, and then rests for ` +
      `${LIMITS.historyPauseMs / 1_000} s: 429 (\`history_requested\`) with \`Retry-After\`. 409 (\`history_off\`) if the session keeps no history, or ` +
      'only a shorter one. 404 if there is no such room (`room_unknown`) or the room has no stored message (`message_unknown`). The messages are ' +
      'not delivered as events. 400 for a room of a number that was linked before. After an answer that brought nothing new, the next request goes ' +
      'on from where it ended.',
    body: record({
      clientId,
      chatRoomId,
      count: Joi.number()
        .integer()
        .min(1)
        .max(LIMITS.requestedMessages)
        .default(LIMITS.requestedMessages)
        .description('Messages to ask for'),
    }),
    answer: record({
      ok,
      messages: count.description('Messages that came and were not stored yet'),
      more: optional(flag).description(
        'Whether the phone holds still older messages of the chat; absent if it does not say so. Also false after an answer from which no ' +
          'further request can go on',
      ),
    }),
    example: { ok: true, messages: 50, more: true },
    errors: [
      'session_unpaired',
      'session_suspended',
      'send_not_connected',
      'room_unknown',
      'message_unknown',
      'history_off',
      'history_requested',
      'history_phone_silent',
    ],
  }),
  resetUnread: operation({
    method: 'POST',
    path: '/chatrooms/{chatRoomId}/read',
    owner: 'any',
    summary: "Set a room's unread count to 0, without read receipts",
    params: roomParams,
    body: record({ clientId: optional(clientId) }),
    answer: record({ status: oneOf('ok') }),
    example: { status: 'ok' },
    errors: ['session_unknown', 'room_unknown'],
  }),
};
