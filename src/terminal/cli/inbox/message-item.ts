import type { StoredMessage } from '../../../contract/index.js';
import { isObject } from '../../../domain/json.js';
import { parseRoomId } from '../../../domain/room.js';
import { plainLine, plainLines } from '../../../domain/text.js';
import type { Attachment, MessageItem, Tick } from './model.js';
import { dateOf } from './room-item.js';

/** A message in an answer of the daemon. A daemon of another release may omit fields or know more statuses. */
export type MessageRow = Omit<StoredMessage, 'status' | 'extras' | 'downloadUrl'> & {
  status?: string;
  extras?: unknown;
  downloadUrl?: string;
};

/** Facts of the room that the messages do not contain. */
export interface Chat {
  chatRoomId: string;
  /** Name of the room. */
  name: string;
  isGroup: boolean;
  /** Own jid; older messages may use it for this number. */
  ownJid: string;
}

interface Authors {
  /** User parts of the linked number's addresses. */
  own: ReadonlySet<string>;
  byUser: ReadonlyMap<string, string>;
  byMessage: ReadonlyMap<string, string>;
}

const TICKS: readonly Tick[] = ['sent', 'delivered', 'read', 'played', 'failed'];
const YOU = 'You';
const SOMEBODY = 'Somebody';

/** Stored types of messages whose text or caption the author may edit. */
const EDITABLE: readonly string[] = ['chat', 'image', 'video', 'document'];

/** True for an own message with a text or a caption; the daemon checks its age. */
export function isEditable({
  fromMe,
  deleted,
  type,
}: Pick<MessageItem, 'fromMe' | 'deleted' | 'type'>): boolean {
  return fromMe && !deleted && EDITABLE.includes(type);
}

/** Converts messages of the API to items of the inbox. */
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
    ...unreadableIn(extras),
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

/** User part of the author in a group; empty in a direct chat. */
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

/** Sentences for the reasons why a message could not be read. */
const UNREADABLE: Readonly<Record<string, string>> = {
  undecryptable: 'no key of this device fits',
  malformed: 'its content is damaged',
  unavailable: 'the network has no copy for this device',
  view_once: 'it can be opened once, on the phone',
  bot: 'only the phone gets answers of this assistant',
  hosted: 'only the phone gets messages of this business',
  unsupported: 'its encryption is unknown here',
};

function unreadableIn(extras: unknown): { unreadable?: string } {
  const reason = textOf(fieldOf(extras, 'unreadable'), 'reason');
  return reason ? { unreadable: UNREADABLE[reason] ?? plainLine(reason) } : {};
}

function attachmentOf({ media, downloadUrl, extras }: MessageRow): Attachment | undefined {
  if (!media) return undefined;
  const { mediaType, fileName, fileSize } = media;
  const told = fieldOf(extras, 'media');
  const seconds = fieldOf(told, 'seconds');
  return {
    mediaType: plainLine(mediaType),
    fileName: plainLine(fileName),
    size: fileSize,
    url: plainLine(downloadUrl ?? ''),
    ...(typeof seconds === 'number' && seconds > 0 && { seconds }),
    ...(fieldOf(told, 'voice') === true && { voice: true }),
  };
}

/** The user part of a jid, or of a bare user part. */
function userOf(jid: string): string {
  return jid.split(/[:@]/, 1)[0] ?? '';
}

/** The text of a message, including the content of its type. */
export function messageText({ messageType, body, extras }: MessageRow): string {
  const write = WRITERS[messageType];
  return write ? write(body, extras) : body;
}

type Writer = (body: string, extras: unknown) => string;

const WRITERS: Readonly<Record<string, Writer>> = {
  poll: (body, extras) => {
    const options = listOf(fieldOf(extras, 'poll'), 'options');
    return lines([body, ...options.map((option) => `○ ${String(option)}`)]);
  },
  vote_update: (body, extras) => {
    const vote = fieldOf(extras, 'pollVote');
    if (body) return `voted: ${body}`;
    return listOf(vote, 'selectedHashes').length > 0 ? 'voted' : 'removed the vote';
  },
  location: (body, extras) => {
    const place = fieldOf(extras, 'location');
    const position = [fieldOf(place, 'latitude'), fieldOf(place, 'longitude')].map(Number);
    const where = position.every(Number.isFinite) ? position.join(', ') : '';
    return lines([body, textOf(place, 'address'), where]);
  },
  contact: (body, extras) => {
    const contact = fieldOf(extras, 'contact');
    const several = listOf(contact, 'contacts');
    const cards = several.length > 0 ? several : [contact];
    return (
      lines(cards.map((card) => `${textOf(card, 'displayName')} ${textOf(card, 'phone')}`.trim())) || body
    );
  },
};

/** Joins distinct non-empty lines. */
function lines(parts: readonly string[]): string {
  return [...new Set(parts.filter((part) => part.trim()))].join('\n');
}

/** A field of an object of unknown shape. */
export function fieldOf(value: unknown, name: string): unknown {
  return isObject(value) ? value[name] : undefined;
}

/** A text field, or an empty text. */
export function textOf(value: unknown, name: string): string {
  const field = fieldOf(value, name);
  return typeof field === 'string' ? field : '';
}

/** A list field, or an empty list. */
export function listOf(value: unknown, name: string): readonly unknown[] {
  const field = fieldOf(value, name);
  return Array.isArray(field) ? field : [];
}

/** The text fields of an object. */
export function textsOf(value: unknown): [string, string][] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, field]) => (typeof field === 'string' ? [[name, field]] : []));
}
