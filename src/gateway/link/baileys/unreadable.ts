import {
  type BinaryNode,
  type BinaryNodeAttributes,
  encodeBigEndian,
  encodeSignedDeviceIdentity,
  getNextPreKeys,
  isJidGroup,
  KEY_BUNDLE_TYPE,
  PLACEHOLDER_MAX_AGE_SECONDS,
  proto,
  type WAMessage,
  type WASocket,
  xmppPreKey,
  xmppSignedPreKey,
} from '@whiskeysockets/baileys';
import { boundedCache } from '../../../domain/bounded-cache.js';
import type { Clock } from '../../../domain/clock.js';
import { isSameMessage } from '../../../domain/same-message.js';
import type { JournalEntry } from '../../../domain/signal-state.js';
import type { UnreadableReason } from '../../../domain/unreadable.js';
import type { Logger } from '../../log.js';
import type { LinkKeys, OwnIdentity, UnreadableMessage } from '../link.js';
import type { InboundGate } from './inbound-gate.js';
import {
  buildIncoming,
  ciphertextsOf,
  decodeStanza,
  encodeStanza,
  journalIdOf,
  type LiveStanza,
  padded,
  readStanza,
  restoreMessages,
} from './incoming.js';
import { ownIdentity } from './keys.js';
import { isOldCounter, MalformedContent, NO_SESSION, retryReason } from './retry-reasons.js';

/** Retry receipts for one message; official clients answer no more (whatsapp-rust `MAX_RETRY_COUNT`). */
const MAX_RETRIES = 5;
/** From this retry on the receipt carries keys for a new session (whatsapp-rust `MIN_RETRY_COUNT_FOR_KEYS`). */
const KEYS_FROM_RETRY = 2;
/** Number of messages whose retries and requests to the phone are remembered. */
const MAX_REMEMBERED = 5_000;

/** `<unavailable>` types that no other device can help with (rc14 `messages-recv`, zapo `WaRetryCoordinator`). */
const LOST_FOR_GOOD = new Map<string | undefined, UnreadableReason>([
  ['view_once', 'view_once'],
  ['view_once_unavailable_fanout', 'view_once'],
  ['bot_unavailable_fanout', 'bot'],
  ['hosted_unavailable_fanout', 'hosted'],
]);

/**
 * Messages that arrive and cannot be read. Each is written to the journal before its acknowledgement, so that it is
 * announced later, as itself or as unreadable. The sender is asked to encrypt it again; on request the own phone is
 * asked for it.
 */
export class UnreadableStanzas {
  readonly #options;
  /** Retry receipts sent, by message. */
  readonly #retries = boundedCache<number>(MAX_REMEMBERED);
  /** Attributes of the stanzas that the phone was asked to resend, by message id. */
  readonly #requested = boundedCache<BinaryNodeAttributes>(MAX_REMEMBERED);

  constructor(options: {
    sock(): WASocket;
    keys: LinkKeys;
    gate: InboundGate;
    clock: Clock;
    log: Logger;
    onUnreadable(message: UnreadableMessage): void;
    /** Called for a message that the phone has sent again. */
    onResent(stanza: LiveStanza): void;
  }) {
    this.#options = options;
  }

  /**
   * Takes a stanza that the library must not see, because it has nothing to decrypt.
   * @returns false when the library should handle the stanza
   */
  take(node: BinaryNode): boolean {
    if (node.attrs.category === 'peer' || ciphertextsOf(node).length > 0) return false;
    const { gate, log } = this.#options;
    const { reason, recovery } = reasonOfAbsence(node, this.#options.clock.now());
    gate
      .run(() => this.#keep(node, reason, recovery, []))
      .then(() => this.#options.sock().sendMessageAck(node))
      .catch((err: unknown) => log.debug({ err }, 'an unavailable message was not acknowledged'));
    return true;
  }

  /**
   * Takes a stanza that could not be decrypted, and asks the sender to send it again. Resolves when the journal has the
   * stanza: then the library may acknowledge it.
   */
  async takeFailed({ node, parts }: LiveStanza, error: unknown): Promise<void> {
    if (isOldCounter(error) && !(await this.#isUnread(node))) return;
    const key = retryKeyOf(node);
    const count = Math.max(this.#retries.get(key) ?? 0, countIn(node)) + 1;
    const isLost = error instanceof MalformedContent;
    const isAsked = !isLost && count <= MAX_RETRIES;
    const recovery = isLost ? 'none' : isAsked ? 'sender' : 'phone';
    const closable = parts.map(({ journalId }) => journalId);
    await this.#keep(node, isLost ? 'malformed' : 'undecryptable', recovery, closable);
    if (!isAsked) return;
    this.#retries.set(key, count);
    this.#askSender(node, count, retryReason(error)).catch((err: unknown) =>
      this.#options.log.debug({ err }, 'retry receipt not sent'),
    );
  }

  /**
   * Whether a message with an already used key was never read. In a private chat it was read, and is a redelivery after
   * its journal entry was pruned (whatsmeow ignores it too). In a group the key may be lost instead, because the library
   * keeps few states of a sender key.
   */
  async #isUnread({ attrs, content }: BinaryNode): Promise<boolean> {
    const isOfGroup = Array.isArray(content) && content.some((enc) => enc.attrs.type === 'skmsg');
    if (!isOfGroup) return false;
    const me = this.#me();
    const message = buildIncoming(attrs, [], me);
    const entries = await this.#options.keys.journalEntriesOf(message.messageId);
    const copies = restoreMessages(entries, me).filter((copy) => isSameMessage(copy, message));
    if (copies.some(({ content }) => isMoreThanKey(content))) return false;
    const { messageId, chat, participant } = message;
    this.#options.log.warn(
      { messageId, chat, participant },
      'a group message with a used key was never read',
    );
    return true;
  }

  /** Asks the own phone to send a message again, which may take half a minute. @throws when nothing could be sent */
  async askPhone(journalId: string): Promise<void> {
    const entry = await this.#options.keys.journalEntry(journalId);
    if (!entry) return;
    const sock = this.#options.sock();
    const { attrs } = decodeStanza(entry.stanza);
    const { messageId, chat, fromMe, participant } = buildIncoming(attrs, [], this.#me());
    this.#requested.set(messageId, attrs);
    const messageKey = {
      remoteJid: chat,
      fromMe,
      id: messageId,
      ...(participant && !fromMe && { participant }),
    };
    await sock.sendPeerDataOperationMessage({
      placeholderMessageResendRequest: [{ messageKey }],
      peerDataOperationRequestType: proto.Message.PeerDataOperationRequestType.PLACEHOLDER_MESSAGE_RESEND,
    });
  }

  /**
   * Takes the phone's answer to `askPhone`, and ignores all other messages. This class reads the answer itself, because
   * the library loses the mark of resent messages when it merges its events. The answer omits messages that the phone does
   * not have.
   */
  async takeAnswer({ key, category, message }: WAMessage): Promise<void> {
    const answer = message?.protocolMessage?.peerDataOperationRequestResponseMessage;
    if (!answer || !key.fromMe || category !== 'peer') return;
    for (const { placeholderMessageResendResponse: resent } of answer.peerDataOperationResult ?? []) {
      const bytes = resent?.webMessageInfoBytes;
      if (bytes) await this.#options.gate.run(() => this.#takeResent(proto.WebMessageInfo.decode(bytes)));
    }
  }

  /** Writes the message to the journal like a decrypted one. */
  async #takeResent(message: proto.IWebMessageInfo): Promise<void> {
    const { key, message: content } = message;
    if (!content || !key?.id) return;
    const { keys, clock, onResent } = this.#options;
    const attrs = this.#requested.get(key.id) ?? attrsOf(message, key.id, this.#me());
    const plain = padded(proto.Message.encode(content).finish());
    const id = journalIdOf(Buffer.concat([Buffer.from(`${key.id} `), plain]));
    const known = await keys.journalEntry(id);
    const stanza = encodeStanza({ attrs, parts: [id] });
    const entry = known ?? { id, messageId: key.id, plain, stanza, receivedAt: clock.now() };
    if (!known) await keys.commit({ journal: [entry] });
    onResent(readStanza({ tag: 'message', attrs }, entry));
  }

  async #keep(
    node: BinaryNode,
    reason: UnreadableReason,
    recovery: UnreadableMessage['recovery'],
    closable: readonly string[],
  ): Promise<void> {
    const { keys, clock, onUnreadable } = this.#options;
    const { attrs } = node;
    const id = journalIdOf(Buffer.from(`unreadable ${retryKeyOf(node)}`));
    const known = await keys.journalEntry(id);
    // already announced, and delivered once more
    if (known?.closedAt !== undefined) return;
    const { content: _, ...message } = buildIncoming(attrs, [], this.#me());
    const stanza = encodeStanza({ attrs, parts: [], unreadable: { reason, recovery } });
    const entry: JournalEntry = {
      id,
      messageId: message.messageId,
      plain: new Uint8Array(),
      stanza,
      receivedAt: clock.now(),
    };
    if (!known) await keys.commit({ journal: [entry] });
    onUnreadable({ ...message, journalIds: [id, ...closable], reason, recovery });
  }

  #me(): OwnIdentity {
    return ownIdentity(this.#options.sock().authState.creds);
  }

  /** Sends a retry receipt (whatsmeow `sendRetryReceipt`; `error` as in zapo `retry/reason`). */
  async #askSender({ attrs }: BinaryNode, count: number, reason: number): Promise<void> {
    const sock = this.#options.sock();
    const { creds } = sock.authState;
    const { id = '', from = '', participant, recipient, t = '' } = attrs;
    const withKeys = count >= KEYS_FROM_RETRY || reason === NO_SESSION;
    await sock.sendNode({
      tag: 'receipt',
      attrs: {
        id,
        type: 'retry',
        to: from,
        ...(recipient && { recipient }),
        ...(participant && { participant }),
      },
      content: [
        { tag: 'retry', attrs: { count: String(count), id, t, v: '1', error: String(reason) } },
        { tag: 'registration', attrs: {}, content: encodeBigEndian(creds.registrationId) },
        ...(withKeys ? [await keysNode(sock)] : []),
      ],
    });
  }
}

function reasonOfAbsence(
  node: BinaryNode,
  now: number,
): { reason: UnreadableReason; recovery: UnreadableMessage['recovery'] } {
  const children = Array.isArray(node.content) ? node.content : [];
  const unavailable = children.find(({ tag }) => tag === 'unavailable');
  const encrypted = children.find(({ tag }) => tag === 'enc');
  if (!unavailable && encrypted)
    return { reason: encrypted.attrs.type === 'msmsg' ? 'bot' : 'unsupported', recovery: 'none' };
  const { type, hosted } = unavailable?.attrs ?? {};
  const isOfBot = children.some(({ tag }) => tag === 'bot');
  const lost = LOST_FOR_GOOD.get(type) ?? (isOfBot ? 'bot' : hosted === 'true' ? 'hosted' : undefined);
  if (lost) return { reason: lost, recovery: 'none' };
  const isOld = now / 1000 - Number(node.attrs.t) > PLACEHOLDER_MAX_AGE_SECONDS;
  return { reason: 'unavailable', recovery: isOld ? 'none' : 'phone' };
}

/** Whether a content is more than a sender key, which arrives as a separate part in groups. */
function isMoreThanKey(content: object): boolean {
  const names = Object.entries(content).flatMap(([name, value]) => (value == null ? [] : [name]));
  return names.some((name) => name !== 'senderKeyDistributionMessage' && name !== 'messageContextInfo');
}

/** Names a message by its id, its chat and its author. */
function retryKeyOf({ attrs: { id, from, participant, recipient } }: BinaryNode): string {
  return JSON.stringify([id, from, participant ?? '', recipient ?? '']);
}

/** The number of times that the sender has encrypted the message again. */
function countIn({ content }: BinaryNode): number {
  const counts = Array.isArray(content) ? content.map(({ attrs }) => Number(attrs.count) || 0) : [];
  return Math.max(0, ...counts);
}

/** The element with keys for a new session. */
async function keysNode({ authState, ev }: WASocket): Promise<BinaryNode> {
  const { creds, keys } = authState;
  const { account, signedIdentityKey, signedPreKey } = creds;
  return keys.transaction(async () => {
    const { update, preKeys } = await getNextPreKeys(authState, 1);
    ev.emit('creds.update', update);
    const content = [
      { tag: 'type', attrs: {}, content: Buffer.from(KEY_BUNDLE_TYPE) },
      { tag: 'identity', attrs: {}, content: signedIdentityKey.public },
      ...Object.entries(preKeys).map(([id, pair]) => xmppPreKey(pair, Number(id))),
      xmppSignedPreKey(signedPreKey),
      ...(account
        ? [{ tag: 'device-identity', attrs: {}, content: encodeSignedDeviceIdentity(account, true) }]
        : []),
    ];
    return { tag: 'keys', attrs: {}, content };
  }, creds.me?.id ?? '');
}

/** The attributes of a message's stanza, as far as the phone's copy tells. */
function attrsOf(
  { key, participant, messageTimestamp, pushName }: proto.IWebMessageInfo,
  id: string,
  me: OwnIdentity,
): BinaryNodeAttributes {
  const chat = key?.remoteJid ?? '';
  const author = key?.participant ?? participant ?? (key?.fromMe ? me.jid : undefined);
  const isOwnOfPerson = key?.fromMe && !isJidGroup(chat);
  return {
    id,
    ...(isOwnOfPerson ? { from: me.jid, recipient: chat } : { from: chat }),
    ...(isJidGroup(chat) && author && { participant: author }),
    ...(pushName && { notify: pushName }),
    t: String(messageTimestamp),
    offline: '1',
  };
}
