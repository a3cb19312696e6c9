import { proto } from '@whiskeysockets/baileys';
import type { AdClick, ChangeView, WriteRequest } from '../../contract/sandbox/index.js';
import { unwrap } from '../../domain/wrappers.js';
import type { Account } from '../state/account.js';
import { type Chat, jidIn, jidOf } from '../state/directory.js';
import { isGroupJid } from '../state/group.js';
import type { Network } from '../state/network.js';
import type { StatusFeed } from '../state/status-feed.js';
import { Refusal } from '../wire/refusals.js';
import { STATUS_JID } from '../wire/stanza.js';
import type { Writing } from './content/content.js';
import type { PhoneMessage } from './phone-messages.js';

/** After how long the messages of a chat disappear. */
export interface Expiry {
  seconds: number;
  /** When it was set, in seconds since the epoch; undefined if a message sets it for itself alone. */
  setAt?: number | undefined;
}

/** The chat id of a message: the group's jid, the partner's number, or that of the statuses. */
export function chatOf({ fromMe, from, to }: Pick<ChangeView, 'fromMe' | 'from' | 'to'>): string {
  return fromMe || isShared(to) ? to : from;
}

function isShared(chatId: string): boolean {
  return isGroupJid(chatId) || chatId === STATUS_JID;
}

/**
 * The earlier message that a content refers to.
 * @throws Refusal 404 when the phone does not hold it, 400 when it is in another chat or was revoked
 */
export function requireTarget({ messages, partner }: Writing, messageId: string): PhoneMessage {
  const target = messages.get(messageId);
  if (!target) throw new Refusal('message_unknown', `the phone holds no message ${messageId}`);
  if (chatOf(target) !== partner.chatId)
    throw new Refusal('message_elsewhere', `the message ${messageId} is not in the chat that "to" names`);
  if (target.revoked) throw new Refusal('message_deleted', `the message ${messageId} was deleted`);
  return target;
}

/** The key by which the phone names a message to others. */
export function keyOf(network: Network, target: PhoneMessage): proto.IMessageKey {
  const { directory, addressing } = network;
  return {
    remoteJid: jidOf(requireChatOf(network, target), addressing),
    fromMe: target.fromMe,
    id: target.messageId,
    ...(isShared(target.to) && { participant: directory.byNumber(target.from)?.jid(addressing) ?? null }),
  };
}

/** The author, and in groups the admins, may delete a message for everybody. */
export function mayRevoke(network: Network, account: Account, target: PhoneMessage): boolean {
  return (
    target.from === account.number || (network.directory.groups.byJid(target.to)?.isAdmin(account) ?? false)
  );
}

/** The context (quote, mentions, forwarded mark) of a message of any kind. */
export function findContextInfo(message: proto.IMessage): proto.IContextInfo | undefined {
  for (const part of Object.values(message)) {
    if (part && typeof part === 'object' && 'contextInfo' in part && part.contextInfo)
      return part.contextInfo;
  }
  return undefined;
}

/**
 * The context of a request; undefined when the request needs none.
 * @throws Refusal 404 when the phone does not hold the quoted message, or nobody has a mentioned number.
 */
export function composeContext(
  source: Pick<Writing, 'network' | 'messages'>,
  { to, quotedMessageId, mentions = [], forwarded, forwardingScore = 1, ad }: WriteRequest,
  expiry?: Expiry,
): proto.IContextInfo | undefined {
  const info: proto.IContextInfo = {
    ...(quotedMessageId !== undefined && quote(source, quotedMessageId)),
    ...(mentions.length > 0 && { mentionedJid: mentions.map((number) => named(source.network, to, number)) }),
    ...(forwarded && { isForwarded: true, forwardingScore }),
    ...(expiry && expiry.seconds > 0 && expirationOf(expiry)),
    ...(ad && adContext(ad)),
  };
  return Object.keys(info).length > 0 ? info : undefined;
}

/** Each message names the timer of its chat, and when that was set (zapo `message/context-info.ts`). */
function expirationOf({ seconds, setAt }: Expiry): proto.IContextInfo {
  return { expiration: seconds, ...(setAt !== undefined && { ephemeralSettingTimestamp: setAt }) };
}

/** The context of the first message after a click on an ad: the fields of `ContextInfo` that phones set (evolution-api #1648). */
function adContext({
  mediaType,
  sourceType = 'ad',
  sourceApp = 'facebook',
  ...ad
}: AdClick): proto.IContextInfo {
  const { IMAGE, VIDEO } = proto.ContextInfo.ExternalAdReplyInfo.MediaType;
  return {
    conversionSource: 'FB_Ads',
    entryPointConversionSource: 'ctwa_ad',
    entryPointConversionApp: sourceApp,
    externalAdReply: {
      ...ad,
      sourceType,
      sourceApp,
      showAdAttribution: true,
      ...(mediaType && { mediaType: mediaType === 'video' ? VIDEO : IMAGE }),
    },
  };
}

/** The context that quotes a stored message. @throws Refusal 404 when the phone has none. */
export function quote(
  { network, messages }: Pick<Writing, 'network' | 'messages'>,
  messageId: string,
): proto.IContextInfo {
  const quoted = messages.get(messageId);
  if (!quoted) throw new Refusal('message_unknown', `the phone holds no message ${messageId}`);
  return {
    stanzaId: messageId,
    participant: named(network, chatOf(quoted), quoted.from),
    quotedMessage: preview(quoted),
  };
}

/** The preview of a quoted message, without its secret and its own quote. */
function preview(quoted: PhoneMessage): proto.IMessage {
  if (quoted.revoked || (quoted.edited && quoted.type === 'text')) return { conversation: quoted.text };
  const { messageContextInfo: _, ...message } = unwrap(proto.Message.decode(quoted.source));
  const shown = proto.Message.fromObject(message);
  const info = findContextInfo(shown);
  if (info) Object.assign(info, { quotedMessage: null, stanzaId: null, participant: null });
  return shown;
}

/** @throws Refusal or GroupRefusal 404 when the person or the group of the chat is gone */
function requireChatOf({ directory }: Network, message: PhoneMessage): Chat | StatusFeed {
  const chatId = chatOf(message);
  return directory.chat(chatId) ?? directory.requireChat(chatId);
}

function named(network: Network, chatId: string, number: string): string {
  return jidIn(network.directory.requireChat(chatId), network.directory.require(number), network.addressing);
}
