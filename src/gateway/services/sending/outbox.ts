import { isChannel } from '../../../domain/address.js';
import { type Clock, endsWithin } from '../../../domain/clock.js';
import { GatewayError, isFinalForSend, isGatewayError } from '../../../domain/errors.js';
import { KeyedLock } from '../../../domain/keyed-lock.js';
import { LIMITS } from '../../../domain/limits.js';
import { type SessionMessage, sessionMessage } from '../../../domain/session-message.js';
import type { LinkFactory, MessageContent } from '../../link/link.js';
import type { Logger } from '../../log.js';
import type { SentRecord, Store } from '../../store/store.js';
import { type LiveLinks, ownJid } from '../access.js';
import type { Admission } from '../policies/admission.js';
import type { SendPolicies } from '../policies/send-policies.js';
import type { ChannelPosts } from '../receiving/channel-posts.js';
import type { InboundMessages } from '../receiving/receive.js';
import { linkedSince } from '../sessions/linked-number.js';
import type { Session } from '../sessions/session.js';
import type { MessageSpans } from '../spans.js';
import type { StoreRetry } from '../store-retry.js';
import { Departures } from './departures.js';
import { eventTimeOf, type OwnMessage, recordedMessage, type SentMessage } from './own-message.js';
import { SendRecords } from './send-records.js';

/** Options for a resumed send: no caller waits for its answer. */
const RESUMED = { text: '', isResumed: true } as const;

/** The outcome of a send. */
export interface Sent {
  content: MessageContent;
  /** False when the history should have the message and has not, or not yet. */
  recorded: boolean;
  /** To how many people a status was sent. */
  people?: number;
}

/**
 * Own messages in flight. Each is admitted by its policy, recorded, relayed until the network acknowledges it, announced, and
 * closed when its echo was announced or the caller got an error. A record that a lost connection or a crash left open continues from
 * its last step: the message is sent again under its id, so that recipients drop the duplicate, or only announced.
 */
export class Outbox {
  readonly #options;
  /** Sends in flight. */
  readonly #leaving = new Map<SessionMessage, Promise<Sent>>();
  readonly #records: SendRecords;
  readonly #departures: Departures;
  /** Locked by session while its open records are read, and by session and chat while they are continued; new sends of the chat wait. */
  readonly #resuming = new KeyedLock();

  constructor(options: {
    store: Pick<Store, 'sends'>;
    retry: StoreRetry;
    links: Pick<LinkFactory, 'decode'>;
    liveLinks: LiveLinks;
    policies: Pick<SendPolicies, 'admit'>;
    inbound: Pick<InboundMessages, 'echo'>;
    channelPosts: Pick<ChannelPosts, 'announce'>;
    spans: MessageSpans;
    clock: Clock;
    log: Logger;
  }) {
    this.#options = options;
    this.#records = new SendRecords(options);
    this.#departures = new Departures({ ...options, records: this.#records });
  }

  /**
   * Sends a message and announces it. A message that is in flight is not sent twice.
   * @param gone aborted when the caller hangs up
   * @throws GatewayError `policy_refused`, as `Link.prepare` and `Link.relay`, and `store_unavailable`; the record then stays
   * open until `closeFailed`
   */
  async send(session: Session, message: OwnMessage, gone?: AbortSignal): Promise<Sent> {
    const { spans, policies } = this.#options;
    const { clientId } = session;
    const { messageId, to } = message;
    await this.#afterResumed(clientId, to, gone);
    const admission = await spans.step('policy', () => policies.admit(session, message));
    if (this.#leaving.has(sessionMessage(clientId, messageId))) admission?.end();
    return this.#alone(clientId, messageId, () => this.#send(session, message, admission, gone));
  }

  /** Runs one attempt per message; concurrent callers share its result. */
  #alone(clientId: string, messageId: string, work: () => Promise<Sent>): Promise<Sent> {
    const key = sessionMessage(clientId, messageId);
    const leaving = this.#leaving.get(key);
    if (leaving) return leaving;
    const sending = work().finally(() => this.#leaving.delete(key));
    this.#leaving.set(key, sending);
    return sending;
  }

  /** The record of a message that its caller sends again. */
  kept(clientId: string, messageId: string): Promise<SentRecord | undefined> {
    return this.#records.get(clientId, messageId);
  }

  /**
   * Continues a recorded message: sends it with the same content; if it is proven to have arrived, only announces it; if
   * it was announced too, does nothing.
   * @param ask facts for the policy that the record does not hold
   * @throws GatewayError policy_refused, and as `send`
   */
  continue(
    session: Session,
    record: SentRecord,
    ask: Pick<OwnMessage, 'text' | 'isResumed'>,
    gone?: AbortSignal,
  ): Promise<Sent> {
    const { clientId } = session;
    const { messageId } = record;
    return this.#alone(clientId, messageId, async () => {
      // another attempt may have ended since the caller read the record
      const now = (await this.kept(clientId, messageId)) ?? record;
      return this.#options.spans.resume(clientId, now, () => this.#continue(session, now, ask, gone));
    });
  }

  async #continue(
    session: Session,
    record: SentRecord,
    ask: Pick<OwnMessage, 'text' | 'isResumed'>,
    gone: AbortSignal | undefined,
  ): Promise<Sent> {
    const { links, policies } = this.#options;
    const message = recordedMessage(record, ask);
    if (!record.acknowledged) {
      const admission = await policies.admit(session, message);
      // reopen the record, because its caller asks again: after a crash this attempt is resumed too
      if (record.closed && !admission)
        await this.#records.put(session.clientId, { ...record, closed: false });
      return this.#send(session, message, admission, gone);
    }
    const content = links.decode(record.content);
    if (record.closed) return { content, recorded: true, ...peopleOf(message) };
    return this.#announce(session, message, { content, sentAt: record.sentAt });
  }

  /**
   * The network's acknowledgement or a receipt of a recipient proves that a message was sent. A message whose caller got an
   * error because there was no proof in time is announced now.
   */
  confirmDelivered(session: Session, messageId: string): void {
    const { clientId } = session;
    if (!this.#records.prove(clientId, messageId)) return;
    // a send in flight announces the message itself
    const isInFlight = this.#leaving.has(sessionMessage(clientId, messageId));
    this.#announceProven(session, messageId, isInFlight).catch((err: unknown) => {
      this.#records.forgetProof(clientId, messageId);
      this.#options.log.warn({ err, clientId }, 'proof of a send not noted');
    });
  }

  async #announceProven(session: Session, messageId: string, isInFlight: boolean): Promise<void> {
    const { clientId } = session;
    const { retry, log } = this.#options;
    const isReopened = await this.#records.acknowledge(clientId, messageId);
    if (!isReopened || isInFlight) return;
    const record = await retry.run(() => this.#records.get(clientId, messageId));
    if (!record || record.closed) return;
    log.info({ clientId, messageId }, 'announcing a message that was proven late');
    await this.continue(session, record, RESUMED);
  }

  /** Closes the record of a send whose caller gets an error. */
  closeFailed(clientId: string, messageId: string): Promise<void> {
    return this.#records.closeFailed(clientId, messageId);
  }

  /**
   * The session is connected: continues the sends that a crash or a lost connection left open. `HeldSends` continues those that
   * their policy held back, because it knows for which number and since when.
   */
  async resume(session: Session): Promise<void> {
    const { clientId } = session;
    try {
      const resumed = await this.#resuming.run(clientId, async () => {
        const idle = await this.#readIdle(clientId);
        return idle.map((record) => this.#resumeInTurn(session, record));
      });
      await Promise.all(resumed);
    } catch (error) {
      this.#options.log.warn({ err: error, clientId }, 'unfinished sends not resumed');
    }
  }

  /**
   * Resolves when the open sends of a chat were continued after a connection, or after the time that a send waits for one.
   * @throws GatewayError send_not_connected if the caller hangs up meanwhile
   */
  async #afterResumed(clientId: string, chat: string, gone: AbortSignal | undefined): Promise<void> {
    const id = `${clientId} ${chat}`;
    if (this.#resuming.isIdle(clientId) && this.#resuming.isIdle(id)) return;
    const resumed = this.#resuming.idle(clientId).then(() => this.#resuming.idle(id));
    await endsWithin(this.#options.clock, LIMITS.connectionWaitMs, resumed);
    if (gone?.aborted) throw new GatewayError('send_not_connected', 'nothing was sent: the caller hung up');
  }

  /** The open records that nothing works on, oldest first. */
  async #readIdle(clientId: string): Promise<SentRecord[]> {
    // read before the store, to include sends that end during the read and those whose callers got an error
    const busy = new Set([...this.#leaving.keys(), ...this.#records.closing]);
    const open = await this.#options.retry.run(() => this.#records.open(clientId));
    return open.filter(({ messageId, held, acknowledged }) => {
      const key = sessionMessage(clientId, messageId);
      return !(held && !acknowledged) && !busy.has(key) && !this.#leaving.has(key);
    });
  }

  /** Announces the sends that the network acknowledged before a crash; needs no link. */
  async announceAcknowledged(session: Session): Promise<void> {
    const open = await this.#records.open(session.clientId);
    for (const record of open) if (record.acknowledged) void this.#resumeInTurn(session, record);
  }

  /** Resolves when the sends of a session that are in flight now have an outcome. Never rejects. */
  async settled(clientId: string): Promise<void> {
    const leaving = [...this.#leaving].filter(([id]) => id.startsWith(`${clientId} `));
    await Promise.allSettled(leaving.map(([, sent]) => sent));
  }

  /** From now on failed sends stay open for the next start, because their callers get no answer. */
  stop(): void {
    this.#records.stop();
  }

  /** Continues a record after the earlier records of its chat. Never rejects. */
  #resumeInTurn(session: Session, record: SentRecord): Promise<void> {
    const about = { clientId: session.clientId, messageId: record.messageId };
    const resumed = this.#resuming.run(`${about.clientId} ${record.to}`, () => this.#resume(session, record));
    return resumed.catch((err: unknown) =>
      this.#options.log.warn({ err, ...about }, 'an interrupted send is left open'),
    );
  }

  async #resume(session: Session, record: SentRecord): Promise<void> {
    const { clientId } = session;
    const { messageId, acknowledged } = record;
    const { clock, log } = this.#options;
    if (!acknowledged && this.#records.hasFailed(clientId, messageId))
      return this.closeFailed(clientId, messageId);
    if (!acknowledged && record.sentAt < linkedSince(session.record)) {
      log.warn({ clientId, messageId }, 'a send of another number is not sent again');
      return this.closeFailed(clientId, messageId);
    }
    if (!acknowledged && clock.now() - record.sentAt > LIMITS.resendMaxAgeMs) {
      log.warn({ clientId, messageId }, 'a send of the last run is too old to be sent again');
      return this.closeFailed(clientId, messageId);
    }
    log.info({ clientId, messageId, acknowledged }, 'finishing an interrupted send');
    try {
      await this.continue(session, record, RESUMED);
    } catch (error) {
      log.warn({ err: error, clientId, messageId }, 'an interrupted send failed again');
      if (isFinalForSend(error)) await this.closeFailed(clientId, messageId);
    }
  }

  async #send(
    session: Session,
    message: OwnMessage,
    admission: Admission | undefined,
    gone: AbortSignal | undefined,
  ): Promise<Sent> {
    try {
      const sent = await this.#departures.leave({ session, message, admission }, gone);
      return await this.#announce(session, message, sent);
    } catch (error) {
      if (isGatewayError(error, 'send_rejected')) admission?.rejected();
      throw error;
    } finally {
      admission?.end();
    }
  }

  /** Announces the sent message. Resolves when the history has it, or after `recordWaitMs`. */
  async #announce(session: Session, message: OwnMessage, sent: SentMessage): Promise<Sent> {
    if (isChannel(message.to)) return this.#announcePost(session, message, sent);
    const { record } = session;
    const participant = ownJid(session);
    const echo = {
      messageId: message.messageId,
      chat: message.to,
      fromMe: true,
      ...(participant && { participant }),
      pushName: record.name,
      timestamp: eventTimeOf(sent),
      content: sent.content,
      journalIds: [],
      offline: false,
    };
    const { recorded } = await this.#options.inbound.echo(record, echo, message);
    return { content: sent.content, recorded, ...peopleOf(message) };
  }

  /** A post of a channel is no message: it is only told as an event of its own, and then closed. */
  async #announcePost(session: Session, { messageId, to }: OwnMessage, sent: SentMessage): Promise<Sent> {
    const { channelPosts, retry, store } = this.#options;
    const { content } = sent;
    await channelPosts.announce(session.record, {
      ...{ channel: to, messageId, serverId: 0, change: 'posted', fromMe: true, content },
      timestamp: eventTimeOf(sent),
    });
    await retry.run(() => store.sends.finish(session.clientId, messageId));
    return { content, recorded: true };
  }
}

function peopleOf({ audience }: OwnMessage): Pick<Sent, 'people'> {
  return audience ? { people: audience.people.length } : {};
}
