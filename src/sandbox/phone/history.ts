import { proto } from '@whiskeysockets/baileys';
import { Group } from '../groups/group.js';
import type { Network } from '../network.js';
import type { HeldMessage } from './held-messages.js';
import { pastMessage } from './past-message.js';
import type { Phone } from './phone.js';
import { chatOf } from './targets.js';

/** How many messages one part of a history has at most. */
const MESSAGES_PER_PART = 500;
const ALL = 100;
const { INITIAL_BOOTSTRAP, RECENT, PUSH_NAME } = proto.HistorySync.HistorySyncType;

/** Some messages of one chat, newest first. */
interface Excerpt {
  chat: string;
  messages: HeldMessage[];
}

/**
 * What a phone tells a new device of its past, in parts: who is behind the hidden ids of its chats, its messages,
 * and how people call themselves. Of a phone without messages it is a single part.
 */
export function* historyParts(network: Network, phone: Phone): Generator<proto.IHistorySync> {
  const chats = chatsOf(phone);
  const unread = new Map(chats.map(({ chat, messages }) => [chat, countUnread(messages)]));
  const parts = [...split(chats)];
  for (const [position, excerpts] of (parts.length > 0 ? parts : [[]]).entries()) {
    yield {
      syncType: position === 0 ? INITIAL_BOOTSTRAP : RECENT,
      chunkOrder: position + 1,
      progress: Math.floor((ALL * (position + 1)) / Math.max(1, parts.length)),
      conversations: excerpts.map((excerpt) => conversation(network, phone, excerpt, unread)),
      ...(position === 0 && { phoneNumberToLidMappings: mappings(phone) }),
    };
  }
  const pushnames = chats.flatMap(({ chat }) => pushname(network, chat) ?? []);
  if (pushnames.length > 0)
    yield { syncType: PUSH_NAME, chunkOrder: parts.length + 1, progress: ALL, pushnames };
}

/** The chats of a phone, the one that was written in last first. */
function chatsOf(phone: Phone): Excerpt[] {
  const chats = new Map<string, HeldMessage[]>();
  for (const message of [...phone.held.all()].reverse()) {
    const chat = chatOf(message);
    const known = chats.get(chat);
    if (known) known.push(message);
    else chats.set(chat, [message]);
  }
  return [...chats].map(([chat, messages]) => ({ chat, messages }));
}

/** Parts of bounded size; a chat may reach over several. */
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
  phone: Phone,
  { chat, messages }: Excerpt,
  unread: Map<string, number>,
): proto.IConversation {
  return {
    ...headOf(network, chat),
    conversationTimestamp: messages[0]?.timestamp ?? 0,
    unreadCount: unread.get(chat) ?? 0,
    messages: messages.map((held) => ({ message: pastMessage(network, phone, held) })),
  };
}

function headOf(network: Network, chat: string): proto.IConversation {
  const partner = network.requireChat(chat);
  if (partner instanceof Group) return { id: partner.jid(), name: partner.record.subject.text };
  const { name, username } = partner.record;
  return {
    id: partner.privateJid(network.addressing),
    pnJid: partner.jid('pn'),
    ...(!partner.record.hideLid && { lidJid: partner.jid('lid') }),
    displayName: name,
    ...(username && { username }),
  };
}

/** How many messages came since the person last read or wrote something there. */
function countUnread(messages: HeldMessage[]): number {
  const seen = messages.findIndex(({ fromMe, isRead }) => fromMe || isRead);
  return seen < 0 ? messages.length : seen;
}

function mappings(phone: Phone): proto.IPhoneNumberToLIDMapping[] {
  const known = [...phone.partners].filter(({ record }) => !record.hideLid);
  return known.map((partner) => ({ pnJid: partner.jid('pn'), lidJid: partner.jid('lid') }));
}

function pushname(network: Network, chat: string): proto.IPushname | undefined {
  const partner = network.registry.byNumber(chat);
  return partner && { id: partner.privateJid(network.addressing), pushname: partner.record.name };
}
