import {
  areJidsSameUser,
  type BinaryNode,
  isJidGroup,
  isJidNewsletter,
  isLidUser,
  proto,
  type WASocket,
} from '@whiskeysockets/baileys';
import { STATUS_JID } from '../../../domain/address.js';
import type { Clock, EpochMs } from '../../../domain/clock.js';
import { Deferred } from '../../../domain/deferred.js';
import { GatewayError } from '../../../domain/errors.js';
import { LIMITS } from '../../../domain/limits.js';
import type { StatusAudience } from '../../../domain/status-audience.js';
import type {
  LinkEvent,
  MessageContent,
  OutgoingMessage,
  PreparedMessage,
  Relayed,
  Remedy,
  SendGuard,
} from '../link.js';
import { postStanza, withHandle } from './channel-posts.js';
import { compose, composePost, stanzaExtras, statusNodes } from './compose.js';
import type { Audience, Fanout } from './fanout.js';
import { stanzaTime } from './incoming.js';
import type { Uploader } from './media/upload.js';
import type { NumberFallback } from './number-fallback.js';
import type { MessageTokens } from './privacy-tokens.js';
import { partsOf } from './reasons.js';
import type { StatusEvent } from './receipts.js';
import type { Restrictions } from './restrictions.js';
import {
  cutOff,
  locked,
  notConnected,
  refused,
  rejected,
  unacknowledged,
  withoutToken,
} from './send-errors.js';
import { readAtWire } from './socket.js';

/** Code of a nack that means a restricted account, or a person whose token is missing. */
const ACCOUNT_RESTRICTED = '463';
/** Code of a nack that, for a LID, means an account whose private chats have not been moved to LIDs. */
const BAD_REQUEST = '400';
/** The retry count in a copy for a missed device. */
const FIRST = 1;
/** The library's code for a missing connection. An interrupted query may reject with a bare WebSocket code instead. */
const NO_CONNECTION = 428;
/** Sends without an acknowledgement at their deadline; a late one is still reported. */
const MAX_OVERDUE = 500;

/** Milliseconds to wait for the acknowledgement after a receipt has arrived. */
const LATE_ACK_MS = 300;

/** The network's answer to a message. */
interface Acknowledgement {
  at: EpochMs;
  /** The code of a negative acknowledgement. */
  error: string | undefined;
  /** The network's hash of all devices of the chat. */
  hash: string | undefined;
}

/** A post in a channel is not encrypted, so it is for no device in particular. */
const FOR_CHANNELS = { tokens: { nodes: [], isTrusted: true }, audience: { people: [], devices: [] } };

/** A message that is ready to leave over this connection. */
class ReadyMessage implements PreparedMessage {
  readonly sender: WireSender;
  readonly asked: OutgoingMessage;
  /** The jid that it goes to: the person's number where the network refuses the LID. */
  readonly to: string;
  readonly content: MessageContent;
  readonly encoded: Uint8Array;
  readonly tokens: MessageTokens;
  readonly audience: Audience;
  /** Of a post in a channel: names its file. */
  readonly handle: string | undefined;
  /** The number of the person at the LID that it goes to. */
  readonly number: string | undefined;

  constructor(
    sender: WireSender,
    asked: OutgoingMessage,
    made: {
      to: string;
      content: MessageContent;
      tokens: MessageTokens;
      audience: Audience;
      handle?: string | undefined;
      number?: string | undefined;
    },
  ) {
    this.sender = sender;
    this.asked = asked;
    this.to = made.to;
    this.content = made.content;
    this.handle = made.handle;
    this.number = made.number;
    const encoded = proto.Message.encode(made.content).finish();
    this.encoded = made.handle ? withHandle(encoded, made.handle) : encoded;
    this.tokens = made.tokens;
    this.audience = made.audience;
  }
}

/** A copy of a message that the library has: it does not report when it writes to the socket, so the copy may arrive from now on. */
class CopyInFlight {
  ended = false;
  /** True once the acknowledgement was reported. */
  answered = false;
  /** True once a recipient's receipt was reported. */
  proven = false;
  /** Jid of the chat. */
  readonly to: string;
  readonly #outcome = new Deferred<Acknowledgement | undefined>();

  constructor(to: string) {
    this.to = to;
  }

  /** Undefined when the guard blocked the copy. */
  get acknowledged(): Promise<Acknowledgement | undefined> {
    return this.#outcome.promise;
  }

  take(acknowledgement: Acknowledgement): void {
    this.ended = true;
    this.answered = true;
    this.#outcome.resolve(acknowledgement);
  }

  block(): void {
    this.ended = true;
    this.#outcome.resolve(undefined);
  }

  fail(error: unknown): void {
    this.ended = true;
    this.#outcome.reject(error);
  }
}

/** Prepares messages, and sends each until the network acknowledges it. */
export class WireSender {
  readonly #options;
  readonly #outgoing = new Map<string, CopyInFlight>();
  readonly #overdue = new Set<string>();
  #isStopped = false;

  constructor(options: {
    sock: WASocket;
    fanout: Fanout;
    fallback: NumberFallback;
    restrictions: Restrictions;
    uploader: Uploader;
    clock: Clock;
    emit(event: LinkEvent): void;
    tokensFor(to: string): Promise<MessageTokens>;
    /** Asks the network for a person's token. @returns true if there is a token now */
    askForToken(to: string): Promise<boolean>;
    /** Called when the network says that the LID of a person is outdated. */
    refreshLid(jid: string): void;
  }) {
    this.#options = options;
  }

  /** See the port. */
  async prepare(asked: OutgoingMessage): Promise<PreparedMessage> {
    const { sock, fallback, uploader, clock, tokensFor } = this.#options;
    if (isJidNewsletter(asked.to)) {
      const post = await composePost(sock, uploader, asked, clock.now());
      return new ReadyMessage(this, asked, { to: asked.to, ...FOR_CHANNELS, ...post });
    }
    const to = asked.remedy?.to ?? (await fallback.addressFor(asked.to));
    const audience = await this.#audience(to, asked.audience);
    const [content, tokens, number] = await Promise.all([
      compose(sock, uploader, { ...asked, to }, clock.now()),
      tokensFor(to),
      fallback.numberFor(to),
    ]);
    return new ReadyMessage(this, asked, { to, content, tokens, audience, number });
  }

  /** See the port. Rejects as soon as the connection ends. */
  async relay(message: PreparedMessage, guard: SendGuard): Promise<Relayed> {
    if (this.#isStopped) throw notConnected();
    if (!(message instanceof ReadyMessage && message.sender === this))
      throw new TypeError('another link prepared this message');
    const { asked, to } = message;
    const { messageId } = asked;
    const copy = new CopyInFlight(to);
    this.#outgoing.set(messageId, copy);
    try {
      this.#write(message, guard, copy);
      const acknowledgement = await copy.acknowledged;
      if (!acknowledgement) return { outcome: 'blocked' };
      const { at, error, hash } = acknowledgement;
      if (error !== undefined) return { outcome: 'refused', remedy: await this.#remedy(message, at, error) };
      // the message is acknowledged: later failures must not fail the send, and a failing store ends the link by itself
      await this.#sendToMissed(message, hash).catch(() => undefined);
      if (asked.remedy && to !== asked.to)
        await this.#options.fallback.remember(asked.to).catch(() => undefined);
      return { outcome: 'acknowledged' };
    } finally {
      if (this.#outgoing.get(messageId) === copy) this.#outgoing.delete(messageId);
    }
  }

  /**
   * Tries to remove the cause of a negative acknowledgement, once for each message.
   * @throws GatewayError `send_rejected` if the network would refuse another copy too
   */
  async #remedy({ asked, to, tokens }: ReadyMessage, at: number, code: string): Promise<Remedy> {
    const found = asked.remedy ? rejected(code) : await this.#cureOf(to, tokens, code);
    if (!(found instanceof GatewayError)) return found;
    const { messageId } = asked;
    this.#options.emit({ type: 'message-status', messageId, at, status: 'failed', code });
    throw found;
  }

  /** What another copy needs, or the error if it would be refused too. */
  async #cureOf(to: string, { isTrusted }: MessageTokens, code: string): Promise<Remedy | GatewayError> {
    const { fallback, restrictions, askForToken } = this.#options;
    if (isJidNewsletter(to)) return rejected(code);
    if (code === BAD_REQUEST) {
      const number = await fallback.numberFor(to);
      return number ? { to: number } : rejected(code);
    }
    if (code !== ACCOUNT_RESTRICTED) return rejected(code);
    const lock = await restrictions.lock();
    if (!lock || lock.active) return locked(code, lock);
    const isFound = !isTrusted && (await askForToken(to).catch(() => false));
    return isFound ? { to } : withoutToken(code);
  }

  async #sendToMissed(
    { asked: { messageId, audience: status }, to, content, audience, number }: ReadyMessage,
    hash: string | undefined,
  ): Promise<void> {
    // the library would send a status to the device as a private message
    if (status) return;
    const { sock, fanout, clock } = this.#options;
    const extras = stanzaExtras(content, clock.now(), number);
    for (const jid of await fanout.missed(to, audience, hash))
      await sock.relayMessage(to, content, { messageId, ...extras, participant: { jid, count: FIRST } });
  }

  /**
   * Handles an `<ack class="message">`; with `error` it is a nack.
   * @returns true if the library must not see it: after a restriction it would issue tokens, even where a time lock
   * forbids that
   */
  onAck({ attrs }: BinaryNode): boolean {
    const { clock, emit, refreshLid } = this.#options;
    if (attrs.refresh_lid === 'true' && attrs.from) refreshLid(attrs.from);
    const messageId = attrs.id ?? '';
    const at = stanzaTime(attrs.t, clock.now());
    const outgoing = this.#outgoing.get(messageId);
    const { error, phash } = attrs;
    const isOurs = error === ACCOUNT_RESTRICTED;
    if (outgoing ? outgoing.answered : !this.#overdue.delete(messageId)) return isOurs;
    if (!error) {
      if (!outgoing?.proven) emit({ type: 'message-status', messageId, at, status: 'sent' });
    } else if (!outgoing) emit({ type: 'message-status', messageId, at, status: 'failed', code: error });
    outgoing?.take({ at, error: error || undefined, hash: phash });
    return isOurs;
  }

  /**
   * Handles a receipt of a recipient, which proves the send if the acknowledgement is missing. Waits briefly for a late
   * acknowledgement, because it has the hash of the chat's devices.
   * @param from the chat that the receipt names
   */
  onReceipt({ messageId, at }: StatusEvent, from: string | undefined): void {
    const { clock, emit } = this.#options;
    const outgoing = this.#outgoing.get(messageId);
    const isProof = outgoing
      ? !outgoing.answered && !outgoing.proven && isChat(from, outgoing.to)
      : this.#overdue.delete(messageId);
    if (!isProof) return;
    emit({ type: 'message-status', messageId, at, status: 'sent' });
    if (!outgoing) return;
    outgoing.proven = true;
    const cancel = clock.after(LATE_ACK_MS, () => outgoing.take({ at, error: undefined, hash: undefined }));
    outgoing.acknowledged.then(cancel, cancel);
  }

  /** Fails all sends in flight, because the connection has ended. */
  stop(): void {
    this.#isStopped = true;
    for (const outgoing of this.#outgoing.values()) {
      if (outgoing.proven)
        outgoing.take({ at: this.#options.clock.now(), error: undefined, hash: undefined });
      else outgoing.fail(cutOff());
    }
  }

  async #audience(to: string, status: StatusAudience | undefined): Promise<Audience> {
    const { fanout } = this.#options;
    try {
      return await (status ? fanout.prepareStatus(status.people) : fanout.prepare(to));
    } catch (error) {
      throw this.#options.sock.ws.isOpen ? error : notConnected(error);
    }
  }

  #write(message: ReadyMessage, guard: SendGuard, copy: CopyInFlight): void {
    const { asked, to, content, tokens, audience, handle, number } = message;
    const { sock, clock } = this.#options;
    const { messageId } = asked;
    const written = () => {
      if (!copy.ended) this.#limit(messageId, copy);
    };
    if (isJidNewsletter(to)) {
      // the library sends posts too, but without the handle and the type of a file, and without a last question to the guard
      if (guard.check())
        sock
          .sendNode(postStanza(to, messageId, content, handle))
          .then(written, (error: unknown) => copy.fail(this.#failureOf(error)));
      else copy.block();
      return;
    }
    const { additionalNodes = [], ...extras } = stanzaExtras(content, clock.now(), number);
    const blocked = new Error('the guard blocked the message');
    const check = () => {
      if (!guard.check()) throw blocked;
    };
    const { audience: status } = asked;
    const setting = status ? statusNodes(content, status) : [];
    const nodes = readAtWire([...additionalNodes, ...setting, ...tokens.nodes], check);
    const people = status && { statusJidList: [...audience.people] };
    sock
      .relayMessage(to, content, { messageId, ...extras, ...people, additionalNodes: nodes })
      .then(written, (error: unknown) => {
        if (error === blocked) copy.block();
        else copy.fail(this.#failureOf(error));
      });
  }

  /** Maps an error of the library's `relayMessage`. */
  #failureOf(error: unknown): GatewayError {
    // the connection was gone before the library wrote to it
    if (typeof error === 'number' || partsOf(error).code === NO_CONNECTION) return notConnected(error);
    // a write failed, or the store could not keep keys; for a group the keys are stored after the write, and a failure ends the connection
    return this.#options.sock.ws.isOpen ? refused(error) : cutOff(error);
  }

  #limit(messageId: string, copy: CopyInFlight): void {
    const cancel = this.#options.clock.after(LIMITS.sendAckMs, () => {
      this.#overdue.add(messageId);
      if (this.#overdue.size > MAX_OVERDUE) this.#overdue.delete([...this.#overdue][0] ?? '');
      copy.fail(unacknowledged());
    });
    copy.acknowledged.then(cancel, cancel);
  }
}

/** Whether a receipt comes from the chat of a message; a person may answer from either of two addresses. */
function isChat(from: string | undefined, to: string): boolean {
  if (isJidGroup(from) || isJidGroup(to) || to === STATUS_JID) return from === to;
  return areJidsSameUser(from, to) || isLidUser(from) !== isLidUser(to);
}
