import { countsElement, postsElement, watch } from '../../channels/posts.js';
import type { Channel, Post } from '../../state/channel.js';
import { ChannelRefusal, IqError, NOT_PLAYED } from '../../wire/refusals.js';
import { type Stanza, stanza } from '../../wire/stanza.js';
import { asker, asks, type IqAnswer, type IqNamespace, type IqRequest } from './iq.js';

/** Posts of one answer; the sandbox's own limit. */
const MAX_POSTS = 100;

/** The posts of channels, and their counts; everybody may read them (whatsmeow `newsletter.go`, zapo, whatsapp-rust). */
export const newsletter: IqNamespace = {
  xmlns: 'newsletter',
  answer(request) {
    try {
      if (asks(request, 'get', 'messages')) return posts(request);
      if (asks(request, 'get', 'message_updates')) return counts(request);
      if (asks(request, 'set', 'live_updates')) return live(request);
    } catch (error) {
      if (error instanceof ChannelRefusal) throw new IqError(error.wireCode, error.message);
      throw error;
    }
    throw NOT_PLAYED;
  },
};

/** The channel is in the element, or in `to` (whatsapp-rust). */
function posts(request: IqRequest): IqAnswer {
  const { network, body, iq } = request;
  const { type = 'jid', jid } = body?.attrs ?? {};
  if (type !== 'jid') throw NOT_PLAYED;
  const channel = network.directory.channels.require(jid ?? iq.attrs.to);
  const kept = channel.posts.filter((post) => !post.deleted);
  return { content: [postsElement(network, channel, page(kept, body), asker(request).account)] };
}

function counts(request: IqRequest): IqAnswer {
  const { network, body } = request;
  const channel = addressed(request);
  const since = wholeIn(body, 'since') ?? 0;
  const changed = channel.posts.filter((post) => !post.deleted && post.changedAt >= since);
  const messages = countsElement(network, channel, page(changed, body));
  return { content: [stanza('message_updates', {}, [messages])] };
}

function live(request: IqRequest): IqAnswer {
  const duration = watch(request.network, addressed(request), asker(request));
  return { content: [stanza('live_updates', { duration: String(duration) })] };
}

/** `before` and `after` are server ids: the newest posts before, or the oldest after, in the order of their ids. */
function page(all: Post[], body: Stanza | undefined): Post[] {
  const count = Math.min(wholeIn(body, 'count') ?? MAX_POSTS, MAX_POSTS);
  const before = wholeIn(body, 'before');
  const after = wholeIn(body, 'after');
  if (count === 0) return [];
  if (before === undefined && after !== undefined)
    return all.filter(({ serverId }) => serverId > after).slice(0, count);
  return all.filter(({ serverId }) => before === undefined || serverId < before).slice(-count);
}

/** @throws ChannelRefusal 404 */
function addressed({ network, iq }: IqRequest): Channel {
  return network.directory.channels.require(iq.attrs.to);
}

/** @throws IqError 400 */
function wholeIn(body: Stanza | undefined, name: string): number | undefined {
  const text = body?.attrs[name];
  if (text === undefined) return undefined;
  const value = Number(text);
  if (!Number.isSafeInteger(value) || value < 0) throw new IqError(400, 'bad-request');
  return value;
}
