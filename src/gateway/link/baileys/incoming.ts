import { createHash } from 'node:crypto';
import {
  areJidsSameUser,
  type BinaryNode,
  type BinaryNodeAttributes,
  cleanMessage,
  decodeMessageNode,
  jidNormalizedUser,
  normalizeMessageContent,
  proto,
  unpadRandomMax16,
  type WAMessageKey,
} from '@whiskeysockets/baileys';
import { STATUS_JID } from '../../../domain/address.js';
import type { EpochMs } from '../../../domain/clock.js';
import { isObject, readJson } from '../../../domain/json.js';
import type { JournalEntry } from '../../../domain/signal-state.js';
import type { IncomingMessage, OwnIdentity, UnreadableMessage } from '../link.js';

/** One decrypted `<enc>` of a stanza. */
export interface DecryptedPart {
  /** The journal entry's id. */
  journalId: string;
  /** Plaintext with its padding, as the decryption returned it. */
  plain: Uint8Array;
  receivedAt: EpochMs;
}

/** A message stanza whose parts are being decrypted. */
export interface LiveStanza {
  node: BinaryNode;
  /** Journal ids of its parts, in its order. */
  journalIds: string[];
  /** Ciphertexts that are still to be decrypted. */
  waiting: number;
  parts: DecryptedPart[];
  /** The error of the first part that could not be decrypted. */
  fault?: unknown;
  /** The journal entries of all parts were closed before. */
  finished: boolean;
  /** When the stanza arrived, on the monotonic clock. */
  arrivedAt?: number;
}

/** Reads a stanza with a single part from its journal entry. */
export function readStanza(node: BinaryNode, { id, plain, receivedAt, closedAt }: JournalEntry): LiveStanza {
  return {
    node,
    journalIds: [id],
    waiting: 0,
    parts: [{ journalId: id, plain, receivedAt }],
    finished: closedAt !== undefined,
  };
}

/** Adds the padding of encrypted contents to an unencrypted one, because the journal holds padded contents. */
export function padded(content: Uint8Array): Uint8Array {
  return Buffer.concat([content, Buffer.of(1)]);
}

/**
 * Builds a message from the attributes of its stanza and its decrypted parts, in the stanza's order. Live messages and
 * those restored from the journal are both built here, so they cannot differ.
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
  const chat = key.remoteJid ?? '';
  // of a status, the library names the author's other address as that of a chat
  const isStatus = chat === STATUS_JID;
  const content = mergeContents(parts);
  for (const target of targetsIn(content)) {
    // `cleanMessage` rewrites the keys of two kinds only; wrap others as a reaction
    cleanMessage({ key, message: { reactionMessage: { key: target } } }, me.jid, meLid);
    if (!target.participant) delete target.participant;
  }
  return {
    messageId: key.id ?? '',
    chat,
    ...optionalJid(isStatus ? 'participantAlt' : 'chatAlt', key.remoteJidAlt),
    ...optionalJid('participant', key.participant),
    ...optionalJid('participantAlt', key.participantAlt),
    // the library compares the author of a status with the own number only
    fromMe: key.fromMe === true || (isStatus && areJidsSameUser(key.participant ?? '', meLid)),
    ...usernameIn(key),
    pushName: attrs.notify ?? '',
    timestamp: stanzaTime(attrs.t, parts[0]?.receivedAt ?? 0),
    content,
    journalIds: parts.map((part) => part.journalId),
    offline: attrs.offline !== undefined,
  };
}

/**
 * Merges the parts of a message: in groups one part has the sender key, another the content. A message of the linked
 * phone is wrapped, and its context may be outside of the wrapper.
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

/** The keys of the targets of a content, written from its author's point of view. */
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

/** The handle of the other person, or in groups of the author. */
function usernameIn({ participant, participantUsername, remoteJidUsername }: WAMessageKey) {
  const username = participant ? participantUsername : remoteJidUsername;
  return username ? { username } : {};
}

function optionalJid<K extends string>(name: K, jid: string | null | undefined) {
  const normalized = jid ? jidNormalizedUser(jid) : '';
  return normalized ? { [name]: normalized } : {};
}

/**
 * Rebuilds messages from journal entries, in the order of the entries. Entries of one stanza become one message;
 * unreadable ones are left out.
 */
export function restoreMessages(entries: readonly JournalEntry[], me: OwnIdentity): IncomingMessage[] {
  const open = new Map(entries.map((entry) => [entry.id, entry]));
  return entries.flatMap((entry) => {
    // this entry was merged with an earlier one of the same stanza
    if (!open.has(entry.id)) return [];
    try {
      return restoreOne(entry, open, me);
    } catch {
      // an unreadable stanza holds nothing to announce
      return [];
    }
  });
}

function restoreOne(
  entry: JournalEntry,
  open: Map<string, JournalEntry>,
  me: OwnIdentity,
): IncomingMessage[] {
  const { attrs, parts, unreadable } = decodeStanza(entry.stanza);
  if (unreadable) return [];
  const found = parts.flatMap((id) => {
    const part = open.get(id);
    open.delete(id);
    return part ? [{ journalId: id, plain: part.plain, receivedAt: part.receivedAt }] : [];
  });
  return [buildIncoming(attrs, found, me)];
}

/** Rebuilds the messages that could not be read, from the journal entries that stand for them. */
export function restoreUnreadable(entries: readonly JournalEntry[], me: OwnIdentity): UnreadableMessage[] {
  return entries.flatMap(({ id, stanza }) => {
    try {
      const { attrs, unreadable } = decodeStanza(stanza);
      if (!unreadable) return [];
      const { content: _, ...message } = buildIncoming(attrs, [], me);
      // an earlier run has asked the sender, who may not answer again
      const recovery = unreadable.recovery === 'none' ? 'none' : 'phone';
      return [{ ...message, journalIds: [id], reason: unreadable.reason, recovery }];
    } catch {
      // skip an entry without a readable stanza
      return [];
    }
  });
}

/** The types of ciphertext in a `<message>` that the journal keeps. */
const CIPHERTEXTS: ReadonlySet<string | undefined> = new Set(['pkmsg', 'msg', 'skmsg']);

/** The journal's copy of a stanza: enough to rebuild its message, in a form of our own. */
interface StanzaRecord {
  attrs: BinaryNodeAttributes;
  /** Journal ids of its parts, in the stanza's order. */
  parts: string[];
  /** The message could not be read; the entry has no content. */
  unreadable?: Pick<UnreadableMessage, 'reason' | 'recovery'>;
}

/** The ciphertexts of a message stanza, in its order. */
export function ciphertextsOf(stanza: BinaryNode): Uint8Array[] {
  if (!Array.isArray(stanza.content)) return [];
  return stanza.content.flatMap(({ tag, attrs, content }) =>
    tag === 'enc' && CIPHERTEXTS.has(attrs.type) && content instanceof Uint8Array ? [content] : [],
  );
}

/** The journal id of a ciphertext, which is the same when the stanza is delivered again. */
export function journalIdOf(ciphertext: Uint8Array): string {
  return createHash('sha256').update(ciphertext).digest('hex');
}

export function encodeStanza(record: StanzaRecord): Uint8Array {
  return Buffer.from(JSON.stringify(record));
}

/** Reads the bytes that `encodeStanza` has written. @throws Error when it is empty or damaged */
export function decodeStanza(bytes: Uint8Array): StanzaRecord {
  const record = readJson(Buffer.from(bytes).toString());
  if (!isRecord(record)) throw new Error('a stanza of the journal is damaged');
  return record;
}

function isRecord(value: unknown): value is StanzaRecord {
  if (!isObject(value) || !isObject(value.attrs) || !Array.isArray(value.parts)) return false;
  if (value.unreadable !== undefined && !isObject(value.unreadable)) return false;
  return [...Object.values(value.attrs), ...value.parts].every((item) => typeof item === 'string');
}

/** The last valid date, in milliseconds since the epoch. */
const LAST_DATE = 8_640_000_000_000_000;

/**
 * The time in a stanza's `t`, in milliseconds since the epoch.
 * @param otherwise returned for an invalid time
 */
export function stanzaTime(seconds: unknown, otherwise: number): number {
  const ms = Number(seconds) * 1000;
  return ms > 0 && ms <= LAST_DATE ? ms : otherwise;
}
