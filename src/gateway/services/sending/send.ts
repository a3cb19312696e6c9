import type { Readable } from 'node:stream';
import type { SendPayload } from '../../../contract/sends/send-request.js';
import { formatJid, parseRecipient } from '../../../domain/address.js';
import type { Clock } from '../../../domain/clock.js';
import { GatewayError, isGatewayError } from '../../../domain/errors.js';
import { newMessageId } from '../../../domain/ids.js';
import { isTerminal } from '../../../domain/session.js';
import type { KindSend } from '../../kinds/kind.js';
import type { LinkFactory } from '../../link/link.js';
import type { Logger } from '../../log.js';
import type { Store } from '../../store/store.js';
import { type LiveLinks, requirePaired, type SessionSource } from '../access.js';
import type { FilePayload, FileSource, Media } from '../files/media.js';
import type { SpooledFile } from '../files/spool.js';
import type { MessageStatuses } from '../history/message-statuses.js';
import type { Contacts } from '../identities/contacts.js';
import type { SendPolicies } from '../policies/send-policies.js';
import type { Announcements } from '../receivers/announce.js';
import type { ChannelPosts } from '../receiving/channel-posts.js';
import type { InboundMessages } from '../receiving/receive.js';
import type { Session, SessionEvent } from '../sessions/session.js';
import type { SessionPart } from '../sessions/session-parts.js';
import type { MessageSpans } from '../spans.js';
import type { StoreRetry } from '../store-retry.js';
import { Composer, type Draft, discardFile } from './composer.js';
import { type RefusedForATime, refusedForATime } from './held-queue.js';
import { HeldSends, type Turn } from './held-sends.js';
import { OncePerKey, type SentAnswer } from './idempotency.js';
import { fileJob, kindJob, type Send, type SendJob, type SendObserver, textIn } from './job.js';
import { Outbox, type Sent } from './outbox.js';
import type { EarlierMessages } from './references.js';

const NOT_RECORDED =
  'the message was delivered, but it could not be written to the hosted history; do not send it again';

const ENDED =
  'this Idempotency-Key belongs to a message that was cancelled, expired or deleted; use a new key';

/** A message that cannot be composed, because its policy refuses the look-up of its recipient for a time. */
interface RefusedDraft {
  /** The address that the caller wrote. */
  to: string;
  refusal: RefusedForATime;
}

/** Sends messages of any kind: answers after the network's acknowledgement, and sends once for each idempotency key. */
export class Sends implements SessionPart {
  /** Messages that wait until their policy allows them. */
  readonly held: HeldSends;
  readonly #options;
  readonly #once: OncePerKey;
  readonly #composer: Composer;
  readonly #outbox: Outbox;

  constructor(options: {
    sessions: SessionSource & { has(clientId: string): boolean };
    store: Pick<Store, 'sends' | 'idempotency'>;
    retry: StoreRetry;
    links: Pick<LinkFactory, 'decode'>;
    liveLinks: LiveLinks;
    contacts: Contacts;
    earlier: EarlierMessages;
    media: Pick<Media, 'prepare' | 'spool' | 'preview'>;
    /** Default for link previews, if the request does not say. */
    linkPreviews: boolean;
    policies: Pick<SendPolicies, 'admit' | 'checkFirst' | 'checkShared' | 'refusals' | 'enforces'>;
    announcements: Pick<Announcements, 'messageStatus'>;
    /** Messages of one session that may wait until their policy allows them. */
    heldLimit: number;
    statuses: Pick<MessageStatuses, 'note'>;
    inbound: Pick<InboundMessages, 'echo'>;
    channelPosts: Pick<ChannelPosts, 'announce'>;
    spans: MessageSpans;
    observer: SendObserver;
    clock: Clock;
    log: Logger;
  }) {
    this.#options = options;
    this.#once = new OncePerKey(options.store.idempotency, options.clock, options.log);
    this.#composer = new Composer(options);
    this.#outbox = new Outbox(options);
    const steps = { composer: this.#composer, outbox: this.#outbox };
    this.held = new HeldSends({ ...options, ...steps, limit: options.heldLimit });
  }

  /** Announces the statuses of own messages; one that is not a failure proves that its message was sent. */
  hear(heard: SessionEvent): void {
    if (heard.type !== 'link' || heard.event.type !== 'message-status') return;
    const { session, event } = heard;
    const { clientId, record } = session;
    const { spans, announcements, statuses } = this.#options;
    const { messageId, status, code } = event;
    // a held message may leave again: only its final outcome is announced
    if (status === 'failed' && this.held.onRejected(clientId, messageId, code)) return;
    void spans.status(clientId, messageId, status);
    announcements.messageStatus(record, event);
    statuses.note(record, event);
    if (status !== 'failed') this.#outbox.confirmDelivered(session, messageId);
  }

  /** Continues interrupted sends, then held ones. */
  async connected(clientId: string): Promise<void> {
    await this.#outbox.resume(this.#options.sessions.find(clientId));
    this.held.reevaluate(clientId);
  }

  /** Announces acknowledged sends even if the session does not connect. */
  async resume(clientId: string): Promise<void> {
    const session = this.#options.sessions.find(clientId);
    if (isTerminal(session.record.status)) await this.#outbox.announceAcknowledged(session);
  }

  /** Resolves when the sends of a session that are in flight now have an outcome. */
  settled(clientId: string): Promise<void> {
    return this.#outbox.settled(clientId);
  }

  /** From now on failed sends stay open for the next start. */
  stop(): void {
    this.#outbox.stop();
  }

  /**
   * Sends one message of a kind and answers after the network's acknowledgement.
   * @param idempotencyKey the same key within 24 h sends once and returns the first answer.
   * @param gone aborted when the caller hangs up: without a key the send then stops waiting for a connection
   * @throws session_unknown, session_unpaired, recipient_unknown, send_*, idempotency_conflict, store_unavailable; if it
   * changes an earlier message also invalid_request (message of another chat), target_not_own, edit_window_over
   */
  send(
    kind: KindSend,
    payload: SendPayload,
    idempotencyKey?: string,
    gone?: AbortSignal,
  ): Promise<SentAnswer> {
    return this.run(kindJob(kind, payload, this.#options), idempotencyKey, gone);
  }

  /**
   * Sends a file, by the first kind that takes its MIME type; a file by URL that is too large as a text with its link.
   * `mediaType` and, by URL, `bytes` are in the answer. An uploaded file is discarded by its caller.
   * @throws as `send`, and media_unfetchable, media_unsupported
   */
  sendFile(
    payload: FilePayload,
    source: FileSource,
    idempotencyKey?: string,
    gone?: AbortSignal,
  ): Promise<SentAnswer> {
    return this.run(fileJob(payload, source, this.#options.media), idempotencyKey, gone);
  }

  /** Takes a stream to disk. @throws media_too_large; nothing is left behind. */
  spool(clientId: string, stream: Readable): Promise<SpooledFile> {
    return this.#options.media.spool(clientId, stream);
  }

  /** Sends the message of a job. @throws as `send`, and what the job throws */
  async run(job: SendJob, idempotencyKey?: string, gone?: AbortSignal): Promise<SentAnswer> {
    const session = requirePaired(this.#options.sessions, job.payload.clientId);
    try {
      const answer = await (idempotencyKey === undefined
        ? this.#sendUnkeyed({ session, job, messageId: newMessageId(), gone })
        : this.#sendOncePerKey(session, job, idempotencyKey));
      if (answer.status === 'sent') this.#options.observer.sent(job.route);
      return answer;
    } catch (error) {
      const code = error instanceof GatewayError ? error.code : 'unexpected';
      this.#options.observer.sendFailed(code);
      throw error;
    }
  }

  async #sendUnkeyed(send: Send): Promise<SentAnswer> {
    try {
      return await this.#sendNew(send);
    } catch (error) {
      return failWith(error, send.messageId, send.job.target ? REPEATABLE : UNREPEATABLE);
    }
  }

  /** Other callers may wait for the same send, and the caller may repeat the request: no caller who hangs up ends it. */
  #sendOncePerKey(session: Session, job: SendJob, key: string): Promise<SentAnswer> {
    const request = { clientId: session.clientId, key, route: job.route, payload: job.request };
    return this.#once.run(request, async (messageId, again) => {
      const send = { session, job, messageId };
      try {
        return await (again ? this.#sendAgain(send) : this.#sendNew(send));
      } catch (error) {
        return failWith(error, messageId, REPEATABLE_BY_KEY);
      }
    });
  }

  /**
   * Repeats a request whose first call got no answer or an error: continues its record with the same content, because the
   * first copy may have arrived.
   */
  async #sendAgain(send: Send): Promise<SentAnswer> {
    const { session, job, messageId } = send;
    const kept = await this.#outbox.kept(session.clientId, messageId);
    if (!kept) return this.#sendNew(send);
    const waiting = this.held.waitingAnswer(kept);
    if (waiting) return waiting;
    // nothing is left to send: the message was cancelled, expired or deleted
    if (kept.closed && !kept.acknowledged && kept.content.length === 0)
      throw new GatewayError('idempotency_conflict', ENDED);
    return this.#answer(send, this.#outbox.continue(session, kept, { text: textIn(job.payload) }));
  }

  #sendNew(send: Send): Promise<SentAnswer> {
    const { session, job, messageId } = send;
    const { clientId } = session;
    const attributes = { 'switchboard.route': job.route };
    return this.#options.spans.send({ clientId, messageId }, attributes, () =>
      job.payload.whenAllowed ? this.#sendOrHold(send) : this.#sendNow(send),
    );
  }

  async #sendNow(send: Send): Promise<SentAnswer> {
    const message = await this.#compose(send);
    try {
      return await this.#answer(send, this.#outbox.send(send.session, message, send.gone));
    } finally {
      await this.#discardFile(send, message);
    }
  }

  /** Holds the message if its policy refuses it for a time, or an earlier message of its chat waits. */
  async #sendOrHold(send: Send): Promise<SentAnswer> {
    const composed = await this.#composeOrRefusal(send);
    try {
      const turn = await this.held.takeTurn(send.session.clientId, composed.to);
      return await this.#sendInTurn(send, composed, turn).finally(turn.end);
    } finally {
      if ('content' in composed) await this.#discardFile(send, composed);
    }
  }

  async #sendInTurn(send: Send, composed: Draft | RefusedDraft, turn: Turn): Promise<SentAnswer> {
    if (turn.ahead) return this.held.hold(send, turn, turn.ahead);
    if ('refusal' in composed) return this.held.hold(send, turn, composed.refusal);
    try {
      return await this.#answer(send, this.#outbox.send(send.session, composed, send.gone));
    } catch (error) {
      const refusal = refusedForATime(error);
      if (!refusal) throw error;
      return this.held.hold(send, turn, refusal);
    }
  }

  async #composeOrRefusal(send: Send): Promise<Draft | RefusedDraft> {
    try {
      return await this.#compose(send);
    } catch (error) {
      const address = parseRecipient(send.job.payload.to);
      const refusal = refusedForATime(error);
      if (!address || !refusal) throw error;
      return { to: formatJid(address), refusal };
    }
  }

  #compose(send: Send): Promise<Draft> {
    return this.#options.spans.step('compose', () => this.#composer.compose(send));
  }

  #discardFile({ session }: Send, message: Draft): Promise<void> {
    return discardFile(session.clientId, message, this.#options.log);
  }

  async #answer({ session, job, messageId }: Send, sending: Promise<Sent>): Promise<SentAnswer> {
    try {
      const { content, recorded, ...rest } = await sending;
      const warning = recorded ? undefined : NOT_RECORDED;
      return { status: 'sent', messageId, ...job.answer(content), ...rest, ...(warning && { warning }) };
    } catch (error) {
      await this.#outbox.closeFailed(session.clientId, messageId);
      throw error;
    }
  }
}

const REPEATABLE_BY_KEY =
  'Repeat the request with the same Idempotency-Key: it is sent under the same id, so the recipient has it once';
const REPEATABLE = 'It can be repeated without harm';
const UNREPEATABLE =
  'Repeated, it may arrive twice; a request with an Idempotency-Key from the start can be repeated without harm';

const PROVEN_LATER = 'If a receipt arrives later, its events and its entry in the history will still appear.';
const HELD_AFTER_ALL = 'If it is held, GET /outbox lists it, and it can be cancelled.';

/** Throws the error of a send. If the outcome is unknown, the error names the message and tells how to repeat the request. */
function failWith(error: unknown, messageId: string, hint: string): never {
  const isUnknown = isGatewayError(error, 'send_unacknowledged') || isGatewayError(error, 'send_cut_off');
  if (!isUnknown) throw error;
  // the store did not say whether a message is held
  const [what, then] = error.messageId ? ['is held', HELD_AFTER_ALL] : ['arrived', PROVEN_LATER];
  const message = `It is unknown whether the message ${messageId} ${what}: ${error.message} ${hint}. ${then}`;
  throw new GatewayError(error.code, message, { cause: error, messageId });
}
