import { type BinaryNode, proto, type WASocket } from '@whiskeysockets/baileys';
import { parseJid } from '../../domain/address.js';
import type { Clock } from '../../domain/clock.js';
import { GatewayError } from '../../domain/errors.js';
import { LIMITS } from '../../domain/limits.js';
import type { LinkEvent, MessageContent, OutgoingMessage, SentMessage } from '../link.js';
import { compose } from './compose.js';
import type { Devices } from './devices.js';
import type { Uploader } from './media/upload.js';
import { partsOf } from './reasons.js';
import { stanzaExtras } from './stanza-extras.js';
import { stanzaTime } from './stanza-time.js';

/** Code of a nack that means a restricted account; the network then lets it answer known chats only. */
const ACCOUNT_RESTRICTED = '463';
/** The library's code for a connection that is not there. A query that it interrupts may reject with a bare WebSocket code. */
const NO_CONNECTION = 428;
/** Sends whose acknowledgement came too late to answer, remembered to tell of it. */
const MAX_OVERDUE = 500;

/** A send on its way. */
class Outgoing {
  /** Handed to the library, which does not tell when it hands it to the socket: from here on it may arrive. */
  left = false;
  /** Settles, without an error, when nothing is written down of it any more. */
  written: Promise<unknown> = Promise.resolve();
  ended = false;
  readonly acknowledged: Promise<number>;
  #resolve: (sentAt: number) => void = () => undefined;
  #reject: (error: GatewayError) => void = () => undefined;

  constructor() {
    this.acknowledged = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
    // it is waited for after the message has left; a rejection before that must not count as unhandled
    this.acknowledged.catch(() => undefined);
  }

  take(sentAt: number): void {
    this.ended = true;
    this.#resolve(sentAt);
  }

  fail(error: GatewayError): void {
    this.ended = true;
    this.#reject(error);
  }
}

export interface SenderOptions {
  sock: WASocket;
  devices: Devices;
  uploader: Uploader;
  clock: Clock;
  emit(event: LinkEvent): void;
}

/** Sends messages and waits until the network has taken each. */
export class Sender {
  readonly #sock: WASocket;
  readonly #devices: Devices;
  readonly #uploader: Uploader;
  readonly #clock: Clock;
  readonly #emit: (event: LinkEvent) => void;
  readonly #outgoing = new Map<string, Outgoing>();
  readonly #overdue = new Set<string>();

  constructor({ sock, devices, uploader, clock, emit }: SenderOptions) {
    this.#sock = sock;
    this.#devices = devices;
    this.#uploader = uploader;
    this.#clock = clock;
    this.#emit = emit;
  }

  /** See the port. Everything that can hang is raced against the end of the connection. */
  async send(message: OutgoingMessage): Promise<SentMessage> {
    const { messageId } = message;
    const outgoing = new Outgoing();
    this.#outgoing.set(messageId, outgoing);
    try {
      const content = await Promise.race([this.#prepare(message, outgoing), failureOnly(outgoing)]);
      if (!outgoing.ended) this.#relay(message, content, outgoing);
      return { messageId, content, sentAt: await outgoing.acknowledged };
    } catch (error) {
      // whoever learns of the failure must find what was written down
      await outgoing.written;
      throw error;
    } finally {
      if (this.#outgoing.get(messageId) === outgoing) this.#outgoing.delete(messageId);
    }
  }

  /** An `<ack class="message">`; one with `error` is a nack. */
  onAck({ attrs }: BinaryNode): void {
    const messageId = attrs.id ?? '';
    const at = stanzaTime(attrs.t, this.#clock.now());
    const outgoing = this.#outgoing.get(messageId);
    if (!outgoing && !this.#overdue.delete(messageId)) return;
    if (attrs.error) {
      this.#emit({ type: 'message-status', messageId, at, status: 'failed', code: attrs.error });
      outgoing?.fail(rejected(attrs.error));
    } else {
      this.#emit({ type: 'message-status', messageId, at, status: 'sent' });
      outgoing?.take(at);
    }
  }

  /** The connection is gone: what has not been acknowledged never will be. */
  stop(): void {
    for (const outgoing of this.#outgoing.values()) outgoing.fail(outgoing.left ? cutOff() : notConnected());
  }

  async #prepare(message: OutgoingMessage, outgoing: Outgoing): Promise<MessageContent> {
    if (parseJid(message.to)?.kind !== 'group') await this.#devices.ensure(this.#sock, message.to);
    const content = await compose(this.#sock, this.#uploader, message, this.#clock.now());
    // it failed meanwhile, and nobody would take the record back
    if (outgoing.ended) throw notConnected();
    const writing = message.beforeSend(proto.Message.encode(content).finish());
    outgoing.written = writing.catch(() => undefined);
    await writing;
    return content;
  }

  #relay(message: OutgoingMessage, content: MessageContent, outgoing: Outgoing): void {
    const { to, messageId } = message;
    outgoing.left = true;
    const extras = stanzaExtras(content, this.#clock.now());
    this.#sock.relayMessage(to, content, { messageId, ...extras }).then(
      () => {
        if (!outgoing.ended) this.#limit(messageId, outgoing);
      },
      (error: unknown) => outgoing.fail(this.#failureOf(error)),
    );
  }

  /** Why the library did not get through with a message. */
  #failureOf(error: unknown): GatewayError {
    // so it says that there was no connection any more when it came to the writing
    if (typeof error === 'number' || partsOf(error).code === NO_CONNECTION) return notConnected(error);
    // a write broke off, or keys could not be kept, which for a group comes after the write and ends the connection
    return this.#sock.ws.isOpen ? refused(error) : cutOff(error);
  }

  #limit(messageId: string, outgoing: Outgoing): void {
    const cancel = this.#clock.after(LIMITS.sendAckMs, () => {
      this.#overdue.add(messageId);
      if (this.#overdue.size > MAX_OVERDUE) this.#overdue.delete([...this.#overdue][0] ?? '');
      outgoing.fail(unacknowledged());
    });
    outgoing.acknowledged.then(cancel, cancel);
  }
}

/** Rejects when the send fails, never resolves. */
function failureOnly(outgoing: Outgoing): Promise<never> {
  return new Promise((_, reject) => outgoing.acknowledged.catch(reject));
}

/** The library refused the message before it left. */
function refused(error: unknown): GatewayError {
  const { message } = partsOf(error);
  const text = `The message could not be sent: ${message || 'no reason given'}.`;
  return new GatewayError('send_rejected', text, { cause: error });
}

/** For a link that is not open. */
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
  return new GatewayError(
    'send_rejected',
    code === ACCOUNT_RESTRICTED
      ? `The network rejected the message (${code}): it has restricted this account from starting new chats.`
      : `The network rejected the message (${code}).`,
  );
}

function cutOff(cause?: unknown): GatewayError {
  return new GatewayError(
    'send_cut_off',
    'The connection ended before the network acknowledged the message; it may still arrive.',
    { cause },
  );
}

function unacknowledged(): GatewayError {
  return new GatewayError(
    'send_unacknowledged',
    `The network did not acknowledge the message within ${LIMITS.sendAckMs / 1000} s; it may still arrive.`,
  );
}
