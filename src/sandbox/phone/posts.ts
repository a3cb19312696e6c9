import { proto } from '@whiskeysockets/baileys';
import type { ChannelPost, ChannelPostContent, ChannelPostView } from '../../contract/sandbox/index.js';
import { follow } from '../channels/membership.js';
import { type PostContent, publish, reactionCounts } from '../channels/posts.js';
import type { Account } from '../state/account.js';
import type { Post } from '../state/channel.js';
import type { Network } from '../state/network.js';
import { composeForChannel } from './content/media.js';
import { findMedia } from './media.js';

const DEFAULT_CHANNEL = '120363000000000001';

/**
 * A channel that nobody owns writes; the person follows it from now on.
 * @returns the message's id
 */
export function postInChannel(
  network: Network,
  person: Account,
  { text, channel: digits = DEFAULT_CHANNEL }: ChannelPost,
): string {
  const channel = network.directory.channels.ensure(digits, network.now());
  follow(network, channel, { account: person });
  const messageId = network.newMessageId();
  publish(network, channel, undefined, { messageId, type: 'text', plain: encode({ conversation: text }) });
  return messageId;
}

/** The encoded content of a post that a person writes. @throws Refusal 404 when the phones do not hold its file */
export async function composePost(
  network: Network,
  { text = '', media }: ChannelPostContent,
): Promise<PostContent> {
  if (!media) return { type: 'text', plain: encode({ conversation: text }) };
  const { message, mediaType } = await composeForChannel(network, media);
  return { type: 'media', mediaType, plain: encode(message) };
}

/** A post as the control API shows it. */
export function viewPost(network: Network, post: Post): ChannelPostView {
  const { serverId, messageId, author, type, content, at, editedAt, deleted = false, viewers } = post;
  const message = proto.Message.decode(Buffer.from(content, 'base64'));
  const found = findMedia(message);
  const caption = found && 'caption' in found.part ? found.part.caption : undefined;
  return {
    ...{ serverId, messageId, type, timestamp: at, deleted },
    from: network.directory.byLid(author ?? '')?.number ?? '',
    text: message.conversation || message.extendedTextMessage?.text || caption || '',
    ...(found && {
      media: {
        kind: found.kind,
        mimeType: found.part.mimetype ?? '',
        size: Number(found.part.fileLength ?? 0),
        sha256: Buffer.from(found.part.fileSha256 ?? []).toString('hex'),
      },
    }),
    edited: editedAt !== undefined,
    views: viewers.length,
    reactions: Object.fromEntries(reactionCounts(post)),
  };
}

/** Without the padding of encrypted messages. */
function encode(message: proto.IMessage): Uint8Array {
  return proto.Message.encode(message).finish();
}
