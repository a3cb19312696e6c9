import { jidNormalizedUser, normalizeMessageContent, proto } from '@whiskeysockets/baileys';
import { parseJid, personOf } from '../../../../domain/address.js';
import type { HistoricMessage, HistoricPerson, HistoricReaction, NamedMessage } from '../../history.js';
import type { MessageStatus } from '../../link.js';
import { stanzaTime } from '../incoming.js';
import type { Field } from './fields.js';

const { REVOKE, ADMIN_REVOKE } = proto.WebMessageInfo.StubType;
const { Status } = proto.WebMessageInfo;
const STATUSES: ReadonlyMap<proto.WebMessageInfo.Status, MessageStatus> = new Map([
  [Status.ERROR, 'failed'],
  [Status.SERVER_ACK, 'sent'],
  [Status.DELIVERY_ACK, 'delivered'],
  [Status.READ, 'read'],
  [Status.PLAYED, 'played'],
]);
const NO_MORE = proto.Conversation.EndOfHistoryTransferType.COMPLETE_AND_NO_MORE_MESSAGE_REMAIN_ON_PRIMARY;
const { MESSAGE_EDIT, REVOKE: DELETION } = proto.Message.ProtocolMessage.Type;

/**
 * Reads a message of a history.
 * @returns undefined for calls, changes of a group and messages that the phone could not decrypt
 * @throws Error when it is malformed
 */
export function readHistoric(bytes: Uint8Array, head: ChatHead): HistoricMessage | undefined {
  const past = proto.HistorySyncMsg.decode(bytes).message;
  const id = past?.key?.id;
  if (!past || !id) return undefined;
  const { key, messageTimestamp, pushName, reactions } = past;
  const timestamp = stanzaTime(messageTimestamp, 0);
  const shown = shownContent(past);
  if (!shown || timestamp === 0) return undefined;
  const participant = authorIn(key, past.participant);
  const status = statusOf(past);
  return {
    messageId: id,
    chat: head.chat,
    ...(head.chatAlt && { chatAlt: head.chatAlt }),
    subject: head.subject,
    ...(participant && { participant }),
    fromMe: key?.fromMe === true,
    pushName: pushName ?? '',
    timestamp,
    reactions: (reactions ?? []).flatMap((each) => readReaction(each, timestamp) ?? []),
    ...(status && { status }),
    unreadInChat: head.unread,
    ...shown,
  };
}

/** The name of a message of a history, also of one that is not read. @throws Error when it is malformed */
export function nameOfHistoric(bytes: Uint8Array): NamedMessage | undefined {
  const { key, messageTimestamp } = proto.HistorySyncMsg.decode(bytes).message ?? {};
  const sentAt = stanzaTime(messageTimestamp, 0);
  return key?.id && sentAt ? { messageId: key.id, fromMe: key.fromMe === true, sentAt } : undefined;
}

/** The current content. An edited message may be stored as its last edit, a deleted one as its deletion: both name its id. */
type Shown = Pick<HistoricMessage, 'content' | 'deleted'> & { messageId?: string; editedAt?: number };

function shownContent(past: proto.IWebMessageInfo): Shown | undefined {
  const { messageStubType } = past;
  if (messageStubType === REVOKE || messageStubType === ADMIN_REVOKE) return { content: {}, deleted: true };
  if (!past.message) return undefined;
  const change = normalizeMessageContent(past.message)?.protocolMessage;
  const named = change?.key?.id ? { messageId: change.key.id } : {};
  if (change?.type === DELETION && change.key) return { ...named, content: {}, deleted: true };
  if (change?.type !== MESSAGE_EDIT || !change.editedMessage) {
    return { content: withSecret(past.message, past), deleted: false };
  }
  const editedAt = Number(change.timestampMs ?? 0) || stanzaTime(past.messageTimestamp, 0);
  return { ...named, content: withSecret(change.editedMessage, past), deleted: false, editedAt };
}

/** The status of a message. In groups the stored status is what all members have reached; the receipts have that of each member. */
function statusOf(past: proto.IWebMessageInfo): MessageStatus | undefined {
  const { key, status, userReceipt } = past;
  if (!key?.fromMe) return undefined;
  // an absent status decodes as the first value, ERROR
  const told = Object.hasOwn(past, 'status') ? STATUSES.get(status ?? Status.PENDING) : undefined;
  const anyone = (did: 'receiptTimestamp' | 'readTimestamp' | 'playedTimestamp') =>
    userReceipt?.some((receipt) => Number(receipt[did] ?? 0) > 0);
  if (told === 'played' || anyone('playedTimestamp')) return 'played';
  if (told === 'read' || anyone('readTimestamp')) return 'read';
  return anyone('receiptTimestamp') ? 'delivered' : told;
}

/** Moves the secret, with which later votes and edits are encrypted, into the content; a history stores it outside of the content. */
function withSecret(content: proto.IMessage, { messageSecret }: proto.IWebMessageInfo): proto.IMessage {
  if (!messageSecret?.length || content.messageContextInfo?.messageSecret?.length) return content;
  return { ...content, messageContextInfo: { ...content.messageContextInfo, messageSecret } };
}

function readReaction(
  { key, text, senderTimestampMs }: proto.IReaction,
  otherwise: number,
): HistoricReaction | undefined {
  if (!text) return undefined;
  const participant = authorIn(key);
  return {
    fromMe: key?.fromMe === true,
    ...(participant && { participant }),
    emoji: text,
    at: Number(senderTimestampMs ?? 0) || otherwise,
  };
}

function authorIn(key: proto.IMessageKey | null | undefined, beside?: string | null): string {
  const participant = key?.participant || beside;
  return participant ? jidNormalizedUser(participant) : '';
}

/** Field numbers of a conversation in the protocol buffer. */
export const MESSAGES_FIELD = 2;
const UNREAD_FIELD = 6;
const END_FIELD = 11;
const TEXT_FIELDS = {
  1: 'id',
  13: 'name',
  38: 'displayName',
  39: 'pnJid',
  42: 'lidJid',
  49: 'accountLid',
} as const;
/** Bytes of a jid or a name; longer ones are ignored. */
const MAX_TEXT_BYTES = 1_024;
/** Larger counts mean the mark "unread", or are invalid. */
const MAX_UNREAD = 100_000;

/** A chat of a history, without its messages. */
export interface ChatHead {
  /** Jid; empty for a chat without people, such as a channel. */
  chat: string;
  chatAlt: string;
  /** Subject of a group. */
  subject: string;
  unread: number;
  /** Whether the phone holds older messages, if it says so. */
  hasMore: boolean | undefined;
  /** The other person; undefined for a group. */
  person: HistoricPerson | undefined;
}

type TextField = (typeof TEXT_FIELDS)[keyof typeof TEXT_FIELDS];

/** Collects the fields of a conversation, which come before and after its messages. */
export class ChatHeadReader {
  readonly #texts = new Map<TextField, string>();
  #unread = 0;
  #hasMore: boolean | undefined;

  /** True when `text` needs the bytes of a field. */
  wants({ number, value, length }: Field): boolean {
    return value === undefined && length <= MAX_TEXT_BYTES && nameOf(number) !== undefined;
  }

  text({ number }: Field, bytes: Buffer): void {
    const name = nameOf(number);
    if (name) this.#texts.set(name, bytes.toString());
  }

  number({ number, value }: Field): void {
    if (number === UNREAD_FIELD && value !== undefined && value <= MAX_UNREAD) this.#unread = Number(value);
    if (number === END_FIELD && value !== undefined) this.#hasMore = Number(value) !== NO_MORE;
  }

  head(): ChatHead {
    const text = (name: TextField) => this.#texts.get(name) ?? '';
    const chat = parseJid(text('id')) ? jidNormalizedUser(text('id')) : '';
    const isGroup = parseJid(chat)?.kind === 'group';
    const person = personOf(chat, text('pnJid'), text('lidJid') || text('accountLid'));
    const name = text('name');
    const displayName = text('displayName');
    // the phone displays what people call themselves where its address book has no name: such a name makes nobody a contact
    const names = name ? { name } : displayName ? { pushName: displayName } : {};
    return {
      chat,
      chatAlt: isGroup ? '' : alternative(chat, text('pnJid'), text('lidJid') || text('accountLid')),
      subject: isGroup ? name || displayName : '',
      unread: this.#unread,
      hasMore: this.#hasMore,
      person: chat && !isGroup ? { ...person, ...names } : undefined,
    };
  }
}

/** The chat's address of the other kind. */
function alternative(chat: string, ...jids: string[]): string {
  const kind = parseJid(chat)?.kind;
  const other = jids.find((jid) => {
    const address = parseJid(jid);
    return address && address.kind !== kind && address.kind !== 'group';
  });
  return other ? jidNormalizedUser(other) : '';
}

function nameOf(number: number): TextField | undefined {
  const entry = Object.entries(TEXT_FIELDS).find(([field]) => Number(field) === number);
  return entry?.[1];
}
