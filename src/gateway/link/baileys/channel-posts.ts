import {
  type BinaryNode,
  getBinaryNodeChild,
  getBinaryNodeChildren,
  getUrlFromDirectPath,
  isJidNewsletter,
  proto,
} from '@whiskeysockets/baileys';
import type { ChannelPost } from '../channels.js';
import type { MessageContent } from '../link.js';
import { stanzaTime } from './incoming.js';
import { MEDIA_HOST } from './media/route.js';

/** Values of a stanza's `edit` in a channel (whatsmeow `sendNewsletter`). */
const EDITED = '3';
export const DELETED = '8';

/** The `mediatype` of a post with a file; posts of other contents have none. */
const MEDIA_TYPES = { imageMessage: 'image', videoMessage: 'video' } as const;

/** A post, or a change of one, in a stanza; undefined for anything else that a channel sends, such as counts. */
export function channelPostIn(node: BinaryNode, now: number): ChannelPost | undefined {
  const { from = '', edit } = node.attrs;
  if (!isJidNewsletter(from)) return undefined;
  if (edit === DELETED) return { ...headOf(node, from, now), change: 'deleted', content: {} };
  const post = pagedPostIn(node, from, now);
  if (!post || (edit !== undefined && edit !== EDITED)) return undefined;
  const { views: _, reactions: __, ...rest } = post;
  return { ...rest, change: edit === EDITED ? 'edited' : 'posted' };
}

/** A post in a page of posts, with its counts; undefined if it has no content that can be read. */
export function pagedPostIn(node: BinaryNode, channel: string, now: number): ChannelPost | undefined {
  const plain = getBinaryNodeChild(node, 'plaintext')?.content;
  if (!(plain instanceof Uint8Array) || plain.length === 0) return undefined;
  const content = decoded(plain);
  if (!content) return undefined;
  const reactions = getBinaryNodeChildren(getBinaryNodeChild(node, 'reactions'), 'reaction');
  return {
    ...headOf(node, channel, now),
    change: 'posted',
    content,
    views: Number(getBinaryNodeChild(node, 'views_count')?.attrs.count) || 0,
    reactions: reactions.map(({ attrs }) => ({ emoji: attrs.code ?? '', count: Number(attrs.count) || 0 })),
  };
}

function headOf(node: BinaryNode, channel: string, now: number) {
  const { id = '', server_id, t, is_sender } = node.attrs;
  const editedAt = Number(getBinaryNodeChild(node, 'meta')?.attrs.msg_edit_t);
  return {
    channel,
    messageId: id,
    serverId: Number(server_id) || 0,
    fromMe: is_sender === 'true',
    timestamp: stanzaTime(t, now),
    ...(editedAt > 0 && { editedAt }),
  };
}

function decoded(plain: Uint8Array): MessageContent | undefined {
  try {
    return withAddress(proto.Message.decode(plain));
  } catch {
    return undefined;
  }
}

/** Names the host of a file whose address lacks it: readers fetch the file of a post as it is. */
function withAddress(content: proto.IMessage): MessageContent {
  for (const part of Object.values(content)) {
    if (!(part instanceof Object && 'url' in part && 'directPath' in part)) continue;
    const { url, directPath } = part;
    if (!url && typeof directPath === 'string' && directPath !== '')
      part.url = getUrlFromDirectPath(directPath, MEDIA_HOST);
  }
  return content;
}

/** The stanza of a post: its content is not encrypted, and its file is named by the handle of the upload (whatsmeow `send.go`). */
export function postStanza(
  to: string,
  messageId: string,
  content: MessageContent,
  handle: string | undefined,
): BinaryNode {
  const [, mediatype] = Object.entries(MEDIA_TYPES).find(([name]) => name in present(content)) ?? [];
  return {
    tag: 'message',
    attrs: {
      to,
      id: messageId,
      type: mediatype ? 'media' : 'text',
      ...(handle && { media_id: handle }),
    },
    content: [
      {
        tag: 'plaintext',
        attrs: mediatype ? { mediatype } : {},
        content: proto.Message.encode(content).finish(),
      },
    ],
  };
}

function present(content: MessageContent): object {
  return Object.fromEntries(Object.entries(content).filter(([, value]) => value != null));
}

/**
 * A field that no message of the protocol has, with text. Readers skip fields that they do not know, so the record of a post can
 * keep the handle of its file, which is part of the stanza and not of the message.
 */
const HANDLE_FIELD = 15_000;
const TAG = varint(HANDLE_FIELD * 8 + 2);

/** The encoded content with the handle of its file in front. */
export function withHandle(encoded: Uint8Array, handle: string): Uint8Array {
  const text = Buffer.from(handle);
  return Buffer.concat([TAG, varint(text.length), text, encoded]);
}

/** The handle that `withHandle` added. */
export function handleIn(encoded: Uint8Array): string | undefined {
  const bytes = Buffer.from(encoded);
  if (!bytes.subarray(0, TAG.length).equals(TAG)) return undefined;
  let [length, position, shift] = [0, TAG.length, 0];
  for (;;) {
    const byte = bytes.readUInt8(position++);
    length += (byte & 0x7f) << shift;
    shift += 7;
    if (byte < 0x80) return bytes.subarray(position, position + length).toString();
  }
}

/** A number as the protocol encodes it. */
function varint(value: number): Buffer {
  const bytes: number[] = [];
  let left = value;
  for (; left >= 0x80; left = Math.floor(left / 0x80)) bytes.push((left % 0x80) | 0x80);
  return Buffer.from([...bytes, left]);
}
