import type {
  Channel,
  ChannelPostAnswer,
  ChannelPosting,
  ChannelPost as ChannelPostView,
} from '../../../contract/index.js';
import { isChannel } from '../../../domain/address.js';
import type { Clock } from '../../../domain/clock.js';
import { GatewayError } from '../../../domain/errors.js';
import type { ChannelPost, Channel as LinkChannel, LinkChannels } from '../../link/channels.js';
import { type LiveLinks, liveLink, requirePaired, type SessionSource } from '../access.js';
import type { FileSource, Media } from '../files/media.js';
import { type ChannelPosts, contentOf } from '../receiving/channel-posts.js';
import { fileJob, type SendJob } from '../sending/job.js';
import type { Sends } from '../sending/send.js';
import type { Session } from '../sessions/session.js';

const LINK_BASE = 'https://whatsapp.com/channel/';
const POST_ROUTE = '/post-channel';

/**
 * The channels (newsletters) of linked numbers, for the channel routes. All methods throw session_unknown, session_unpaired,
 * session_not_connected, channel_unknown, channel_forbidden, lookup_failed.
 */
export class Channels {
  readonly #options;

  constructor(options: {
    sessions: SessionSource;
    liveLinks: LiveLinks;
    sends: Pick<Sends, 'run'>;
    media: Pick<Media, 'prepare'>;
    channelPosts: Pick<ChannelPosts, 'announce'>;
    clock: Clock;
  }) {
    this.#options = options;
  }

  async list(clientId: string): Promise<Channel[]> {
    return (await (await this.#channels(clientId)).list()).map(channelView);
  }

  /** @param named a jid, a link, or the code of a link. @throws GatewayError also invalid_request */
  async get(clientId: string, named: string): Promise<Channel> {
    const key = readChannel(named);
    return channelView(await (await this.#channels(clientId)).get(key));
  }

  /** @returns `next` if there may be older posts */
  async posts(
    clientId: string,
    channelJid: string,
    { limit, before }: { limit: number; before?: number | undefined },
  ): Promise<{ posts: ChannelPostView[]; next?: number }> {
    const channels = await this.#channels(clientId);
    const { posts, next } = await channels.posts(channelJid, { count: limit, before });
    return { posts: posts.map(postView), ...(next !== undefined && { next }) };
  }

  async follow(clientId: string, channelJid: string): Promise<void> {
    await (await this.#channels(clientId)).follow(channelJid);
  }

  async unfollow(clientId: string, channelJid: string): Promise<void> {
    await (await this.#channels(clientId)).unfollow(channelJid);
  }

  /** @throws GatewayError also message_unknown */
  async deletePost(clientId: string, channelJid: string, messageId: string): Promise<void> {
    const { sessions, channelPosts, clock } = this.#options;
    const session = requirePaired(sessions, clientId);
    await (await this.#channels(clientId)).deletePost(channelJid, messageId);
    // the network tells only the other devices
    await channelPosts.announce(session.record, {
      ...{ channel: channelJid, messageId, serverId: 0, change: 'deleted', fromMe: true, content: {} },
      timestamp: clock.now(),
    });
  }

  /**
   * Posts like any message is sent: it is judged by the policy, recorded, and resumed after a crash. Its event is opt-in, and a
   * crash can lose it.
   * @param source a picture or a video; without one, `body` is the post
   * @throws as `Sends.run`, and invalid_request, media_unsupported
   */
  async post(
    posting: ChannelPosting,
    source: FileSource | undefined,
    idempotencyKey?: string,
    gone?: AbortSignal,
  ): Promise<ChannelPostAnswer> {
    if (!source && posting.body.trim() === '')
      throw new GatewayError('invalid_request', 'body must not be blank without a file');
    const { sessions, sends } = this.#options;
    const session = requirePaired(sessions, posting.clientId);
    const channel: SendJob['channel'] = (ended) => this.#postable(session, posting.channelJid, ended);
    const job = source ? this.#fileJob(posting, source) : textJob(posting);
    // never held: only requests with `whenAllowed` are
    return { ...(await sends.run({ ...job, channel }, idempotencyKey, gone)), status: 'sent' };
  }

  /** @returns the jid. @throws GatewayError channel_forbidden if the number may not post there, channel_unknown, lookup_failed */
  async #postable(session: Session, jid: string, gone: AbortSignal | undefined): Promise<string> {
    const { liveLinks } = this.#options;
    const { role } = await liveLinks.withLink(session, ({ channels }) => channels.get({ jid }), gone);
    if (role === 'owner' || role === 'admin') return jid;
    const text = `only the owner and admins of a channel may post in it; the number is ${ROLE_TEXTS[role]}`;
    throw new GatewayError('channel_forbidden', text);
  }

  #fileJob({ clientId, channelJid, body }: ChannelPosting, source: FileSource): SendJob {
    const wishes = { caption: body, mimeType: '', fileName: '', asVoice: false, asSticker: false };
    const payload = { clientId, to: channelJid, ...wishes };
    return fileJob(payload, source, this.#options.media, { route: POST_ROUTE, only: ['image', 'video'] });
  }

  async #channels(clientId: string): Promise<LinkChannels> {
    return (await liveLink(this.#options.sessions, clientId)).channels;
  }
}

const ROLE_TEXTS = { subscriber: 'a follower', guest: 'no follower of it' } as const;

function textJob(posting: ChannelPosting): SendJob {
  const { clientId, channelJid, body } = posting;
  return {
    route: POST_ROUTE,
    payload: { clientId, to: channelJid, ...{ body } },
    request: posting,
    // undefined would make the library look for a preview itself
    compose: () => ({ content: { text: body, linkPreview: null } }),
    answer: () => ({}),
  };
}

/** @throws GatewayError invalid_request */
function readChannel(named: string): { jid: string } | { invite: string } {
  const text = named.trim();
  if (isChannel(text)) return { jid: text };
  const [, invite] =
    /^(?:(?:https?:\/\/)?(?:www\.)?whatsapp\.com\/channel\/)?([\w-]{8,64})(?:[/?#].*)?$/i.exec(text) ?? [];
  if (invite) return { invite };
  throw new GatewayError(
    'invalid_request',
    `channel must be a jid, <id>@newsletter, a link, ${LINK_BASE}<code>, or the code alone`,
  );
}

function channelView({ followers, inviteCode, createdAt, ...channel }: LinkChannel): Channel {
  return {
    ...channel,
    ...(followers !== undefined && { followers }),
    link: inviteCode && `${LINK_BASE}${inviteCode}`,
    createdAt: createdAt > 0 ? new Date(createdAt).toISOString() : '',
  };
}

function postView(post: ChannelPost): ChannelPostView {
  const { messageId, serverId, timestamp, editedAt, fromMe, views = 0, reactions = [] } = post;
  return {
    ...{ messageId, serverId, fromMe, views, reactions },
    timestamp: new Date(timestamp).toISOString(),
    editedAt: editedAt ? new Date(editedAt).toISOString() : '',
    ...contentOf(post),
  };
}
