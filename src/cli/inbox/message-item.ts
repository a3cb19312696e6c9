import { parseRoomId } from '../../domain/room.js';
import { plainLine, plainLines } from '../plain-text.js';
import { fieldOf, listOf, textOf, textsOf } from './fields.js';
import { messageText } from './message-text.js';
import type { Attachment, MessageItem, Tick } from './model.js';
import { dateOf } from './room-item.js';
import type { MessageRow } from './wire.js';

/** What the rows of a conversation do not say themselves. */
export interface Chat {
  chatRoomId: string;
  /** Of the room. */
  name: string;
  isGroup: boolean;
  /** Own jid, by which older rows may name this number. */
  ownJid: string;
}

/** Who is who in a page of messages. */
interface Authors {
  /** User-parts of the linked number. */
  own: ReadonlySet<string>;
  byUser: ReadonlyMap<string, string>;
  byMessage: ReadonlyMap<string, string>;
}

const TICKS: readonly Tick[] = ['sent', 'delivered', 'read', 'played', 'failed'];
const YOU = 'You';
const SOMEBODY = 'Somebody';

/** Rows of a conversation as the inbox shows them. */
export function messageItems(rows: readonly MessageRow[], chat: Chat): MessageItem[] {
  const authors = authorsIn(rows, chat);
  return rows.map((row) => messageItem(row, chat, authors));
}

function messageItem(row: MessageRow, chat: Chat, authors: Authors): MessageItem {
  const { messageId, messageType, fromMe, deleted, fromAi, extras } = row;
  return {
    messageId,
    type: messageType,
    body: plainLines(messageText(row)),
    fromMe,
    author: fromMe ? '' : authorOf(row, chat),
    sentAt: dateOf(row.sentAt) ?? new Date(0),
    deleted: deleted || fieldOf(extras, 'revoked') === true,
    edited: fieldOf(extras, 'edited') === true || listOf(extras, 'editHistory').length > 0,
    forwarded: fieldOf(extras, 'forwarded') === true,
    fromAi,
    tick: fromMe ? TICKS.find((tick) => tick === row.status) : undefined,
    quoted: quotedIn(row, chat, authors),
    reactions: reactionsIn(row, authors),
    attachment: attachmentOf(row),
  };
}

function authorsIn(rows: readonly MessageRow[], chat: Chat): Authors {
  const byUser = new Map<string, string>();
  const byMessage = new Map<string, string>();
  for (const row of rows) {
    const name = row.fromMe ? YOU : authorOf(row, chat);
    byMessage.set(row.messageId, name);
    const user = row.fromMe ? '' : participantOf(row);
    if (user) byUser.set(user, name);
  }
  const own = [parseRoomId(chat.chatRoomId)?.myLid, userOf(chat.ownJid)].filter((user) => user !== undefined);
  return { own: new Set(own), byUser, byMessage };
}

function authorOf(row: MessageRow, chat: Chat): string {
  const phone = textOf(fieldOf(row.extras, 'group'), 'participantPhone');
  return plainLine(row.pushname) || plainLine(phone || participantOf(row)) || chat.name;
}

/** User-part of who wrote it in a group; empty in a chat of two. */
function participantOf({ extras }: MessageRow): string {
  return userOf(textOf(fieldOf(extras, 'group'), 'participant'));
}

function quotedIn({ extras }: MessageRow, chat: Chat, authors: Authors): MessageItem['quoted'] {
  const quoted = fieldOf(extras, 'quoted');
  if (typeof quoted !== 'object' || quoted === null) return undefined;
  const body = plainLines(textOf(quoted, 'body'));
  const author = quotedAuthor(quoted, chat, authors);
  return { author, body: body || `[${plainLine(textOf(quoted, 'type')) || 'message'}]` };
}

function quotedAuthor(quoted: object, chat: Chat, { own, byUser, byMessage }: Authors): string {
  const known = byMessage.get(textOf(quoted, 'messageId'));
  if (known !== undefined) return known;
  const user = userOf(textOf(quoted, 'participant'));
  if (own.has(user)) return YOU;
  return byUser.get(user) ?? ((chat.isGroup ? plainLine(user) : user && chat.name) || SOMEBODY);
}

function reactionsIn({ extras }: MessageRow, { own }: Authors): MessageItem['reactions'] {
  const counted = new Map<string, { emoji: string; count: number; mine: boolean }>();
  for (const [user, reaction] of textsOf(fieldOf(extras, 'reactions'))) {
    const emoji = plainLine(reaction);
    if (!emoji) continue;
    const { count, mine } = counted.get(emoji) ?? { count: 0, mine: false };
    counted.set(emoji, { emoji, count: count + 1, mine: mine || own.has(userOf(user)) });
  }
  return [...counted.values()].sort((a, b) => b.count - a.count);
}

function attachmentOf({ media, downloadUrl }: MessageRow): Attachment | undefined {
  if (!media) return undefined;
  const { mediaType, fileName, fileSize } = media;
  return {
    mediaType: plainLine(mediaType),
    fileName: plainLine(fileName),
    size: fileSize,
    url: plainLine(downloadUrl ?? ''),
  };
}

/** The user-part of a jid, or of what is one already. */
function userOf(jid: string): string {
  return jid.split(/[:@]/, 1)[0] ?? '';
}
