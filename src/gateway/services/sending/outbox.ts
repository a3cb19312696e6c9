import { boundedCache } from '../../../domain/bounded-cache.js';
import { type Clock, endsWithin } from '../../../domain/clock.js';
import { GatewayError, isFinalForSend, isGatewayError } from '../../../domain/errors.js';
import { KeyedLock } from '../../../domain/keyed-lock.js';
import { LIMITS } from '../../../domain/limits.js';
import type { Link, LinkFactory, MessageContent, SentMessage } from '../../link/link.js';
import type { Logger } from '../../log.js';
import type { SentRecord, Store } from '../../store/store.js';
import { type LiveLinks, ownJid } from '../access.js';
import type { SendStamp } from '../policies/admission.js';
import type { AskedSend, SendPolicies } from '../policies/send-policies.js';
import type { Receiver } from '../receiving/receive.js';
import { linkedSince } from '../sessions/linked-number.js';
import type { Session } from '../sessions/session.js';
import type { MessageSpans } from '../spans.js';
import { isStillToDo, type StoreRetry } from '../store-retry.js';
import { type Draft, draftOf, eventTimeOf, recordOf } from './draft.js';

/** Options for a resumed send: no caller waits for its answer. */
const RESUMED = { text: '', isResumed: true } as const;

/** Size of `#proven`, which saves a store access for each further receipt of a message. */
const PROVEN = 20_000;

/** The outcome of a send. */
export interface Sent {
  content: MessageContent;
  /** False when the history should have the message and has not, or not yet. */
  recorded: boolean;
}

/**
 * Own messages in flight. Each is recorded before it is sent, confirmed by the network's acknowledgement, and closed when
 * its echo was announced or the caller got an error. A record that a lost connection or a crash left open continues from
 * its last step: the message is sent again under its id, so that recipients drop the duplicate, or only announced.
 */
export class Outbox {
  readonly #options;
  /** Sends in flight, by session and message id. */
  readonly #leaving = new Map<string, Promise<Sent>>();
  /** Failed sends whose records are not closed in the store yet, by session and message id. */
  readonly #failed = new Set<string>();
  /** Own messages that were sent for sure: in a group every member sends a receipt for the same message. */
  readonly #proven = boundedCache<true>(PROVEN);
  /** Records of failed sends that are being closed, by session and message id. */
  readonly #closing = new Map<string, Promise<void>>();
  /** Locked by session while its open records are read, and by session and chat while they are continued; new sends of the chat wait. */
  readonly #resuming = new KeyedLock();
  #stopping = false;

  constructor(options: {
    store: Pick<Store, 'sends'>;
    retry: StoreRetry;
    links: Pick<LinkFactory, 'decode'>;
    liveLinks: LiveLinks;
    policies: Pick<SendPolicies, 'admit'>;
    receiver: Pick<Receiver, 'echo'>;
    spans: MessageSpans;
    clock: Clock;
    log: Logger;
  }) {
    this.#options = options;
  }

  /**
   * Sends a message and announces it. A message that is in flight is not sent twice.
   * @param gone aborted when the caller hangs up
   * @throws GatewayError as `Link.send`, and `store_unavailable`; the record then stays open until `closeFailed`
   */
  send(session: Session, draft: Draft, gone?: AbortSignal): Promise<Sent> {
    const { clientId } = session;
    const { messageId, admission } = draft;
    if (this.#leaving.has(`${clientId} ${messageId}`)) admission?.end();
    return this.#alone(clientId, messageId, () => this.#send(session, draft, gone));
  }

  /** Runs one attempt per message; concurrent callers share its result. */
  #alone(clientId: string, messageId: string, work: () => Promise<Sent>): Promise<Sent> {
    const id = `${clientId} ${messageId}`;
    const leaving = this.#leaving.get(id);
    if (leaving) return leaving;
    const sending = work().finally(() => this.#leaving.delete(id));
    this.#leaving.set(id, sending);
    return sending;
  }

  /** The record of a message that its caller sends again. */
  kept(clientId: string, messageId: string): Promise<SentRecord | undefined> {
    return this.#options.store.sends.get(clientId, messageId);
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
    ask: Pick<AskedSend, 'text' | 'isResumed'>,
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
    ask: Pick<AskedSend, 'text' | 'isResumed'>,
    gone: AbortSignal | undefined,
  ): Promise<Sent> {
    const { store, links, policies } = this.#options;
    if (!record.acknowledged) {
      const { to, counted } = record;
      const asked = { ...ask, to, target: counted === 'nothing', kept: record };
      const admission = await policies.admit(session, asked);
      // reopen the record, because its caller asks again: after a crash this attempt is resumed too
      if (record.closed && !admission) await store.sends.put(session.clientId, { ...record, closed: false });
      return this.#send(session, { ...draftOf(record), ...(admission && { admission }) }, gone);
    }
    const content = links.decode(record.content);
    if (record.closed) return { content, recorded: true };
    return this.#echo(session, draftOf(record), {
      messageId: record.messageId,
      content,
      sentAt: record.sentAt,
    });
  }

  /**
   * Closes the record of a send whose caller gets an error: it is not resumed, unless another node has the session. During a
   * stop the record stays open, because the caller gets no answer.
   */
  async closeFailed(session: Session, messageId: string): Promise<void> {
    if (this.#stopping) return;
    const { clientId } = session;
    const { retry, log } = this.#options;
    const id = `${clientId} ${messageId}`;
    if (this.#proven.has(id)) return;
    const closing = this.#close(clientId, messageId).catch((error: unknown) => {
      if (!isStillToDo(error)) throw error;
      this.#failed.add(id);
      if (isGatewayError(error, 'session_elsewhere')) return;
      // the answer does not wait for the store
      const later = retry
        .run(() => this.#close(clientId, messageId))
        .catch((err: unknown) => log.warn({ err, clientId }, 'failed send not noted'));
      this.#closeUntil(id, later);
    });
    this.#closeUntil(id, closing);
    await closing;
  }

  /** Lets a proof that arrives now wait for the closing: a proof reopens closed records only. */
  #closeUntil(id: string, closing: Promise<void>): void {
    const noted = closing
      .catch(() => undefined)
      .then(() => {
        if (this.#closing.get(id) === noted) this.#closing.delete(id);
      });
    this.#closing.set(id, noted);
  }

  async #close(clientId: string, messageId: string): Promise<void> {
    await this.#options.store.sends.close(clientId, messageId);
    this.#failed.delete(`${clientId} ${messageId}`);
  }

  /**
   * The network's acknowledgement or a receipt of a recipient proves that a message was sent. A message whose caller got an
   * error because there was no proof in time is announced now.
   */
  noteProof(session: Session, messageId: string): void {
    const { clientId } = session;
    const id = `${clientId} ${messageId}`;
    if (this.#proven.has(id)) return;
    this.#proven.set(id, true);
    this.#noteProof(session, messageId, this.#leaving.has(id)).catch((err: unknown) => {
      this.#proven.delete(id);
      this.#options.log.warn({ err, clientId }, 'proof of a send not noted');
    });
  }

  /** @param isInFlight the send announces the message itself */
  async #noteProof(session: Session, messageId: string, isInFlight: boolean): Promise<void> {
    const { clientId } = session;
    const { store, retry, log } = this.#options;
    const id = `${clientId} ${messageId}`;
    for (let closing = this.#closing.get(id); closing; closing = this.#closing.get(id)) await closing;
    const isReopened = await retry.run(() => store.sends.acknowledge(clientId, messageId));
    if (!isReopened || isInFlight) return;
    const record = await retry.run(() => store.sends.get(clientId, messageId));
    if (!record || record.closed) return;
    log.info({ clientId, messageId }, 'announcing a message that was proven late');
    await this.continue(session, record, RESUMED);
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
  async afterResumed(clientId: string, chat: string, gone: AbortSignal | undefined): Promise<void> {
    const id = `${clientId} ${chat}`;
    if (this.#resuming.isIdle(clientId) && this.#resuming.isIdle(id)) return;
    const resumed = this.#resuming.idle(clientId).then(() => this.#resuming.idle(id));
    await endsWithin(this.#options.clock, LIMITS.connectionWaitMs, resumed);
    if (gone?.aborted) throw new GatewayError('send_not_connected', 'nothing was sent: the caller hung up');
  }

  /** The open records that nothing works on, oldest first. */
  async #readIdle(clientId: string): Promise<SentRecord[]> {
    const { store, retry } = this.#options;
    // read before the store, to include sends that end during the read and those whose callers got an error
    const leaving = new Set([...this.#leaving.keys(), ...this.#closing.keys()]);
    const open = await retry.run(() => store.sends.open(clientId));
    this.#forgetFailed(clientId, open);
    return open.filter(({ messageId, held, acknowledged }) => {
      const id = `${clientId} ${messageId}`;
      return !(held && !acknowledged) && !leaving.has(id) && !this.#leaving.has(id);
    });
  }

  /** Announces the sends that the network acknowledged before a crash; needs no link. */
  async announceAcknowledged(session: Session): Promise<void> {
    const open = await this.#options.store.sends.open(session.clientId);
    for (const record of open) if (record.acknowledged) void this.#resumeInTurn(session, record);
  }

  /** Resolves when the sends of a session that are in flight now have an outcome. Never rejects. */
  async settled(clientId: string): Promise<void> {
    const leaving = [...this.#leaving].filter(([id]) => id.startsWith(`${clientId} `));
    await Promise.allSettled(leaving.map(([, sent]) => sent));
  }

  /** Drops failed sends whose records another node has closed. */
  #forgetFailed(clientId: string, open: readonly SentRecord[]): void {
    const still = new Set(open.map(({ messageId }) => `${clientId} ${messageId}`));
    for (const id of this.#failed) {
      if (id.startsWith(`${clientId} `) && !still.has(id)) this.#failed.delete(id);
    }
  }

  /** From now on failed sends stay open for the next start, because their callers get no answer. */
  stop(): void {
    this.#stopping = true;
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
    if (!acknowledged && this.#failed.has(`${clientId} ${messageId}`))
      return this.closeFailed(session, messageId);
    if (!acknowledged && record.sentAt < linkedSince(session.record)) {
      log.warn({ clientId, messageId }, 'a send of another number is not sent again');
      return this.closeFailed(session, messageId);
    }
    if (!acknowledged && clock.now() - record.sentAt > LIMITS.resendMaxAgeMs) {
      log.warn({ clientId, messageId }, 'a send of the last run is too old to be sent again');
      return this.closeFailed(session, messageId);
    }
    log.info({ clientId, messageId, acknowledged }, 'finishing an interrupted send');
    try {
      await this.continue(session, record, RESUMED);
    } catch (error) {
      log.warn({ err: error, clientId, messageId }, 'an interrupted send failed again');
      if (isFinalForSend(error)) await this.closeFailed(session, messageId);
    }
  }

  async #send(session: Session, draft: Draft, gone: AbortSignal | undefined): Promise<Sent> {
    const { admission } = draft;
    try {
      return await this.#echo(session, draft, await this.#untilAcknowledged(session, draft, gone));
    } catch (error) {
      if (isGatewayError(error, 'send_rejected')) admission?.rejected();
      throw error;
    } finally {
      admission?.end();
    }
  }

  /** Sends over several connections if need be: an ended connection does not say whether the message arrived. */
  async #untilAcknowledged(
    session: Session,
    draft: Draft,
    gone: AbortSignal | undefined,
  ): Promise<SentMessage> {
    const { admission } = draft;
    let { content } = draft;
    let isWritten = draft.kept !== undefined && !admission;
    let copies = draft.kept ? 1 : 0;
    let sentAt = draft.kept?.sentAt ?? 0;
    const send = (link: Link) =>
      this.#options.spans.relay(link, {
        ...draft,
        content,
        ...(admission && { atWire: admission }),
        beforeSend: async (encoded) => {
          copies += 1;
          if (isWritten) return admission?.leaveAgain();
          const write = async (stamp: Partial<SendStamp>) => {
            sentAt = await this.#writeDown(session.clientId, draft, encoded, stamp);
          };
          await (admission ? admission.leave(write) : write({}));
          isWritten = true;
          content = { encoded };
        },
      });
    try {
      const sent = await this.#options.liveLinks.over(session, send, gone);
      return { ...sent, sentAt };
    } catch (error) {
      const { messageId } = draft;
      // this copy did not arrive, but an earlier copy may have
      if (draft.held && copies > 1 && isGatewayError(error, 'send_rejected'))
        throw new GatewayError('send_rejected', error.message, { cause: error, messageId });
      if ('encoded' in content && this.#proven.has(`${session.clientId} ${messageId}`)) {
        const sent = this.#options.links.decode(content.encoded);
        return { messageId, content: sent, sentAt };
      }
      // an earlier attempt may have left
      const isRefused = admission?.hasLeft && isGatewayError(error, 'policy_refused');
      if (!('encoded' in content) || !(isRefused || isGatewayError(error, 'send_not_connected'))) throw error;
      const why = isRefused ? ` It was not sent again: ${error.message}.` : '';
      const message = `The connection ended before there was proof that the message arrived.${why}`;
      throw new GatewayError('send_cut_off', message, { cause: error });
    }
  }

  /**
   * Writes the record of a send. An open record keeps its time: the message may have been announced with it before a crash.
   * @returns the time in the record
   */
  async #writeDown(
    clientId: string,
    draft: Draft,
    encoded: Uint8Array,
    stamp: Partial<SendStamp>,
  ): Promise<number> {
    const { store, spans, clock } = this.#options;
    const { kept } = draft;
    const sentAt = kept && !kept.closed ? kept.sentAt : (stamp.sentAt ?? clock.now());
    const record = recordOf(draft, encoded, { ...stamp, sentAt });
    await store.sends.put(clientId, { ...spans.noted(clientId, draft.messageId), ...record });
    return sentAt;
  }

  /** Announces the sent message. Resolves when the history has it, or after `recordWaitMs`. */
  async #echo(session: Session, { to, ...draft }: Draft, sent: SentMessage): Promise<Sent> {
    const { record } = session;
    const participant = ownJid(session);
    const echo = {
      messageId: sent.messageId,
      chat: to,
      fromMe: true,
      ...(participant && { participant }),
      pushName: record.name,
      timestamp: eventTimeOf(sent),
      content: sent.content,
      journalIds: [],
      offline: false,
    };
    const { recorded } = await this.#options.receiver.echo(record, echo, draft);
    return { content: sent.content, recorded };
  }
}
