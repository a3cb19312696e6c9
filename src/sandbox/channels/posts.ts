import type { Account, Companion } from '../state/account.js';
import type { Channel, Post } from '../state/channel.js';
import type { Network } from '../state/network.js';
import { ChannelRefusal } from '../wire/refusals.js';
import { type Stanza, stanza } from '../wire/stanza.js';
import type { Actor } from './membership.js';

/** Values of `edit` in the stanzas of a channel (whatsmeow `sendNewsletter`, zapo `builders/newsletter.ts`). */
export const EDIT = { changed: '3', reactionRemoved: '7', deleted: '8' } as const;

/** Seconds that a subscription of live updates lasts; clients expect 30 to 600 (zapo `messaging.ts`). */
export const LIVE_S = 300;

/** A new content of a post. */
export type PostContent = Pick<Post, 'type' | 'mediaType'> & { plain: Uint8Array };

/**
 * Publishes a post, and delivers it to all linked devices of all followers but the one that wrote it.
 * @param author undefined for a channel that nobody owns
 * @throws ChannelRefusal 403 for a person who may not post
 */
export function publish(
  network: Network,
  channel: Channel,
  author: Actor | undefined,
  { messageId, plain, ...content }: PostContent & { messageId: string },
): Post {
  if (author) requireAdmin(channel, author.account);
  const known = channel.byMessageId(messageId);
  // repeated under its id: acknowledged again, and published once
  if (known) return known;
  const post: Post = {
    ...content,
    serverId: channel.nextServerId,
    messageId,
    author: author?.account.lid,
    content: Buffer.from(plain).toString('base64'),
    at: network.now(),
    changedAt: network.now(),
    viewers: [],
    reactions: [],
  };
  channel.keepPost(post);
  deliver(network, channel, post, author?.companion);
  return post;
}

/** @throws ChannelRefusal 403 for a person who may not post */
export function editPost(
  network: Network,
  channel: Channel,
  actor: Actor,
  post: Post,
  { plain, ...content }: PostContent,
): void {
  requireAdmin(channel, actor.account);
  post.editedAt = network.clock.now();
  Object.assign(post, content, { content: Buffer.from(plain).toString('base64') });
  change(network, channel, post);
  deliver(network, channel, post, actor.companion, EDIT.changed);
}

/** Owner and admins may delete every post. @throws ChannelRefusal 403 for others */
export function deletePost(network: Network, channel: Channel, actor: Actor, post: Post): void {
  requireAdmin(channel, actor.account);
  post.deleted = true;
  post.content = '';
  change(network, channel, post);
  deliver(network, channel, post, actor.companion, EDIT.deleted);
}

/** @param emoji empty to take the reaction back */
export function reactTo(
  network: Network,
  channel: Channel,
  person: Account,
  post: Post,
  emoji: string,
): void {
  const others = post.reactions.filter(([lid]) => lid !== person.lid);
  post.reactions = emoji ? [...others, [person.lid, emoji]] : others;
  change(network, channel, post);
  tellWatchers(network, channel, post);
}

/** Counts each person once. */
export function viewPosts(network: Network, channel: Channel, viewer: Account, serverIds: number[]): void {
  for (const post of channel.posts) {
    if (post.deleted || !serverIds.includes(post.serverId) || post.viewers.includes(viewer.lid)) continue;
    post.viewers.push(viewer.lid);
    change(network, channel, post);
    tellWatchers(network, channel, post);
  }
}

/** From now on the device gets the counts of the posts when they change. @returns seconds until that ends */
export function watch(network: Network, channel: Channel, companion: Companion): number {
  network.channelWatchers.set(channel.jid, companion, network.now() + LIVE_S);
  return LIVE_S;
}

/** The posts of a channel as `<messages>`, with their contents (whatsmeow `parseNewsletterMessages`). */
export function postsElement(network: Network, channel: Channel, posts: Post[], viewer: Account): Stanza {
  const elements = posts.map((post) =>
    stanza('message', attrsOf(post, viewer), [...contentElements(post), ...countElements(post)]),
  );
  return stanza('messages', { jid: channel.jid, t: String(network.now()) }, elements);
}

/** The views and reactions of posts as `<messages>`, without their contents. */
export function countsElement(network: Network, channel: Channel, posts: Post[]): Stanza {
  const elements = posts.map((post) =>
    stanza('message', { server_id: String(post.serverId) }, countElements(post)),
  );
  return stanza('messages', { jid: channel.jid, t: String(network.now()) }, elements);
}

export function reactionCounts({ reactions }: Post): Map<string, number> {
  const counts = new Map<string, number>();
  for (const [, emoji] of reactions) counts.set(emoji, (counts.get(emoji) ?? 0) + 1);
  return counts;
}

function requireAdmin(channel: Channel, account: Account): void {
  if (!channel.isAdmin(account)) throw new ChannelRefusal(403);
}

function change(network: Network, channel: Channel, post: Post): void {
  post.changedAt = network.now();
  channel.keepPost(post);
}

function deliver(
  network: Network,
  channel: Channel,
  post: Post,
  written: Companion | undefined,
  edit?: string,
): void {
  for (const lid of channel.followers.keys()) {
    const follower = network.directory.byLid(lid);
    for (const companion of follower?.companions.values() ?? []) {
      if (!follower || companion === written) continue;
      const attrs = { ...attrsOf(post, follower), from: channel.jid, edit };
      companion.mailbox.push(stanza('message', attrs, contentElements(post)));
    }
  }
}

function attrsOf({ messageId, serverId, at, type, author }: Post, viewer: Account) {
  return {
    id: messageId,
    server_id: String(serverId),
    t: String(at),
    type,
    is_sender: author === viewer.lid ? 'true' : undefined,
  };
}

function contentElements({ content, mediaType, editedAt, at }: Post): Stanza[] {
  // a deleted post has no bytes, but still a content: whatsmeow `handlePlaintextMessage` complains of an element without one
  const plain = stanza('plaintext', { mediatype: mediaType }, Buffer.from(content, 'base64'));
  if (editedAt === undefined) return [plain];
  return [plain, stanza('meta', { msg_edit_t: String(editedAt), original_msg_t: String(at) })];
}

function countElements(post: Post): Stanza[] {
  const reactions = [...reactionCounts(post)].map(([code, count]) =>
    stanza('reaction', { code, count: String(count) }),
  );
  const views = stanza('views_count', { count: String(post.viewers.length) });
  return reactions.length > 0 ? [views, stanza('reactions', {}, reactions)] : [views];
}

/** The notification as zapo (`message/kinds/newsletter.ts`) and whatsapp-rust (`notification/groups.rs`) read it. */
function tellWatchers(network: Network, channel: Channel, post: Post): void {
  const update = stanza('live_updates', {}, [countsElement(network, channel, [post])]);
  for (const companion of network.channelWatchers.of(channel.jid, network.now()))
    if (companion.connection) network.notify(companion, { from: channel.jid, type: 'newsletter' }, [update]);
}
