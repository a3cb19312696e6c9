import Joi from 'joi';
import {
  count,
  flag,
  listOf,
  named,
  number as numeric,
  oneOf,
  optional,
  record,
  type TypeOf,
} from '../schema.js';
import { contentOptions, mediaContent, type WriteContent, writeContents } from './contents.js';
import { MAX_EPHEMERAL_S, number, numberParams, partner, shortText, whole } from './fields.js';
import {
  type ChatView,
  changeView,
  chatstateView,
  chatView,
  type MessageView,
  messageView,
} from './message-views.js';
import { controlOperation } from './operation.js';

const MAX_IDS = 1_000;
/** For files in base64; larger files go through `POST /files`. */
const MAX_BODY_BYTES = 32 * 1024 * 1024;
const MAX_FORWARDS = 1_000;
const MAX_AD_TEXT = 2_048;
const MAX_POST_TEXT = 4_096;
const MAX_FONT = 10;
const MAX_CHANNEL_DIGITS = 20;
const MAX_ID_CHARS = 128;

/** The id of a message. */
const messageId = Joi.string().max(MAX_ID_CHARS).example('3A0123456789ABCDEF01');
const messageParams = record({ number, messageId });

const adText = optional(shortText(MAX_AD_TEXT));
const adClick = named('AdClick', {
  sourceUrl: adText,
  sourceId: optional(shortText(MAX_AD_TEXT).description('Id of the ad or the post')),
  sourceType: optional(oneOf('ad', 'post')),
  title: adText,
  body: adText,
  mediaType: optional(oneOf('image', 'video')),
  mediaUrl: adText,
  thumbnailUrl: adText,
  ctwaClid: adText,
  ref: adText,
  sourceApp: adText,
});
export type AdClick = TypeOf<typeof adClick>;

const deviceCopy = oneOf(
  'damaged',
  'damaged-for-good',
  'unavailable',
  'unavailable-view-once',
  'unavailable-bot',
  'unavailable-hosted',
  'plaintext',
).meta({ name: 'DeviceCopy' });
export type DeviceCopy = TypeOf<typeof deviceCopy>;

const envelope = record({
  to: partner,
  quotedMessageId: optional(messageId),
  mentions: optional(listOf(number).max(MAX_IDS).description('Numbers')),
  forwarded: optional(flag),
  forwardingScore: optional(whole(1, MAX_FORWARDS).description('How often it was forwarded; 1 by default')),
  ephemeral: optional(whole(1, MAX_EPHEMERAL_S).description('Seconds after which it disappears')),
  ad: optional(
    adClick.description(
      'The click on an ad (click to WhatsApp) from which the person began the chat; beside `text` and files',
    ),
  ),
  deviceCopy: optional(
    deviceCopy.description(
      'What the linked devices of others get in place of a readable copy; phones get a readable one. `damaged`: a ' +
        'ciphertext that nobody can decrypt, until it is encrypted again; `damaged-for-good`: also then. ' +
        '`unavailable` and its kinds: no ciphertext. `plaintext`: the content, not encrypted',
    ),
  ),
});

/** A message to write. */
export interface WriteRequest extends WriteContent, TypeOf<typeof envelope> {}

const writeRequest = Joi.object<WriteRequest, false, WriteRequest>()
  .concat(envelope)
  .keys({ ...writeContents, ...contentOptions })
  .xor(...Object.keys(writeContents))
  .without('ad', ['vote', 'reaction', 'edit', 'encryptedEdit', 'revoke', 'raw'])
  .meta({ name: 'WriteRequest' });

const chatUpdate = named('ChatUpdate', {
  unread: optional(flag),
  archived: optional(flag.example(true)),
  pinned: optional(flag),
  muted: optional(flag),
}).min(1);
export type ChatUpdate = TypeOf<typeof chatUpdate>;

/** A trusted-contact token that a person gives to another one. */
const tokenRequest = named('TokenRequest', {
  to: number,
  t: optional(whole(1).description('Seconds since the epoch; now by default')),
});

/** A status that a person posts. */
const statusRequest = named('StatusRequest', {
  text: shortText(MAX_POST_TEXT).allow('').description('Empty beside a file').example('At the lake'),
  media: optional(mediaContent.description('A picture or a video, with its caption')),
  to: optional(
    listOf(number)
      .max(MAX_IDS)
      .description("Numbers of the people who get it; by default those of the person's privacy"),
  ),
  backgroundColor: optional(
    Joi.string()
      .pattern(/^#[0-9a-f]{6}$/i, 'color')
      .description('Of a text: `#` and six hex digits'),
  ),
  font: optional(whole(0, MAX_FONT).description('Of a text')),
});
export type StatusRequest = TypeOf<typeof statusRequest>;

/** Post of a channel. */
const channelPost = named('ChannelPost', {
  text: shortText(MAX_POST_TEXT).min(1).example('News'),
  channel: optional(
    Joi.string()
      .pattern(/^[0-9]+$/, 'digits')
      .max(MAX_CHANNEL_DIGITS)
      .description("The digits of the channel's jid; one channel by default"),
  ),
});
export type ChannelPost = TypeOf<typeof channelPost>;

const MESSAGE: MessageView = {
  messageId: '3A0123456789ABCDEF01',
  from: '+15550000001',
  to: '+15550000002',
  fromMe: true,
  type: 'text',
  text: 'Hello',
  mentions: [],
  forwarded: false,
  edited: false,
  revoked: false,
  reactions: { '+15550000002': '👍' },
  receipts: { '+15550000002': 'read' },
  timestamp: 1_795_255_200,
};
const STATUS: MessageView = { ...MESSAGE, to: 'status@broadcast', text: 'At the lake', reactions: {} };
const CHAT: ChatView = {
  with: '+15550000002',
  unread: false,
  archived: true,
  pinned: false,
  muted: false,
  deletedMessages: [],
};

/** Answer of an operation that writes a message. */
const written = record({ messageId });
const WRITTEN = { messageId: '3A0123456789ABCDEF01' };
const postAnswer = { status: 201, answer: written, example: WRITTEN } as const;

/** Messages: writing, reading, deleting and listing them; chats, statuses and channels. */
export const messages = {
  write: controlOperation({
    method: 'POST',
    path: '/phones/{number}/messages',
    summary: 'Write a message',
    params: numberParams,
    body: writeRequest,
    maxBytes: MAX_BODY_BYTES,
    ...postAnswer,
    errors: [
      'message_unknown',
      'message_elsewhere',
      'message_deleted',
      'message_not_own',
      'message_not_editable',
      'vote_invalid',
      'file_unknown',
      'file_too_large',
      'group_unknown',
      'group_forbidden',
    ],
  }),
  repeat: controlOperation({
    method: 'POST',
    path: '/phones/{number}/messages/{messageId}/repeat',
    summary: 'Encrypt a message of the person once more under its id, for linked devices',
    params: messageParams,
    errors: ['message_unknown'],
  }),
  postStatus: controlOperation({
    method: 'POST',
    path: '/phones/{number}/statuses',
    summary: 'Post a status',
    params: numberParams,
    body: statusRequest,
    maxBytes: MAX_BODY_BYTES,
    ...postAnswer,
    errors: ['file_unknown', 'file_too_large'],
    client: { takes: ['text', 'media', 'to', 'backgroundColor', 'font'] },
  }),
  statuses: controlOperation({
    method: 'GET',
    path: '/phones/{number}/statuses',
    summary: 'List the statuses that the phone shows, oldest first: own ones and those of others, for a day',
    params: numberParams,
    answer: record({ statuses: listOf(messageView) }),
    example: { statuses: [STATUS] },
    client: { gives: 'statuses' },
  }),
  deleteStatus: controlOperation({
    method: 'DELETE',
    path: '/phones/{number}/statuses/{messageId}',
    summary: 'Delete an own status for everybody',
    params: messageParams,
    errors: ['message_unknown'],
  }),
  postInChannel: controlOperation({
    method: 'POST',
    path: '/phones/{number}/channel-posts',
    summary: 'Write in a channel that the person follows',
    params: numberParams,
    body: channelPost,
    ...postAnswer,
  }),
  giveToken: controlOperation({
    method: 'POST',
    path: '/phones/{number}/tokens',
    summary: 'Give another person a trusted-contact token',
    params: numberParams,
    body: tokenRequest,
  }),
  tokens: controlOperation({
    method: 'GET',
    path: '/phones/{number}/tokens',
    summary: 'List the trusted-contact tokens that the person, or a linked device, has given',
    params: numberParams,
    answer: record({ tokens: listOf(record({ to: number, t: count })) }),
    example: { tokens: [{ to: '+15550000002', t: 1_795_255_200 }] },
    client: { gives: 'tokens' },
  }),
  renewSalt: controlOperation({
    method: 'POST',
    path: '/phones/{number}/salt',
    summary: 'Make another salt for the tokens of first contacts',
    params: numberParams,
  }),
  messages: controlOperation({
    method: 'GET',
    path: '/phones/{number}/messages',
    summary: 'List the messages that the phone holds, oldest first',
    params: numberParams,
    answer: record({ messages: listOf(messageView) }),
    example: { messages: [MESSAGE] },
    client: { gives: 'messages' },
  }),
  changes: controlOperation({
    method: 'GET',
    path: '/phones/{number}/changes',
    summary: 'List the changes of the messages that the phone holds, oldest first',
    params: numberParams,
    answer: record({ changes: listOf(changeView) }),
    example: { changes: [] },
    client: { gives: 'changes' },
  }),
  chatstates: controlOperation({
    method: 'GET',
    path: '/phones/{number}/chatstates',
    summary: 'List the typing states that the phone saw, oldest first',
    params: numberParams,
    answer: record({ chatstates: listOf(chatstateView) }),
    example: { chatstates: [{ from: '+15550000002', state: 'composing', at: 1_795_255_200_000 }] },
    client: { gives: 'chatstates' },
  }),
  forgetMessage: controlOperation({
    method: 'DELETE',
    path: '/phones/{number}/messages/{messageId}',
    summary: 'Delete a message on the own phone',
    params: messageParams,
    errors: ['message_unknown'],
  }),
  forgetFile: controlOperation({
    method: 'DELETE',
    path: '/phones/{number}/messages/{messageId}/file',
    summary: 'Delete the file of a message on the own phone',
    params: messageParams,
    errors: ['message_unknown', 'file_unknown'],
  }),
  read: controlOperation({
    method: 'POST',
    path: '/phones/{number}/read',
    summary: 'Read messages, look at statuses, or play voice notes and videos',
    params: numberParams,
    body: record({
      messageIds: listOf(messageId).min(1).max(MAX_IDS).example(['3A0123456789ABCDEF01']),
      played: optional(flag),
    }),
    answer: record({ read: count }),
    example: { read: 1 },
    errors: ['message_unknown'],
    client: { takes: ['messageIds', 'played'] },
  }),
  chats: controlOperation({
    method: 'GET',
    path: '/phones/{number}/chats',
    summary: "Show the settings of a phone's chats",
    params: numberParams,
    answer: record({
      chats: listOf(chatView),
      rejected: numeric.description('Patches that the phone could not verify'),
    }),
    example: { chats: [CHAT], rejected: 0 },
  }),
  updateChat: controlOperation({
    method: 'PATCH',
    path: '/phones/{number}/chats/{partner}',
    summary: 'Change the settings of a chat on the phone',
    params: record({ number, partner }),
    body: chatUpdate,
    answer: chatView,
    example: CHAT,
    errors: ['group_unknown'],
  }),
};
