import type { Companion } from '../state/account.js';
import type { Channel, Post } from '../state/channel.js';
import type { Network } from '../state/network.js';
import { ChannelRefusal, Refusal } from '../wire/refusals.js';
import { bytesOf, child, childrenOf, type Stanza } from '../wire/stanza.js';
import { deletePost, EDIT, editPost, publish, reactTo, viewPosts } from './posts.js';

/** The ack errors of a malformed stanza, and of what the sandbox does not play. */
const MALFORMED = '479';
const NOT_PLAYED = '501';
/** The `mediatype`s whose message has a file; a post of one names the upload's handle in `media_id`. */
const FILE_TYPES = new Set(['image', 'video', 'gif', 'audio', 'ptt', 'ptv', 'document', 'sticker']);

/** What the acknowledgement of a channel's stanza says. */
interface Routed {
  error?: string;
  /** Of a new post (whatsmeow `send.go`). */
  server_id?: string;
}

/** A linked device posts in a channel, changes or deletes a post, or reacts to one. */
export function routeChannelMessage(network: Network, companion: Companion, message: Stanza): Routed {
  try {
    const channel = network.directory.channels.require(message.attrs.to);
    return message.attrs.type === 'reaction'
      ? reaction(network, companion, channel, message)
      : post(network, companion, channel, message);
  } catch (error) {
    if (error instanceof ChannelRefusal) return { error: String(error.wireCode) };
    if (error instanceof Refusal) return { error: '404' };
    throw error;
  }
}

/** A device saw posts. @returns false when the receipt is of another kind */
export function routeViewReceipt(network: Network, companion: Companion, receipt: Stanza): boolean {
  const channel = network.directory.channels.byJid(receipt.attrs.to);
  if (!channel || receipt.attrs.type !== 'view') return false;
  const serverIds = childrenOf(child(receipt, 'list')).map(({ attrs }) => Number(attrs.server_id));
  viewPosts(network, channel, companion.account, serverIds);
  return true;
}

function reaction(network: Network, { account }: Companion, channel: Channel, message: Stanza): Routed {
  const found = channel.requirePost(Number(message.attrs.server_id));
  const emoji = child(message, 'reaction')?.attrs.code ?? '';
  if ((emoji === '') !== (message.attrs.edit === EDIT.reactionRemoved)) return { error: MALFORMED };
  reactTo(network, channel, account, found, emoji);
  return {};
}

function post(network: Network, companion: Companion, channel: Channel, message: Stanza): Routed {
  const { id = '', type, edit, media_id } = message.attrs;
  const plaintext = child(message, 'plaintext');
  // polls and answers to questions are not played
  if (!plaintext || (type !== 'text' && type !== 'media')) return { error: NOT_PLAYED };
  const actor = { account: companion.account, companion };
  if (edit === EDIT.deleted) {
    deletePost(network, channel, actor, existing(channel, id));
    return {};
  }
  const { mediatype: mediaType } = plaintext.attrs;
  const content = { type, mediaType, plain: bytesOf(plaintext) } as const;
  if (content.plain.length === 0) return { error: MALFORMED };
  if (edit === EDIT.changed) {
    editPost(network, channel, actor, existing(channel, id), content);
    return {};
  }
  if (edit !== undefined) return { error: NOT_PLAYED };
  // what the network answers a file without a handle is not known
  const hasFile = type === 'media' && (mediaType === undefined || FILE_TYPES.has(mediaType));
  if (channel.isAdmin(companion.account) && hasFile && !network.media.handles.has(media_id ?? ''))
    return { error: NOT_PLAYED };
  const { serverId } = publish(network, channel, actor, { messageId: id, ...content });
  return { server_id: String(serverId) };
}

/** @throws Refusal 404 */
function existing(channel: Channel, messageId: string): Post {
  return channel.requirePost(channel.byMessageId(messageId)?.serverId ?? 0);
}
