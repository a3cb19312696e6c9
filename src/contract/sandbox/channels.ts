import Joi from 'joi';
import { count, flag, listOf, named, oneOf, optional, record, type TypeOf, text } from '../schema.js';
import { mediaContent } from './contents.js';
import { mapOf, number, numberParams, seconds, shortText, whole } from './fields.js';
import { controlOperation } from './operation.js';

const MAX_NAME = 100;
const MAX_DESCRIPTION = 2_048;
const MAX_TEXT = 4_096;
const MAX_EMOJI = 64;
/** For files in base64; larger files go through `POST /files`. */
const MAX_BODY_BYTES = 32 * 1024 * 1024;

const channelJid = Joi.string()
  .pattern(/^[0-9]{1,32}@newsletter$/, 'channel jid')
  .messages({
    'string.pattern.name': '{{#label}} must be the jid of a channel, such as 120363000000000001@newsletter',
  })
  .example('120363000000000001@newsletter');

const channelRole = oneOf('owner', 'admin', 'subscriber').meta({ name: 'ChannelRole' });
export type ChannelRole = TypeOf<typeof channelRole>;

const channelView = named('ChannelView', {
  jid: channelJid,
  name: text,
  description: text,
  createdAt: seconds,
  inviteCode: text,
  followers: listOf(record({ number, role: channelRole, muted: flag, followedAt: seconds })),
});
export type ChannelView = TypeOf<typeof channelView>;

const channelPostView = named('ChannelPostView', {
  serverId: count,
  messageId: text,
  from: text.description('Number of the author; empty for a channel that nobody owns'),
  type: oneOf('text', 'media'),
  text: text.description('The text, or the caption of the file'),
  media: optional(record({ kind: text, mimeType: text, size: count, sha256: text })),
  timestamp: seconds,
  edited: flag,
  deleted: flag,
  views: count,
  reactions: mapOf(count).description('Emoji → how many people reacted with it'),
});
export type ChannelPostView = TypeOf<typeof channelPostView>;

const postContent = named('ChannelPostContent', {
  text: optional(shortText(MAX_TEXT).min(1).example('News')),
  media: optional(mediaContent),
}).xor('text', 'media');
export type ChannelPostContent = TypeOf<typeof postContent>;

const CHANNEL: ChannelView = {
  jid: '120363000000000001@newsletter',
  name: 'News',
  description: '',
  createdAt: 1_795_255_200,
  inviteCode: '0029VaAbCdEfGhIjKlMnOp',
  followers: [{ number: '+15550000001', role: 'owner', muted: false, followedAt: 1_795_255_200 }],
};
const POST: ChannelPostView = {
  serverId: 1,
  messageId: '3A0123456789ABCDEF01',
  from: '+15550000001',
  type: 'text',
  text: 'News',
  timestamp: 1_795_255_200,
  edited: false,
  deleted: false,
  views: 0,
  reactions: {},
};

const channelParams = { params: record({ number, channel: channelJid }) };
const postParams = { params: record({ number, channel: channelJid, serverId: whole(1).example(1) }) };
const shown = { answer: channelView, example: CHANNEL } as const;

/** Channels, as people use them on their phones. */
export const channels = {
  create: controlOperation({
    method: 'POST',
    path: '/phones/{number}/channels',
    summary: 'Create a channel; the person owns it',
    params: numberParams,
    body: record({
      name: shortText(MAX_NAME).min(1).example('News'),
      description: optional(shortText(MAX_DESCRIPTION).allow('')),
    }),
    status: 201,
    ...shown,
  }),
  get: controlOperation({
    method: 'GET',
    path: '/channels/{channel}',
    summary: 'Show a channel with its followers',
    params: record({ channel: channelJid }),
    ...shown,
    errors: ['channel_unknown'],
  }),
  of: controlOperation({
    method: 'GET',
    path: '/phones/{number}/channels',
    summary: 'List the channels that a person follows',
    params: numberParams,
    answer: record({ channels: listOf(channelView) }),
    example: { channels: [CHANNEL] },
    client: { gives: 'channels' },
  }),
  follow: controlOperation({
    method: 'POST',
    path: '/phones/{number}/channels/{channel}/follow',
    summary: 'Follow a channel',
    ...channelParams,
    ...shown,
    errors: ['channel_unknown'],
  }),
  unfollow: controlOperation({
    method: 'POST',
    path: '/phones/{number}/channels/{channel}/unfollow',
    summary: 'Stop following a channel',
    ...channelParams,
    ...shown,
    errors: ['channel_unknown', 'channel_forbidden'],
  }),
  changeAdmins: controlOperation({
    method: 'POST',
    path: '/phones/{number}/channels/{channel}/admins',
    summary: 'Make a follower an admin, or an admin a follower again; the person must own the channel',
    ...channelParams,
    body: record({
      action: oneOf('promote', 'demote').example('promote'),
      who: number.example('+15550000002', { override: true }),
    }),
    ...shown,
    errors: ['channel_unknown', 'channel_forbidden', 'phone_unknown'],
    client: { takes: ['action', 'who'] },
  }),
  post: controlOperation({
    method: 'POST',
    path: '/phones/{number}/channels/{channel}/posts',
    summary: 'Post in a channel that the person owns or is an admin of',
    ...channelParams,
    body: postContent,
    maxBytes: MAX_BODY_BYTES,
    status: 201,
    answer: channelPostView,
    example: POST,
    errors: ['channel_unknown', 'channel_forbidden', 'file_unknown', 'file_too_large'],
  }),
  posts: controlOperation({
    method: 'GET',
    path: '/channels/{channel}/posts',
    summary: 'List the posts of a channel, oldest first, with the deleted ones',
    params: record({ channel: channelJid }),
    answer: record({ posts: listOf(channelPostView) }),
    example: { posts: [POST] },
    errors: ['channel_unknown'],
    client: { gives: 'posts' },
  }),
  editPost: controlOperation({
    method: 'PATCH',
    path: '/phones/{number}/channels/{channel}/posts/{serverId}',
    summary: 'Change the text of a post',
    ...postParams,
    body: record({ text: shortText(MAX_TEXT).min(1).example('Better news') }),
    answer: channelPostView,
    example: { ...POST, text: 'Better news', edited: true },
    errors: ['channel_unknown', 'channel_forbidden', 'message_unknown'],
    client: { takes: ['text'] },
  }),
  deletePost: controlOperation({
    method: 'DELETE',
    path: '/phones/{number}/channels/{channel}/posts/{serverId}',
    summary: 'Delete a post',
    ...postParams,
    errors: ['channel_unknown', 'channel_forbidden', 'message_unknown'],
  }),
  react: controlOperation({
    method: 'POST',
    path: '/phones/{number}/channels/{channel}/posts/{serverId}/reaction',
    summary: 'React to a post; an empty emoji takes the reaction back',
    ...postParams,
    body: record({ emoji: shortText(MAX_EMOJI).allow('').example('👍') }),
    answer: channelPostView,
    example: { ...POST, reactions: { '👍': 1 } },
    errors: ['channel_unknown', 'message_unknown'],
    client: { takes: ['emoji'] },
  }),
};
