import {
  type BinaryNode,
  getBinaryNodeChild,
  getBinaryNodeChildren,
  type WASocket,
} from '@whiskeysockets/baileys';
import type { Clock } from '../../../domain/clock.js';
import { GatewayError } from '../../../domain/errors.js';
import { parseObject } from '../../../domain/json.js';
import { reason } from '../../../domain/reasons.js';
import type { Channel, ChannelPage, ChannelRole, LinkChannels } from '../channels.js';
import { DELETED, pagedPostIn } from './channel-posts.js';
import { field, lookupFailed, refusalCode, textIn } from './reasons.js';

/**
 * The ids of WhatsApp Web's stored queries (zapo `spec/mex`, whatsapp-rust `mex_operations.rs`). The library has older ids for
 * some, and no query for the list.
 */
const QUERIES = {
  list: ['25399611239711790', 'xwa2_newsletter_subscribed'],
  get: ['27456920720571478', 'xwa2_newsletter'],
  follow: ['24404358912487870', 'xwa2_newsletter_join_v2'],
  unfollow: ['9767147403369991', 'xwa2_newsletter_leave_v2'],
} as const;

const ROLES: readonly ChannelRole[] = ['owner', 'admin', 'subscriber', 'guest'];

/** Queries about channels, over one connection. */
export class Channels implements LinkChannels {
  readonly #sock: Pick<WASocket, 'query' | 'generateMessageTag'>;
  readonly #clock: Clock;

  constructor(sock: Pick<WASocket, 'query' | 'generateMessageTag'>, clock: Clock) {
    this.#sock = sock;
    this.#clock = clock;
  }

  async list(): Promise<Channel[]> {
    const found = await this.#ask('list', { fetch_wamo_sub: false, fetch_status_metadata: false });
    if (!Array.isArray(found)) throw lookupFailed(new Error('an answer without a list of channels'));
    return found.map(channelOf);
  }

  async get(key: { jid: string } | { invite: string }): Promise<Channel> {
    const isInvite = 'invite' in key;
    const input = isInvite ? { key: key.invite, type: 'INVITE' } : { key: key.jid, type: 'JID' };
    const found = await this.#ask('get', {
      input: { ...input, view_role: isInvite ? 'GUEST' : 'SUBSCRIBER' },
      fetch_viewer_metadata: true,
      fetch_full_image: false,
      fetch_creation_time: true,
      fetch_wamo_sub: false,
      fetch_status_metadata: false,
      fetch_pinned_messages: false,
    });
    return channelOf(found);
  }

  async posts(
    jid: string,
    { count, before }: { count: number; before?: number | undefined },
  ): Promise<ChannelPage> {
    const page = { count: String(count), ...(before !== undefined && { before: String(before) }) };
    const answer: BinaryNode = await this.#query({
      tag: 'iq',
      attrs: { type: 'get', xmlns: 'newsletter', to: '@s.whatsapp.net' },
      content: [{ tag: 'messages', attrs: { type: 'jid', jid, ...page } }],
    });
    const messages = getBinaryNodeChildren(getBinaryNodeChild(answer, 'messages'), 'message');
    const now = this.#clock.now();
    const posts = messages.flatMap((node) => pagedPostIn(node, jid, now) ?? []);
    // posts that cannot be read count too: a page with one of them is not the last
    const oldest = Math.min(...messages.flatMap(({ attrs }) => Number(attrs.server_id) || []));
    const next = messages.length >= count && oldest > 1 && Number.isFinite(oldest) ? oldest : undefined;
    return { posts: posts.sort((one, other) => one.serverId - other.serverId), next };
  }

  async follow(jid: string): Promise<void> {
    await this.#ask('follow', { newsletter_id: jid });
  }

  async unfollow(jid: string): Promise<void> {
    await this.#ask('unfollow', { newsletter_id: jid });
  }

  async deletePost(jid: string, messageId: string): Promise<void> {
    // a deletion has the id of the post (whatsmeow `send.go`)
    const ack: BinaryNode = await this.#query({
      tag: 'message',
      attrs: { to: jid, id: messageId, type: 'text', edit: DELETED },
      content: [{ tag: 'plaintext', attrs: {} }],
    });
    const { error } = ack.attrs;
    if (error === '404')
      throw new GatewayError('message_unknown', `the channel has no post ${messageId}, or it was deleted`);
    if (error) throw refused(Number(error), ack);
  }

  /** Asks a stored query. The network answers refusals as errors of GraphQL (whatsmeow `types/newsletter.go`). */
  async #ask(name: keyof typeof QUERIES, variables: object): Promise<unknown> {
    const [query_id, path] = QUERIES[name];
    const answer: BinaryNode = await this.#query({
      tag: 'iq',
      attrs: { type: 'get', xmlns: 'w:mex', to: '@s.whatsapp.net' },
      content: [{ tag: 'query', attrs: { query_id }, content: Buffer.from(JSON.stringify({ variables })) }],
    });
    const content = getBinaryNodeChild(answer, 'result')?.content;
    const text = content instanceof Uint8Array ? Buffer.from(content).toString() : String(content ?? '');
    const result = parseObject(text);
    const [error] = Array.isArray(result?.errors) ? result.errors : [];
    if (error !== undefined) throw refused(Number(field(field(error, 'extensions'), 'error_code')), error);
    const found = field(result?.data, path);
    if (found === undefined || found === null) throw refused(NOT_FOUND, result);
    return found;
  }

  async #query(node: BinaryNode): Promise<BinaryNode> {
    const id = node.attrs.id ?? this.#sock.generateMessageTag();
    try {
      const answer: BinaryNode | undefined = await this.#sock.query({
        ...node,
        attrs: { ...node.attrs, id },
      });
      if (!answer) throw new Error('no answer in time');
      return answer;
    } catch (error) {
      const code = refusalCode(error);
      throw code === undefined ? lookupFailed(error) : refused(code, error);
    }
  }
}

const NOT_FOUND = 404;
const GONE = 410;
const FORBIDDEN: readonly number[] = [401, 403];

/** The error for a code of the network, which some refusals lack. */
function refused(code: number, cause: unknown): GatewayError {
  if (FORBIDDEN.includes(code)) {
    const text = `The network refuses (${code}): the number may not do this in the channel.`;
    return new GatewayError('channel_forbidden', text, { cause });
  }
  if (code === NOT_FOUND || code === GONE)
    return new GatewayError('channel_unknown', reason('channel_unknown'), { cause });
  const named = Number.isSafeInteger(code) ? ` (${code})` : '';
  return new GatewayError('lookup_failed', `The network refused${named}. Try again.`, { cause });
}

/**
 * The channels of the connection that exists when a call is made.
 * @param run runs a call over the connection, or rejects while there is none
 */
export function channelsOver(
  run: <T>(call: (channels: LinkChannels) => Promise<T>) => Promise<T>,
): LinkChannels {
  return {
    list: () => run((channels) => channels.list()),
    get: (key) => run((channels) => channels.get(key)),
    posts: (jid, page) => run((channels) => channels.posts(jid, page)),
    follow: (jid) => run((channels) => channels.follow(jid)),
    unfollow: (jid) => run((channels) => channels.unfollow(jid)),
    deletePost: (jid, messageId) => run((channels) => channels.deletePost(jid, messageId)),
  };
}

const MS = 1_000;

/** Numbers come as text. @throws GatewayError `lookup_failed` for an answer without the id */
function channelOf(found: unknown): Channel {
  const jid = field(found, 'id');
  if (typeof jid !== 'string') throw lookupFailed(new Error('a channel without an id'));
  const thread = field(found, 'thread_metadata');
  const viewer = field(found, 'viewer_metadata');
  const followers = Number(field(thread, 'subscribers_count') ?? Number.NaN);
  const role = textIn(viewer, 'role').toLowerCase();
  return {
    jid,
    name: textIn(field(thread, 'name'), 'text'),
    description: textIn(field(thread, 'description'), 'text'),
    role: ROLES.find((known) => known === role) ?? 'guest',
    followers: Number.isSafeInteger(followers) ? followers : undefined,
    isVerified: textIn(thread, 'verification').toUpperCase() === 'VERIFIED',
    isMuted: isMuted(viewer),
    inviteCode: textIn(thread, 'invite'),
    createdAt: (Number(textIn(thread, 'creation_time')) || 0) * MS,
  };
}

/** Current answers have a list of settings, older ones a field (zapo `parse.ts`, whatsmeow `types/newsletter.go`). */
function isMuted(viewer: unknown): boolean {
  const settings = field(viewer, 'settings');
  if (!Array.isArray(settings)) return textIn(viewer, 'mute').toUpperCase() === 'ON';
  return settings.some(
    (setting) => textIn(setting, 'type') === 'MUTE_FOLLOWER_ACTIVITY' && textIn(setting, 'value') === 'ON',
  );
}
