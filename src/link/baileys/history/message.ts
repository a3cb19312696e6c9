import { jidNormalizedUser, normalizeMessageContent, proto } from '@whiskeysockets/baileys';
import type { MessageStatus } from '../../link.js';
import type { HistoricMessage, HistoricReaction } from '../../port/history.js';
import { stanzaTime } from '../stanza-time.js';
import type { ChatHead } from './chat-head.js';

const { REVOKE, ADMIN_REVOKE } = proto.WebMessageInfo.StubType;
const { Status } = proto.WebMessageInfo;
const STATUSES: ReadonlyMap<proto.WebMessageInfo.Status, MessageStatus> = new Map([
  [Status.ERROR, 'failed'],
  [Status.SERVER_ACK, 'sent'],
  [Status.DELIVERY_ACK, 'delivered'],
  [Status.READ, 'read'],
  [Status.PLAYED, 'played'],
]);
const { MESSAGE_EDIT, REVOKE: DELETION } = proto.Message.ProtocolMessage.Type;

/**
 * Reads a message of a history.
 * @returns undefined for what nobody wrote: calls, changes of a group, messages that could not be decrypted
 * @throws Error when it is malformed
 */
export function readHistoric(bytes: Uint8Array, head: ChatHead): HistoricMessage | undefined {
  const held = proto.HistorySyncMsg.decode(bytes).message;
  const id = held?.key?.id;
  if (!held || !id) return undefined;
  const { key, messageTimestamp, pushName, reactions } = held;
  const timestamp = stanzaTime(messageTimestamp, 0);
  const shown = shownContent(held);
  if (!shown || timestamp === 0) return undefined;
  const participant = authorIn(key, held.participant);
  const status = statusOf(held);
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

/** What a message shows now. An edited one may stand as its last edit, a deleted one as its deletion: both name it. */
type Shown = Pick<HistoricMessage, 'content' | 'deleted'> & { messageId?: string; editedAt?: number };

function shownContent(held: proto.IWebMessageInfo): Shown | undefined {
  const { messageStubType } = held;
  if (messageStubType === REVOKE || messageStubType === ADMIN_REVOKE) return { content: {}, deleted: true };
  if (!held.message) return undefined;
  const change = normalizeMessageContent(held.message)?.protocolMessage;
  const named = change?.key?.id ? { messageId: change.key.id } : {};
  if (change?.type === DELETION && change.key) return { ...named, content: {}, deleted: true };
  if (change?.type !== MESSAGE_EDIT || !change.editedMessage) {
    return { content: withSecret(held.message, held), deleted: false };
  }
  const editedAt = Number(change.timestampMs ?? 0) || stanzaTime(held.messageTimestamp, 0);
  return { ...named, content: withSecret(change.editedMessage, held), deleted: false, editedAt };
}

/** The status of a group's message tells what all have done; the receipts tell of each. */
function statusOf(held: proto.IWebMessageInfo): MessageStatus | undefined {
  const { key, status, userReceipt } = held;
  if (!key?.fromMe) return undefined;
  // an absent one reads as the first of all, which is a failure
  const told = Object.hasOwn(held, 'status') ? STATUSES.get(status ?? Status.PENDING) : undefined;
  const anyone = (did: 'receiptTimestamp' | 'readTimestamp' | 'playedTimestamp') =>
    userReceipt?.some((receipt) => Number(receipt[did] ?? 0) > 0);
  if (told === 'played' || anyone('playedTimestamp')) return 'played';
  if (told === 'read' || anyone('readTimestamp')) return 'read';
  return anyone('receiptTimestamp') ? 'delivered' : told;
}

/** Votes and edits that come later are encrypted with the message's secret; in a history it stands beside the content. */
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
