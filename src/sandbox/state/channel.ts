import { randomBytes, randomInt } from 'node:crypto';
import Joi from 'joi';
import type { ChannelRole } from '../../contract/sandbox/index.js';
import type { State } from '../store/state.js';
import { readRow } from '../store/stored-row.js';
import { ChannelRefusal, Refusal } from '../wire/refusals.js';
import { CHANNEL_SERVER } from '../wire/stanza.js';
import type { Account } from './account.js';

/** A person who follows a channel, its owner and admins too. */
interface Follower {
  role: ChannelRole;
  muted: boolean;
  /** Seconds since the epoch. */
  followedAt: number;
}

/** A stored channel. People are named by their LIDs. */
interface ChannelRecord {
  /** Digits. */
  id: string;
  name: string;
  description: string;
  /** Seconds since the epoch. */
  createdAt: number;
  inviteCode: string;
}

/** A post of a channel. */
export interface Post {
  /** Grows by one with each post. */
  serverId: number;
  messageId: string;
  /** LID of the author; undefined in a channel that nobody owns. */
  author?: string;
  type: 'text' | 'media';
  /** The `mediatype` of `<plaintext>`. */
  mediaType?: string;
  /** The encoded message, base64. */
  content: string;
  /** Seconds since the epoch. */
  at: number;
  /** When it, its views or its reactions changed, in seconds since the epoch. */
  changedAt: number;
  /** Milliseconds since the epoch. */
  editedAt?: number;
  deleted?: true;
  /** LIDs of those who saw it. */
  viewers: string[];
  /** One for each person. */
  reactions: [lid: string, emoji: string][];
}

/** A channel on the network. */
export class Channel {
  readonly record: ChannelRecord;
  readonly #followers: Map<string, Follower>;
  readonly #posts = new Map<number, Post>();
  readonly #state: State;

  constructor(record: ChannelRecord, followers: Iterable<[string, Follower]>, state: State) {
    this.record = record;
    this.#followers = new Map(followers);
    this.#state = state;
  }

  get jid(): string {
    return `${this.record.id}${CHANNEL_SERVER}`;
  }

  get followers(): ReadonlyMap<string, Follower> {
    return this.#followers;
  }

  followerOf({ lid }: Account): Follower | undefined {
    return this.#followers.get(lid);
  }

  /** May post. */
  isAdmin(account: Account): boolean {
    const role = this.followerOf(account)?.role;
    return role === 'owner' || role === 'admin';
  }

  put({ lid }: Account, follower: Follower): void {
    this.#followers.set(lid, follower);
    this.keep();
  }

  drop({ lid }: Account): void {
    this.#followers.delete(lid);
    this.keep();
  }

  /** Oldest first. */
  get posts(): Post[] {
    return [...this.#posts.values()];
  }

  get nextServerId(): number {
    return Math.max(0, ...this.#posts.keys()) + 1;
  }

  byMessageId(messageId: string): Post | undefined {
    return this.posts.find((post) => post.messageId === messageId);
  }

  /** @throws Refusal 404 when there is no such post, or it was deleted */
  requirePost(serverId: number): Post {
    const post = this.#posts.get(serverId);
    if (!post || post.deleted) throw new Refusal('message_unknown', `the channel has no post ${serverId}`);
    return post;
  }

  /** Keeps a new or changed post. */
  keepPost(post: Post): void {
    this.#posts.set(post.serverId, post);
    const row = `${this.record.id}/${String(post.serverId).padStart(ROW_DIGITS, '0')}`;
    this.#state.put('channel-post', row, () => JSON.stringify(post));
  }

  restorePost(value: string): void {
    const post = readRow(POST, value);
    this.#posts.set(post.serverId, post);
  }

  keep(): void {
    const row = () => JSON.stringify({ ...this.record, followers: [...this.#followers] });
    this.#state.put('channel', this.record.id, row);
  }
}

const ROW_DIGITS = 12;

const POST = Joi.object<Post>({
  serverId: Joi.number().required(),
  messageId: Joi.string().required(),
  type: Joi.string().required(),
  content: Joi.string().allow('').required(),
  at: Joi.number().required(),
  changedAt: Joi.number().required(),
  viewers: Joi.array().items(Joi.string()).required(),
  reactions: Joi.array()
    .items(Joi.array().ordered(Joi.string().required(), Joi.string().required()))
    .required(),
}).unknown();

const CHANNEL = Joi.object<ChannelRecord & { followers: [string, Follower][] }>({
  id: Joi.string().required(),
  name: Joi.string().required(),
  description: Joi.string().allow('').required(),
  createdAt: Joi.number().required(),
  inviteCode: Joi.string().required(),
  followers: Joi.array()
    .items(Joi.array().ordered(Joi.string().required(), Joi.object().required()))
    .required(),
}).unknown();

/** As those of groups. */
const ID_PREFIX = '120363';
const ID_RANGE = 10 ** 12;
const ID_DIGITS = 12;
/** Invite codes begin so on the real network: `https://whatsapp.com/channel/0029Va…`. */
const INVITE_PREFIX = '0029Va';
const INVITE_BYTES = 12;

/** Every channel on the network. */
export class Channels {
  readonly #channels = new Map<string, Channel>();
  readonly #state: State;

  constructor(state: State) {
    this.#state = state;
  }

  create(owner: Account, { name, description = '' }: { name: string; description?: string }, nowS: number) {
    const channel = this.#add(this.#freeId(), { name, description, createdAt: nowS });
    channel.put(owner, { role: 'owner', muted: false, followedAt: nowS });
    return channel;
  }

  /** The channel with these digits; one that nobody owns, if there is none. */
  ensure(id: string, nowS: number): Channel {
    const known = this.#channels.get(`${id}${CHANNEL_SERVER}`);
    if (known) return known;
    const channel = this.#add(id, { name: `Channel ${id}`, description: '', createdAt: nowS });
    channel.keep();
    return channel;
  }

  byJid(jid: string | undefined): Channel | undefined {
    return this.#channels.get(jid ?? '');
  }

  /** @throws ChannelRefusal 404 */
  require(jid: string | undefined): Channel {
    const channel = this.byJid(jid);
    if (!channel) throw new ChannelRefusal(404);
    return channel;
  }

  /** @throws ChannelRefusal 404 */
  requireByInvite(code: string | undefined): Channel {
    for (const channel of this.#channels.values()) if (channel.record.inviteCode === code) return channel;
    throw new ChannelRefusal(404);
  }

  /** The channels that a person follows. */
  of(account: Account): Channel[] {
    return [...this.#channels.values()].filter((channel) => channel.followerOf(account));
  }

  restore(value: string): void {
    const { followers, ...record } = readRow(CHANNEL, value);
    const channel = new Channel(record, followers, this.#state);
    this.#channels.set(channel.jid, channel);
  }

  /** Puts back a stored post. @param id digits of its channel */
  restorePost(id: string, value: string): void {
    this.byJid(`${id}${CHANNEL_SERVER}`)?.restorePost(value);
  }

  #add(id: string, about: Omit<ChannelRecord, 'id' | 'inviteCode'>): Channel {
    const inviteCode = `${INVITE_PREFIX}${randomBytes(INVITE_BYTES).toString('base64url')}`;
    const channel = new Channel({ id, ...about, inviteCode }, [], this.#state);
    this.#channels.set(channel.jid, channel);
    return channel;
  }

  #freeId(): string {
    const id = `${ID_PREFIX}${String(randomInt(ID_RANGE)).padStart(ID_DIGITS, '0')}`;
    return this.byJid(`${id}${CHANNEL_SERVER}`) ? this.#freeId() : id;
  }
}
