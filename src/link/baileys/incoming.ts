import {
  type BinaryNodeAttributes,
  cleanMessage,
  decodeMessageNode,
  jidNormalizedUser,
  proto,
  unpadRandomMax16,
  type WAMessage,
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
  fullMessage.message = mergeContents(parts);
  cleanMessage(fullMessage, me.jid, meLid);
  const { key } = fullMessage;
  return {
    messageId: key.id ?? '',
    chat: key.remoteJid ?? '',
    ...optionalJid('chatAlt', key.remoteJidAlt),
    ...optionalJid('participant', key.participant),
    ...optionalJid('participantAlt', key.participantAlt),
    fromMe: key.fromMe === true,
    pushName: attrs.notify ?? '',
    timestamp: stanzaTime(attrs.t, parts[0]?.receivedAt ?? 0),
    content: fullMessage.message,
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

/** A group message has its sender key in one part and its words in another; together they are one content. */
function mergeContents(parts: readonly DecryptedPart[]): proto.IMessage {
  const content = proto.Message.create();
  for (const part of parts) {
    const message = proto.Message.decode(unpadRandomMax16(part.plain));
    Object.assign(content, message.deviceSentMessage?.message ?? message);
  }
  return content;
}

function optionalJid<K extends string>(name: K, jid: string | null | undefined) {
  const normalized = jid ? jidNormalizedUser(jid) : '';
  return normalized ? { [name]: normalized } : {};
}
