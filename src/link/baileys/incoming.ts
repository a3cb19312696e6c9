import {
  type BinaryNodeAttributes,
  cleanMessage,
  decodeMessageNode,
  jidNormalizedUser,
  normalizeMessageContent,
  proto,
  unpadRandomMax16,
  type WAMessage,
  type WAMessageKey,
} from '@whiskeysockets/baileys';
import type { IncomingMessage, OwnIdentity } from '../link.js';
import { stanzaTime } from './stanza-time.js';

/** One decrypted `<enc>` of a stanza. */
export interface DecryptedPart {
  /** The journal entry's id. */
  journalId: string;
  /** Padded, as the decryption returned it. */
  plain: Uint8Array;
  /** Milliseconds since the epoch. */
  receivedAt: number;
}

/**
 * Builds the message that a stanza carried from its attributes and its decrypted parts, in the stanza's order. Live
 * messages and those rebuilt from the journal both come from here, so they cannot differ.
 * @throws when the stanza or a part is malformed
 */
export function buildIncoming(
  attrs: BinaryNodeAttributes,
  parts: readonly DecryptedPart[],
  me: Pick<OwnIdentity, 'jid' | 'lid'>,
): IncomingMessage {
  const meLid = me.lid && `${me.lid}@lid`;
  const { fullMessage } = decodeMessageNode({ tag: 'message', attrs }, me.jid, meLid);
  cleanMessage(fullMessage, me.jid, meLid);
  const { key } = fullMessage;
  const content = mergeContents(parts);
  for (const target of targetsIn(content)) {
    // the library turns the keys of two kinds only; in the guise of one of them it turns all
    cleanMessage({ key, message: { reactionMessage: { key: target } } }, me.jid, meLid);
    if (!target.participant) delete target.participant;
  }
  return {
    messageId: key.id ?? '',
    chat: key.remoteJid ?? '',
    ...optionalJid('chatAlt', key.remoteJidAlt),
    ...optionalJid('participant', key.participant),
    ...optionalJid('participantAlt', key.participantAlt),
    fromMe: key.fromMe === true,
    ...usernameIn(key),
    pushName: attrs.notify ?? '',
    timestamp: stanzaTime(attrs.t, parts[0]?.receivedAt ?? 0),
    content,
    journalIds: parts.map((part) => part.journalId),
    offline: attrs.offline !== undefined,
  };
}

/**
 * A message that the linked phone sent again in full, because it could not be decrypted here.
 * @param now when it came, in milliseconds since the epoch
 */
export function resentMessage(
  { key, message, messageTimestamp, pushName }: WAMessage,
  now: number,
): IncomingMessage | undefined {
  if (!message || !key.id || !key.remoteJid) return undefined;
  return {
    messageId: key.id,
    chat: jidNormalizedUser(key.remoteJid),
    ...optionalJid('chatAlt', key.remoteJidAlt),
    ...optionalJid('participant', key.participant),
    ...optionalJid('participantAlt', key.participantAlt),
    fromMe: key.fromMe === true,
    pushName: pushName ?? '',
    timestamp: stanzaTime(messageTimestamp, now),
    content: message,
    journalIds: [],
    offline: true,
  };
}

/**
 * A group message has its sender key in one part and its words in another; together they are one content. What the linked
 * phone wrote itself is wrapped, and what belongs to it may stand outside of the wrapping.
 */
function mergeContents(parts: readonly DecryptedPart[]): proto.IMessage {
  const content = proto.Message.create();
  for (const part of parts) {
    const { deviceSentMessage, ...message } = proto.Message.decode(unpadRandomMax16(part.plain));
    Object.assign(content, message, deviceSentMessage?.message);
    const outside = deviceSentMessage?.message && message.messageContextInfo;
    if (outside) content.messageContextInfo = { ...outside, ...content.messageContextInfo };
  }
  return content;
}

/** The keys of the messages that a content is about: they come as its author sees them. */
function targetsIn(message: proto.IMessage): proto.IMessageKey[] {
  const content = normalizeMessageContent(message) ?? {};
  return [
    content.reactionMessage?.key,
    content.encReactionMessage?.targetMessageKey,
    content.encCommentMessage?.targetMessageKey,
    content.secretEncryptedMessage?.targetMessageKey,
    content.pollUpdateMessage?.pollCreationMessageKey,
    content.pinInChatMessage?.key,
    content.keepInChatMessage?.key,
  ].filter((key) => !!key);
}

/** Of the other person, in groups of who wrote it. */
function usernameIn({ participant, participantUsername, remoteJidUsername }: WAMessageKey) {
  const username = participant ? participantUsername : remoteJidUsername;
  return username ? { username } : {};
}

function optionalJid<K extends string>(name: K, jid: string | null | undefined) {
  const normalized = jid ? jidNormalizedUser(jid) : '';
  return normalized ? { [name]: normalized } : {};
}
