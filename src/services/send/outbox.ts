import type { Clock } from '../../domain/clock.js';
import { isGatewayError } from '../../domain/errors.js';
import { LIMITS } from '../../domain/limits.js';
import type {
  ComposedContent,
  EncodedContent,
  Link,
  LinkFactory,
  MessageContent,
  QuotedReference,
  SentMessage,
} from '../../link/link.js';
import type { Logger } from '../../log.js';
import type { SentRecord, Store } from '../../store/store.js';
import type { LiveLinks } from '../live-links.js';
import type { Receiver } from '../receive/receive.js';
import type { Session } from '../sessions/session.js';
import { isStillToDo, type StoreSteps } from '../store-steps.js';
import { ownJid } from './paired.js';

/** Connections that one send may outlive. */
const MAX_CONNECTIONS = 5;

/** An own message that is to leave. */
export interface Draft {
  messageId: string;
  /** The recipient's jid. */
  to: string;
  content: ComposedContent | EncodedContent;
  quoted?: QuotedReference;
  metaData?: Record<string, unknown>;
}

/** What became of it. */
export interface Sent {
  content: MessageContent;
  /** False when it should be in the history and is not, or not yet. */
  recorded: boolean;
}

export interface OutboxOptions {
  store: Pick<Store, 'sends'>;
  steps: StoreSteps;
  links: Pick<LinkFactory, 'decode'>;
  liveLinks: LiveLinks;
  receiver: Pick<Receiver, 'echo'>;
  clock: Clock;
  log: Logger;
}

/**
 * Own messages on their way. Each is written down before it leaves, confirmed by the network's acknowledgement, and
 * closed when the receiver has been told of it, or the caller that it failed. What a lost connection or a crash left
 * open goes on where it was: sent again under its id, which recipients take for the same message, or told to the
 * receiver.
 */
export class Outbox {
  readonly #options: OutboxOptions;
  /** By session and message id: what is on its way to the network. */
  readonly #leaving = new Map<string, Promise<Sent>>();
  /** Likewise: what was answered with a failure that the store does not have yet. */
  readonly #givenUp = new Set<string>();
  #stopping = false;

  constructor(options: OutboxOptions) {
    this.#options = options;
  }

  /**
   * Sends, and tells the receiver. A message that is on its way already is not sent twice.
   * @throws GatewayError as `Link.send`, and `store_unavailable`; the record then stays open until `giveUp`
   */
  send(session: Session, draft: Draft): Promise<Sent> {
    const id = `${session.clientId} ${draft.messageId}`;
    const leaving = this.#leaving.get(id);
    if (leaving) return leaving;
    const sending = this.#send(session, draft).finally(() => this.#leaving.delete(id));
    this.#leaving.set(id, sending);
    return sending;
  }

  /** What was written down of a message that is sent again by its caller. */
  kept(clientId: string, messageId: string): Promise<SentRecord | undefined> {
    return this.#options.store.sends.get(clientId, messageId);
  }

  /** Takes a message up that was written down earlier: sends it as it was, or only tells of it. */
  async continue(session: Session, record: SentRecord): Promise<Sent> {
    if (!record.acknowledged) return this.send(session, draftOf(record));
    const content = this.#options.links.decode(record.content);
    return this.#echo(session, draftOf(record), {
      messageId: record.messageId,
      content,
      sentAt: record.sentAt,
    });
  }

  /**
   * The caller is told that it failed: it is never sent by itself any more, unless another node has its session by now.
   * Nobody is told while stopping.
   */
  async giveUp(clientId: string, messageId: string): Promise<void> {
    if (this.#stopping) return;
    const { steps, log } = this.#options;
    await this.#close(clientId, messageId).catch((error: unknown) => {
      if (!isStillToDo(error)) throw error;
      this.#givenUp.add(`${clientId} ${messageId}`);
      if (isGatewayError(error, 'session_elsewhere')) return;
      // the answer does not wait for the store
      steps
        .run(() => this.#close(clientId, messageId))
        .catch((err: unknown) => log.warn({ err, clientId }, 'failed send not noted'));
    });
  }

  async #close(clientId: string, messageId: string): Promise<void> {
    await this.#options.store.sends.close(clientId, messageId);
    this.#givenUp.delete(`${clientId} ${messageId}`);
  }

  /** The network has acknowledged it, perhaps too late for the caller. */
  noteAcknowledged(clientId: string, messageId: string): void {
    const { store, steps, log } = this.#options;
    steps
      .run(() => store.sends.acknowledge(clientId, messageId))
      .catch((err: unknown) => log.warn({ err, clientId }, 'acknowledgement not noted'));
  }

  /** The session is connected: takes up what a crash or a lost connection left open. */
  async resume(session: Session): Promise<void> {
    const { store, log } = this.#options;
    const { clientId } = session;
    try {
      // also what ends while the store is being read
      const leaving = new Set(this.#leaving.keys());
      const open = await store.sends.open(clientId);
      const idle = open.filter(({ messageId }) => {
        const id = `${clientId} ${messageId}`;
        return !leaving.has(id) && !this.#leaving.has(id);
      });
      this.#forgetGivenUp(clientId, open);
      await Promise.all(idle.map((record) => this.#resume(session, record)));
    } catch (error) {
      log.warn({ err: error, clientId }, 'unfinished sends not taken up');
    }
  }

  /** What was given up here and is not open any more has been closed elsewhere. */
  #forgetGivenUp(clientId: string, open: readonly SentRecord[]): void {
    const still = new Set(open.map(({ messageId }) => `${clientId} ${messageId}`));
    for (const id of this.#givenUp) {
      if (id.startsWith(`${clientId} `) && !still.has(id)) this.#givenUp.delete(id);
    }
  }

  /** What fails from now on was answered to nobody, and goes on at the next start. */
  stop(): void {
    this.#stopping = true;
  }

  async #resume(session: Session, record: SentRecord): Promise<void> {
    const { clientId } = session;
    const { messageId, acknowledged } = record;
    const { clock, log } = this.#options;
    if (!acknowledged && this.#givenUp.has(`${clientId} ${messageId}`))
      return this.giveUp(clientId, messageId);
    if (!acknowledged && clock.now() - record.sentAt > LIMITS.resendMaxAgeMs) {
      log.warn({ clientId, messageId }, 'a send of the last run is too old to be sent again');
      return this.giveUp(clientId, messageId);
    }
    log.info({ clientId, messageId, acknowledged }, 'finishing a send that was broken off');
    try {
      await this.continue(session, record);
    } catch (error) {
      log.warn({ err: error, clientId, messageId }, 'a send that was broken off failed again');
      if (isFinal(error)) await this.giveUp(clientId, messageId);
    }
  }

  async #send(session: Session, draft: Draft): Promise<Sent> {
    return this.#echo(session, draft, await this.#untilAcknowledged(session, draft));
  }

  /** Sends over as many connections as it takes: one that ends on the way says nothing of the message. */
  async #untilAcknowledged(session: Session, draft: Draft): Promise<SentMessage> {
    let { content } = draft;
    let link: Link | undefined;
    let failure: unknown;
    for (let connection = 1; connection <= MAX_CONNECTIONS; connection++) {
      link = await this.#options.liveLinks.after(session, link, failure);
      try {
        return await link.send({
          ...draft,
          content,
          beforeSend: async (encoded) => {
            if ('encoded' in content) return;
            await this.#writeDown(session.clientId, draft, encoded);
            content = { encoded };
          },
        });
      } catch (error) {
        if (!isCut(error)) throw error;
        failure = error;
      }
    }
    throw failure;
  }

  async #writeDown(clientId: string, draft: Draft, encoded: Uint8Array): Promise<void> {
    const { store, clock } = this.#options;
    await store.sends.put(clientId, {
      messageId: draft.messageId,
      to: draft.to,
      content: encoded,
      metaData: draft.metaData ? JSON.stringify(draft.metaData) : '',
      sentAt: clock.now(),
      acknowledged: false,
      closed: false,
    });
  }

  /** The network has it: tell the receiver. Resolves when the history has it too, or will not have it soon. */
  async #echo(session: Session, { to, metaData }: Draft, sent: SentMessage): Promise<Sent> {
    const { record } = session;
    const participant = ownJid(session);
    const echo = {
      messageId: sent.messageId,
      chat: to,
      fromMe: true,
      ...(participant && { participant }),
      pushName: record.name,
      timestamp: sent.sentAt,
      content: sent.content,
      journalIds: [],
      offline: false,
    };
    const { recorded } = await this.#options.receiver.echo(record, echo, metaData);
    return { content: sent.content, recorded };
  }
}

function draftOf({ messageId, to, content, metaData }: SentRecord): Draft {
  return {
    messageId,
    to,
    content: { encoded: content },
    ...(metaData && { metaData: JSON.parse(metaData) }),
  };
}

/** The connection ended: whether the message arrived, nobody knows. */
function isCut(error: unknown): boolean {
  return isGatewayError(error, 'send_cut_off') || isGatewayError(error, 'send_not_connected');
}

/** Sending it once more would end in the same way. */
function isFinal(error: unknown): boolean {
  return isGatewayError(error, 'send_rejected') || isGatewayError(error, 'recipient_unknown');
}
