import Joi from 'joi';
import { LIMITS } from '../domain/limits.js';
import { channelPostContent } from './channel-posts.js';
import { AMPLE, characters, FRAMING_BYTES, messageIdField } from './fields.js';
import { fileUrl, sendErrors, sendHeaders } from './messages.js';
import { operation } from './operation.js';
import {
  clientId,
  count,
  flag,
  listOf,
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

const MAX_POSTS = 100;
const DEFAULT_POSTS = 50;

const channelJid = Joi.string()
  .max(LIMITS.addressLength)
  .pattern(/^[0-9]{1,32}@newsletter$/)
  .messages({ 'string.pattern.base': '{#label} must be the jid of a channel: <id>@newsletter' })
  .meta(AMPLE)
  .description('The channel: `<id>@newsletter`')
  .example('120363040000000001@newsletter');

const channelView = named('Channel', {
  jid: text,
  name: text,
  description: text,
  role: oneOf('owner', 'admin', 'subscriber', 'guest').description(
    'What the linked number is in the channel; a guest does not follow it',
  ),
  followers: optional(count).description(
    'Number of followers; absent in lists, where the network does not say it',
  ),
  isVerified: flag,
  isMuted: flag,
  link: text.description('The link to the channel; may be empty'),
  createdAt: timeOrEmpty,
});
export type Channel = TypeOf<typeof channelView>;

const channelPost = named('ChannelPost', {
  messageId: text,
  serverId: count.description("The network's number of the post, by which pages go on"),
  timestamp: time,
  editedAt: timeOrEmpty.description('When its content last changed, RFC 3339, UTC; empty if it never did'),
  fromMe: flag.description('The linked number wrote it'),
  ...channelPostContent,
  views: count,
  reactions: listOf(record({ emoji: text, count })),
});
export type ChannelPost = TypeOf<typeof channelPost>;

const CHANNEL: Channel = {
  jid: '120363040000000001@newsletter',
  name: 'Lake news',
  description: 'All about the lake',
  role: 'subscriber',
  followers: 1_204,
  isVerified: false,
  isMuted: false,
  link: 'https://whatsapp.com/channel/0029VaAbCdEfGhIjKlMnOp',
  createdAt: '2026-11-01T10:00:00.000Z',
};
const { followers: _, ...LISTED } = CHANNEL;

const channelErrors = [
  'session_unpaired',
  'session_suspended',
  'session_not_connected',
  'channel_unknown',
  'channel_forbidden',
  'lookup_failed',
] as const;

/** Errors of sends that a channel cannot cause. */
const OF_CHATS: readonly string[] = ['recipient_unknown', 'device_query_unanswered', 'room_unknown'];

const body = characters(LIMITS.textLength)
  .allow('')
  .default('')
  .description('The text, or the caption of the file')
  .example('The ice is thick enough');
const postFields = { clientId, channelJid, body };

/** Schemas for the handler, which reads and validates the body itself. */
export const channelPostInputs = {
  body: record({
    ...postFields,
    downloadUrl: fileUrl
      .allow('')
      .default('')
      .description(
        'A public https address of a picture or a video, under the rules of [`/send-media-message`](api.md#send-media-message-)',
      )
      .example('https://example.com/lake.jpg'),
  }),
  parts: record(postFields),
};
export type ChannelPosting = TypeOf<typeof channelPostInputs.parts>;

/** The answer to a post; unlike a message it is never held. */
const postAnswer = named('ChannelPostAnswer', {
  status: oneOf('sent'),
  messageId: text,
  mediaType: optional(text),
  bytes: optional(count).description('Size of a file that was fetched from its URL'),
  fallback: optional(oneOf('text')).description(
    'Present if the file is too large: a text with the link was posted instead',
  ),
});
export type ChannelPostAnswer = TypeOf<typeof postAnswer>;

export const channels = {
  listChannels: operation({
    method: 'GET',
    path: '/channels',
    owner: 'session',
    summary: 'List the channels that the number follows, with its role in each',
    query: requiredClient,
    answer: record({ channels: listOf(channelView) }),
    example: { channels: [LISTED] },
    errors: channelErrors,
  }),
  getChannel: operation({
    method: 'GET',
    path: '/channel',
    owner: 'session',
    summary: 'Get a channel, also one that the number does not follow',
    query: record({
      clientId,
      channel: Joi.string()
        .max(LIMITS.addressLength)
        .meta(AMPLE)
        .description(
          'The jid of the channel, its link `https://whatsapp.com/channel/<code>`, or the code alone',
        )
        .example('https://whatsapp.com/channel/0029VaAbCdEfGhIjKlMnOp'),
    }),
    answer: record({ channel: channelView }),
    example: { channel: CHANNEL },
    errors: channelErrors,
  }),
  listChannelPosts: operation({
    method: 'GET',
    path: '/channel-posts',
    owner: 'session',
    summary: 'List posts of a channel, oldest first, with their views and reactions',
    description: 'Asks WhatsApp; nothing is stored. The number need not follow the channel.',
    query: record({
      clientId,
      channelJid,
      limit: Joi.number()
        .integer()
        .min(1)
        .max(MAX_POSTS)
        .default(DEFAULT_POSTS)
        .description('The newest posts, at most'),
      before: optional(
        Joi.number().integer().min(1).description('Only posts before this one: `next` of the previous page'),
      ),
    }),
    answer: record({
      posts: listOf(channelPost),
      next: optional(count).description(
        '`before` of the next page, with older posts; absent on the last page',
      ),
    }),
    example: {
      posts: [
        {
          messageId: '3EB0C767D097B7C1A2B3C4',
          serverId: 104,
          timestamp: '2026-11-22T10:00:00.000Z',
          editedAt: '',
          fromMe: false,
          kind: 'text',
          body: 'The ice is thick enough',
          views: 812,
          reactions: [{ emoji: '👍', count: 31 }],
        },
      ],
      next: 104,
    },
    errors: channelErrors,
  }),
  followChannel: operation({
    method: 'POST',
    path: '/follow-channel',
    owner: 'session',
    summary: 'Follow a channel',
    description: 'Its posts then come as opt-in events of the type [`channel_post`](events.md#channel_post).',
    body: record({ clientId, channelJid }),
    answer: record({ ok }),
    example: { ok: true },
    errors: channelErrors,
  }),
  unfollowChannel: operation({
    method: 'POST',
    path: '/unfollow-channel',
    owner: 'session',
    summary: 'Stop following a channel',
    body: record({ clientId, channelJid }),
    answer: record({ ok }),
    example: { ok: true },
    errors: channelErrors,
  }),
  postChannel: operation({
    method: 'POST',
    path: '/post-channel',
    owner: 'session',
    summary: 'Post a text, a picture or a video in a channel of the number',
    description:
      'The number must be the owner or an admin of the channel: 403 (`channel_forbidden`) otherwise. Takes `body`, the URL of a file, or a ' +
      'form with a file as `file`. With a form, `clientId` is also required in the query, because the form is read after the look-up of the ' +
      'session. A post counts as a message for the [policy](policies.md) of the session, never as a new chat.',
    headers: sendHeaders,
    body: channelPostInputs.body,
    form: {
      schema: record({
        file: Joi.binary().description('The picture or video, at most 128 MB'),
        ...postFields,
      }),
      maxBytes: LIMITS.uploadBytes + FRAMING_BYTES,
    },
    answer: postAnswer,
    example: { status: 'sent', messageId: '3EB0C767D097B7C1A2B3C4' },
    errors: [
      ...sendErrors.filter((code) => !OF_CHATS.includes(code)),
      'channel_unknown',
      'channel_forbidden',
      'media_unfetchable',
      'media_too_large',
      'media_unsupported',
      'media_busy',
      'too_many_uploads',
      'proxy_failed',
    ],
  }),
  deleteChannelPost: operation({
    method: 'POST',
    path: '/delete-channel-post',
    owner: 'session',
    summary: 'Delete a post of a channel of the number, for everybody',
    description:
      'The owner and admins of a channel may delete its posts: 403 (`channel_forbidden`) otherwise.',
    body: record({ clientId, channelJid, messageId: messageIdField.description('The post') }),
    answer: record({ ok }),
    example: { ok: true },
    errors: [...channelErrors, 'message_unknown'],
  }),
};
