import {
  areJidsSameUser,
  type BinaryNode,
  isJidGroup,
  isLidUser,
  proto,
  type WASocket,
} from '@whiskeysockets/baileys';
import type { Clock } from '../../../domain/clock.js';
import { GatewayError } from '../../../domain/errors.js';
import { LIMITS } from '../../../domain/limits.js';
import type { LinkEvent, MessageContent, OutgoingMessage, Restriction, SentMessage } from '../link.js';
import { compose, stanzaExtras } from './compose.js';
import type { Audience, Fanout } from './fanout.js';
import { stanzaTime } from './incoming.js';
import type { Uploader } from './media/upload.js';
import type { NumberFallback } from './number-fallback.js';
import type { MessageTokens } from './privacy-tokens.js';
import { partsOf } from './reasons.js';
import type { StatusEvent } from './receipts.js';
import type { Restrictions } from './restrictions.js';
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
  /** Milliseconds since the epoch. */
  at: number;
  /** The code of a negative acknowledgement. */
  error: string | undefined;
  /** The network's hash of all devices of the chat. */
  hash: string | undefined;
}

/** A send in flight. */
class SendInFlight {
  /** True once the library has the message: it does not report when it writes to the socket, so the message may arrive from now on. */
  left = false;
  /** Settles when the record of the send is written, or the write has failed. */
  written: Promise<unknown> = Promise.resolve();
  ended = false;
  /** True once the acknowledgement was reported. */
  answered = false;
  /** True once a recipient's receipt was reported. */
  proven = false;
  /** Jid of the chat. */
  readonly to: string;
  readonly acknowledged: Promise<Acknowledgement>;
  #resolve: (acknowledgement: Acknowledgement) => void = () => undefined;
  #reject: (error: unknown) => void = () => undefined;

  constructor(to: string) {
    this.to = to;
    this.acknowledged = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
    // awaited only after the message has left; an earlier rejection must not count as unhandled
    this.acknowledged.catch(() => undefined);
  }

  take(acknowledgement: Acknowledgement): void {
    this.ended = true;
    this.answered = true;
    this.#resolve(acknowledgement);
  }

  fail(error: unknown): void {
    this.ended = true;
    this.#reject(error);
  }
}

/** An acknowledged message. */
interface Attempt {
  content: MessageContent;
  /** Whether the person's token was attached. */
  isTrusted: boolean;
  acknowledgement: Acknowledgement;
}

/** A message that is ready to leave. */
interface PreparedMessage {
  content: MessageContent;
  tokens: MessageTokens;
  audience: Audience;
}

/** Sends messages, each until the network acknowledges it. */
export class Sender {
  readonly #options;
  readonly #outgoing = new Map<string, SendInFlight>();
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

  /** See the port. Rejects as soon as the connection ends. */
  async send(message: OutgoingMessage): Promise<SentMessage> {
    const to = await this.#options.fallback.addressFor(message.to);
    const first = await this.#attempt({ ...message, to });
    const { error } = first.acknowledgement;
    if (error === undefined) return sentMessage(message, first);
    const remedy = await this.#remedy(to, first, error);
    if (remedy instanceof GatewayError) return this.#refuse(message, first, remedy);
    const encoded = proto.Message.encode(first.content).finish();
    const second = await this.#attempt({ ...message, to: remedy, content: { encoded } });
    const code = second.acknowledgement.error;
    if (code !== undefined) return this.#refuse(message, second, rejected(code));
    // ignore an error, because the message is sent; a failing store ends the link by itself
    if (remedy !== to) await this.#options.fallback.remember(to).catch(() => undefined);
    return sentMessage(message, second);
  }

  #refuse({ messageId }: OutgoingMessage, { acknowledgement }: Attempt, error: GatewayError): never {
    const { at, error: code = '' } = acknowledgement;
    this.#options.emit({ type: 'message-status', messageId, at, status: 'failed', code });
    throw error;
  }

  /** Sends a message, and sends it again to devices that this link did not know. */
  async #attempt(message: OutgoingMessage): Promise<Attempt> {
    if (this.#isStopped) throw notConnected();
    const { messageId } = message;
    const outgoing = new SendInFlight(message.to);
    this.#outgoing.set(messageId, outgoing);
    try {
      const prepared = await Promise.race([this.#prepare(message, outgoing), failureOnly(outgoing)]);
      if (!outgoing.ended) this.#relay(message, prepared, outgoing);
      const acknowledgement = await outgoing.acknowledged;
      // the message is acknowledged: later failures must not fail the send
      if (!acknowledgement.error)
        await this.#sendToMissed(message, prepared, acknowledgement.hash).catch(() => undefined);
      const { content, tokens } = prepared;
      return { content, isTrusted: tokens.isTrusted, acknowledgement };
    } catch (error) {
      // the caller of a failed send must find its record
      await outgoing.written;
      throw error;
    } finally {
      if (this.#outgoing.get(messageId) === outgoing) this.#outgoing.delete(messageId);
    }
  }

  /** Tries to remove the cause of a negative acknowledgement. @returns the address for another attempt, or the error if that would be refused too */
  async #remedy(to: string, { isTrusted }: Attempt, code: string): Promise<string | GatewayError> {
    const { fallback, restrictions, askForToken } = this.#options;
    if (code === BAD_REQUEST) return (await fallback.numberFor(to)) ?? rejected(code);
    if (code !== ACCOUNT_RESTRICTED) return rejected(code);
    const lock = await restrictions.lock();
    if (!lock || lock.active) return locked(code, lock);
    const isFound = !isTrusted && (await askForToken(to).catch(() => false));
    return isFound ? to : withoutToken(code);
  }

  async #sendToMissed(
    { to, messageId }: OutgoingMessage,
    { content, audience }: PreparedMessage,
    hash: string | undefined,
  ): Promise<void> {
    const { sock, fanout, clock } = this.#options;
    const extras = stanzaExtras(content, clock.now());
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
      ? outgoing.left && !outgoing.answered && !outgoing.proven && isChat(from, outgoing.to)
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
      else outgoing.fail(outgoing.left ? cutOff() : notConnected());
    }
  }

  async #prepare(message: OutgoingMessage, outgoing: SendInFlight): Promise<PreparedMessage> {
    const { sock, uploader, clock, tokensFor } = this.#options;
    const audience = await this.#audience(message.to);
    const [content, tokens] = await Promise.all([
      compose(sock, uploader, message, clock.now()),
      tokensFor(message.to),
    ]);
    // the send failed meanwhile; going on would leave its record behind
    if (outgoing.ended) throw notConnected();
    const writing = message.beforeSend(proto.Message.encode(content).finish());
    outgoing.written = writing.catch(() => undefined);
    await writing;
    return { content, tokens, audience };
  }

  async #audience(to: string): Promise<Audience> {
    try {
      return await this.#options.fanout.prepare(to);
    } catch (error) {
      throw this.#options.sock.ws.isOpen ? error : notConnected(error);
    }
  }

  #relay(message: OutgoingMessage, prepared: PreparedMessage, outgoing: SendInFlight): void {
    outgoing.left = true;
    const { to, messageId, atWire } = message;
    const { content, tokens } = prepared;
    const { sock, clock } = this.#options;
    const { additionalNodes = [], ...extras } = stanzaExtras(content, clock.now());
    const nodes = [...additionalNodes, ...tokens.nodes];
    const held = new Error('the message was held back');
    const check = () => {
      if (atWire?.mayLeave() === false) throw held;
    };
    const options = { messageId, ...extras, additionalNodes: atWire ? readAtWire(nodes, check) : nodes };
    sock.relayMessage(to, content, options).then(
      () => {
        if (!outgoing.ended) this.#limit(messageId, outgoing);
      },
      (error: unknown) => {
        if (error === held) void this.#relayHeld(message, prepared, outgoing);
        else outgoing.fail(this.#failureOf(error));
      },
    );
  }

  async #relayHeld(
    message: OutgoingMessage,
    prepared: PreparedMessage,
    outgoing: SendInFlight,
  ): Promise<void> {
    outgoing.left = false;
    try {
      await message.atWire?.heldBack();
    } catch (error) {
      outgoing.fail(error);
    }
    if (!outgoing.ended) this.#relay(message, prepared, outgoing);
  }

  /** Maps an error of the library's `relayMessage`. */
  #failureOf(error: unknown): GatewayError {
    // the connection was gone before the library wrote to it
    if (typeof error === 'number' || partsOf(error).code === NO_CONNECTION) return notConnected(error);
    // a write failed, or the store could not keep keys; for a group the keys are stored after the write, and a failure ends the connection
    return this.#options.sock.ws.isOpen ? refused(error) : cutOff(error);
  }

  #limit(messageId: string, outgoing: SendInFlight): void {
    const cancel = this.#options.clock.after(LIMITS.sendAckMs, () => {
      this.#overdue.add(messageId);
      if (this.#overdue.size > MAX_OVERDUE) this.#overdue.delete([...this.#overdue][0] ?? '');
      outgoing.fail(unacknowledged());
    });
    outgoing.acknowledged.then(cancel, cancel);
  }
}

/** Whether a receipt comes from the chat of a message; a person may answer from either of two addresses. */
function isChat(from: string | undefined, to: string): boolean {
  if (isJidGroup(from) || isJidGroup(to)) return from === to;
  return areJidsSameUser(from, to) || isLidUser(from) !== isLidUser(to);
}

/** Rejects when the send fails; never resolves. */
function failureOnly(outgoing: SendInFlight): Promise<never> {
  return new Promise((_, reject) => outgoing.acknowledged.catch(reject));
}

/** The error for a message that the library refused before it left. */
function refused(error: unknown): GatewayError {
  const { message } = partsOf(error);
  const text = `The message could not be sent: ${message || 'no reason given'}.`;
  return new GatewayError('send_rejected', text, { cause: error });
}

/** The error for a link that is not open. */
export function notConnected(cause?: unknown): GatewayError {
  return new GatewayError(
    'send_not_connected',
    'The session is not connected, so nothing was sent. Try again.',
    {
      cause,
    },
  );
}

function rejected(code: string): GatewayError {
  return new GatewayError('send_rejected', `The network rejected the message (${code}).`);
}

/** @param lock undefined when the network did not say whether the account is locked */
function locked(code: string, lock: Restriction | undefined): GatewayError {
  const until = lock?.until ? ` until ${new Date(lock.until).toISOString()}` : '';
  return new GatewayError(
    'send_rejected',
    `The network rejected the message (${code}): it has restricted this account from starting new chats${until}.`,
  );
}

function withoutToken(code: string): GatewayError {
  return new GatewayError(
    'send_rejected',
    `The network rejected the message (${code}): the account is not restricted, but the network asks for a valid token ` +
      'of this person, and there is none. The person has to write first.',
  );
}

function sentMessage({ messageId }: OutgoingMessage, { content, acknowledgement }: Attempt): SentMessage {
  return { messageId, content, sentAt: acknowledgement.at };
}

function cutOff(cause?: unknown): GatewayError {
  return new GatewayError(
    'send_cut_off',
    'The connection ended before there was proof that the message arrived.',
    { cause },
  );
}

function unacknowledged(): GatewayError {
  return new GatewayError(
    'send_unacknowledged',
    `There was no acknowledgement of the network and no receipt within ${LIMITS.sendAckMs / 1000} s.`,
  );
}
