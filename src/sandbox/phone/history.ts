import { proto } from '@whiskeysockets/baileys';
import { tokenOf } from '../people/tokens.js';
import type { Account } from '../state/account.js';
import { Group } from '../state/group.js';
import type { Network } from '../state/network.js';
import { isStatus } from '../state/status-feed.js';
import { withText } from './content/edit.js';
import type { PhoneMemory } from './memory.js';
import type { PhoneMessage } from './phone-messages.js';
import { chatOf, keyOf } from './targets.js';

/** Limit of messages in one part. */
const MESSAGES_PER_PART = 500;
const ALL = 100;
const { INITIAL_BOOTSTRAP, RECENT, PUSH_NAME, ON_DEMAND } = proto.HistorySync.HistorySyncType;
const { EndOfHistoryTransferType } = proto.Conversation;

/** Some messages of one chat, newest first. */
interface Excerpt {
  chat: string;
  messages: PhoneMessage[];
}

/**
 * The history for a new device, in parts: LID mappings, messages and push names. A phone without messages sends a
 * single part.
 */
export function* historyParts(network: Network, phone: PhoneMemory): Generator<proto.IHistorySync> {
  const chats = chatsOf(phone);
  const unread = new Map(chats.map(({ chat, messages }) => [chat, countUnread(messages)]));
  const parts = [...split(chats)];
  for (const [position, excerpts] of (parts.length > 0 ? parts : [[]]).entries()) {
    yield {
      syncType: position === 0 ? INITIAL_BOOTSTRAP : RECENT,
      chunkOrder: position + 1,
      progress: Math.floor((ALL * (position + 1)) / Math.max(1, parts.length)),
      conversations: excerpts.map((excerpt) => conversation(network, phone, excerpt, unread)),
      ...(position === 0 && { phoneNumberToLidMappings: mappings(phone), ...settings(network, phone) }),
    };
  }
  const pushnames = chats.flatMap(({ chat }) => pushname(network, chat) ?? []);
  if (pushnames.length > 0)
    yield { syncType: PUSH_NAME, chunkOrder: parts.length + 1, progress: ALL, pushnames };
}

/**
 * Tells a device that the chats of its account have been moved to LIDs. Without that whatsmeow encrypts for the number, and
 * finds neither the message of a retry nor that of a vote (`storeGlobalSettings`).
 */
function settings(network: Network, { account }: PhoneMemory): Pick<proto.IHistorySync, 'globalSettings'> {
  if (network.addressing !== 'lid' || network.faults.peek('no-lid-chats', account)) return {};
  return { globalSettings: { chatDbLidMigrationTimestamp: network.now() } };
}

/**
 * The messages of a chat before the oldest one that a device knows: one part, also where there are none (whatsmeow
 * `BuildHistorySyncRequest`).
 */
export function olderMessages(
  network: Network,
  phone: PhoneMemory,
  {
    chatJid,
    oldestMsgId,
    onDemandMsgCount,
  }: proto.Message.PeerDataOperationRequestMessage.IHistorySyncOnDemandRequest,
): proto.IHistorySync {
  const { directory } = network;
  const wanted = (directory.groups.byJid(chatJid ?? '') ?? directory.byJid(chatJid ?? ''))?.chatId;
  const found = chatsOf(phone).find(({ chat }) => chat === wanted);
  const about = { syncType: ON_DEMAND, chunkOrder: 1, progress: ALL };
  if (!found) return { ...about, conversations: [] };
  const { chat, messages } = found;
  const oldest = messages.findIndex(({ messageId }) => messageId === oldestMsgId);
  const count = Math.min(onDemandMsgCount ?? 0, MESSAGES_PER_PART);
  const older = oldest < 0 ? [] : messages.slice(oldest + 1, oldest + 1 + count);
  const hasMore = oldest >= 0 && oldest + 1 + older.length < messages.length;
  const end = hasMore
    ? EndOfHistoryTransferType.COMPLETE_BUT_MORE_MESSAGES_REMAIN_ON_PRIMARY
    : EndOfHistoryTransferType.COMPLETE_AND_NO_MORE_MESSAGE_REMAIN_ON_PRIMARY;
  const excerpt = conversation(network, phone, { chat, messages: older }, new Map());
  return { ...about, conversations: [{ ...excerpt, endOfHistoryTransferType: end }] };
}

/** The chats of a phone, latest first. */
function chatsOf(phone: PhoneMemory): Excerpt[] {
  const chats = new Map<string, PhoneMessage[]>();
  for (const message of [...phone.messages.all()].reverse()) {
    // the statuses that a phone hands over are not played
    if (isStatus(message)) continue;
    const chat = chatOf(message);
    const known = chats.get(chat);
    if (known) known.push(message);
    else chats.set(chat, [message]);
  }
  return [...chats].map(([chat, messages]) => ({ chat, messages }));
}

/** Parts of bounded size; a chat may span several. */
function* split(chats: Excerpt[]): Generator<Excerpt[]> {
  let part: Excerpt[] = [];
  let room = MESSAGES_PER_PART;
  for (const { chat, messages } of chats) {
    for (let start = 0; start < messages.length; ) {
      const some = messages.slice(start, start + room);
      part.push({ chat, messages: some });
      start += some.length;
      room -= some.length;
      if (room > 0) continue;
      yield part;
      part = [];
      room = MESSAGES_PER_PART;
    }
  }
  if (part.length > 0) yield part;
}

function conversation(
  network: Network,
  phone: PhoneMemory,
  { chat, messages }: Excerpt,
  unread: Map<string, number>,
): proto.IConversation {
  return {
    ...headOf(network, phone, chat),
    conversationTimestamp: messages[0]?.timestamp ?? 0,
    unreadCount: unread.get(chat) ?? 0,
    messages: messages.map((stored) => ({ message: pastMessage(network, phone, stored) })),
  };
}

function headOf(network: Network, phone: PhoneMemory, chat: string): proto.IConversation {
  const partner = network.directory.requireChat(chat);
  if (partner instanceof Group) return { id: partner.jid(), name: partner.record.subject.text };
  const { name, username } = partner.record;
  const contact = phone.account.record.contacts?.[partner.lid];
  return {
    id: partner.privateJid(network.addressing),
    pnJid: partner.jid('pn'),
    ...(!partner.record.hideLid && { lidJid: partner.jid('lid') }),
    ...tokensWith(phone.account, partner),
    ...(contact && { name: contact.name }),
    displayName: contact?.name ?? name,
    ...(username && { username }),
  };
}

/** The token that the partner gave, and when the own account gave one. */
function tokensWith(account: Account, partner: Account): Partial<proto.IConversation> {
  const token = tokenOf(partner, account);
  const given = tokenOf(account, partner);
  return {
    ...(token && { tcToken: token.token, tcTokenTimestamp: token.t }),
    ...(given && { tcTokenSenderTimestamp: given.t }),
  };
}

/** Number of messages since the person last read or wrote in the chat. */
function countUnread(messages: PhoneMessage[]): number {
  const seen = messages.findIndex(({ fromMe, isRead }) => fromMe || isRead);
  return seen < 0 ? messages.length : seen;
}

function mappings(phone: PhoneMemory): proto.IPhoneNumberToLIDMapping[] {
  const known = [...phone.partners].filter(({ record }) => !record.hideLid);
  return known.map((partner) => ({ pnJid: partner.jid('pn'), lidJid: partner.jid('lid') }));
}

function pushname(network: Network, chat: string): proto.IPushname | undefined {
  const partner = network.directory.byNumber(chat);
  return partner && { id: partner.privateJid(network.addressing), pushname: partner.record.name };
}

const { Status, StubType } = proto.WebMessageInfo;

/** A stored message as part of a history, with all later changes. */
export function pastMessage(
  network: Network,
  phone: PhoneMemory,
  stored: PhoneMessage,
): proto.IWebMessageInfo {
  const author = network.directory.byNumber(stored.from);
  const key = keyOf(network, stored);
  return {
    key,
    ...(key.participant && { participant: key.participant }),
    messageTimestamp: stored.timestamp,
    ...(stored.fromMe ? { status: statusOf(phone, stored) } : { pushName: author?.record.name ?? '' }),
    ...(stored.revoked ? { messageStubType: StubType.REVOKE } : { message: contentOf(stored) }),
    reactions: Object.entries(stored.reactions).map(([number, text]) =>
      reaction(network, phone, stored, number, text),
    ),
  };
}

function contentOf(stored: PhoneMessage): proto.IMessage {
  const message = proto.Message.decode(stored.source);
  const edited = stored.edited ? withText(stored, stored.text) : undefined;
  return edited ? { ...edited, messageContextInfo: message.messageContextInfo ?? null } : message;
}

function statusOf(phone: PhoneMemory, stored: PhoneMessage): proto.WebMessageInfo.Status {
  const states = Object.values(phone.messages.view(stored).receipts);
  if (states.includes('played')) return Status.PLAYED;
  if (states.includes('read')) return Status.READ;
  return states.includes('delivered') ? Status.DELIVERY_ACK : Status.SERVER_ACK;
}

function reaction(
  network: Network,
  phone: PhoneMemory,
  stored: PhoneMessage,
  number: string,
  text: string,
): proto.IReaction {
  const { id: _, ...chat } = keyOf(network, stored);
  const fromMe = number === phone.account.number;
  return { key: { ...chat, fromMe }, text, senderTimestampMs: stored.timestamp * 1_000 };
}
