import type { Readable } from 'node:stream';
import type { SendPayload } from '../../../contract/sends/send-request.js';
import { formatJid, parseRecipient } from '../../../domain/address.js';
import type { Clock } from '../../../domain/clock.js';
import { GatewayError, isFinalForSend, isGatewayError } from '../../../domain/errors.js';
import { newMessageId } from '../../../domain/ids.js';
import { isTerminal } from '../../../domain/session.js';
import type { ComposeContext, KindSend } from '../../kinds/kind.js';
import type { Link, LinkFactory } from '../../link/link.js';
import type { Logger } from '../../log.js';
import type { SentRecord, Store } from '../../store/store.js';
import { type LiveLinks, requirePaired, type SessionSource } from '../access.js';
import type { Media } from '../files/media.js';
import type { Contacts } from '../identities/contacts.js';
import type { SessionPart } from '../lifecycle.js';
import type { SendPolicies } from '../policies/send-policies.js';
import type { Announcements } from '../receivers/announce.js';
import type { Receiver } from '../receiving/receive.js';
import type { FilePayload, FileSource, Sending, SpooledFile } from '../services.js';
import type { Session } from '../sessions/session.js';
import type { MessageSpans } from '../spans.js';
import type { StoreRetry } from '../store-retry.js';
import type { Draft } from './draft.js';
import { HeldEndings } from './held-endings.js';
import { type HeldRequest, leavingAt } from './held-queue.js';
import { HeldSends } from './held-sends.js';
import { OncePerKey, type SentAnswer } from './idempotency.js';
import { Outbox, type Sent } from './outbox.js';
import { type EarlierMessages, quote, targetContext } from './references.js';
import {
  fileJob,
  heldJob,
  kindJob,
  mentionedPeople,
  renamed,
  type SendJob,
  textIn,
  userIn,
} from './send-job.js';

/** Counts sends. */
export interface SendObserver {
  sent(route: string): void;
  sendFailed(code: string): void;
}

const NOT_RECORDED =
  'the message was delivered, but it could not be written to the hosted history; do not send it again';

const ENDED =
  'the message of this Idempotency-Key was held and cancelled or given up before it left, or was deleted; send it with a new key';

/** Sends messages of any kind: answers after the network's acknowledgement, and sends once for each idempotency key. */
export class Sender implements Sending, SessionPart {
  /** Messages that wait until their policy allows them. */
  readonly held: HeldSends;
  readonly #options;
  readonly #once: OncePerKey;
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
    policies: Pick<SendPolicies, 'admit' | 'checkFirst' | 'refusals' | 'enforces'>;
    announcements: Pick<Announcements, 'messageStatus'>;
    /** Messages of one session that may wait until their policy allows them. */
    heldLimit: number;
    receiver: Pick<Receiver, 'echo'>;
    spans: MessageSpans;
    observer: SendObserver;
    clock: Clock;
    log: Logger;
  }) {
    this.#options = options;
    this.#once = new OncePerKey(options.store.idempotency, options.clock, options.log);
    this.#outbox = new Outbox(options);
    this.held = new HeldSends({
      ...options,
      limit: options.heldLimit,
      endings: new HeldEndings({ ...options, failed: (code) => options.observer.sendFailed(code) }),
      leave: (session, record, request, gone) => this.#leaveHeld(session, record, request, gone),
    });
  }

  /** Notes the proof that a message was sent, even if its caller got an error. */
  noteProof(session: Session, messageId: string): void {
    this.#outbox.noteProof(session, messageId);
  }

  /** Continues interrupted sends, then held ones. */
  async connected(clientId: string): Promise<void> {
    await this.#outbox.resume(this.#options.sessions.find(clientId));
    this.held.judgeAnew(clientId);
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

  send(
    kind: KindSend,
    payload: SendPayload,
    idempotencyKey?: string,
    gone?: AbortSignal,
  ): Promise<SentAnswer> {
    return this.run(kindJob(kind, payload, this.#options), idempotencyKey, gone);
  }

  async sendFile(
    payload: FilePayload,
    source: FileSource,
    idempotencyKey?: string,
    gone?: AbortSignal,
  ): Promise<SentAnswer> {
    const job = fileJob(payload, source, this.#options.media);
    try {
      return await this.run(job, idempotencyKey, gone);
    } finally {
      await job.end?.().catch((error: unknown) => {
        this.#options.log.warn({ err: error, clientId: payload.clientId }, 'sent file not removed');
      });
    }
  }

  spool(clientId: string, stream: Readable): Promise<SpooledFile> {
    return this.#options.media.spool(clientId, stream);
  }

  /** Sends the message of a job. @throws as `send`, and what the job throws */
  async run(job: SendJob, idempotencyKey?: string, gone?: AbortSignal): Promise<SentAnswer> {
    const session = requirePaired(this.#options.sessions, job.payload.clientId);
    try {
      const answer = await this.#sendOnce(session, job, idempotencyKey, gone);
      if (answer.status === 'sent') this.#options.observer.sent(job.route);
      return answer;
    } catch (error) {
      const code = error instanceof GatewayError ? error.code : 'unexpected';
      this.#options.observer.sendFailed(code);
      throw error;
    }
  }

  #sendOnce(
    session: Session,
    job: SendJob,
    key: string | undefined,
    gone: AbortSignal | undefined,
  ): Promise<SentAnswer> {
    // with a key, other callers may wait for the same send, and the caller may repeat the request
    if (key === undefined) {
      const messageId = newMessageId();
      return this.#sendAs(messageId, session, job, gone).catch((error: unknown) =>
        failWith(error, messageId, job.target ? REPEATABLE : UNREPEATABLE),
      );
    }
    const { clientId } = session;
    const request = { clientId, key, route: job.route, payload: job.request };
    return this.#once.run(request, (messageId, again) => {
      const sending = again
        ? this.#sendAgainAs(messageId, session, job)
        : this.#sendAs(messageId, session, job);
      return sending.catch((error: unknown) => failWith(error, messageId, REPEATABLE_BY_KEY));
    });
  }

  /**
   * Repeats a request whose first call got no answer or an error: continues its record with the same content, because the
   * first copy may have arrived.
   */
  async #sendAgainAs(messageId: string, session: Session, job: SendJob): Promise<SentAnswer> {
    const kept = await this.#outbox.kept(session.clientId, messageId);
    if (!kept) return this.#sendAs(messageId, session, job);
    const waiting = this.held.answerOf(kept);
    if (waiting) return waiting;
    // nothing is left to send: the message was cancelled, expired or deleted
    if (kept.closed && !kept.acknowledged && kept.content.length === 0)
      throw new GatewayError('idempotency_conflict', ENDED);
    return this.#deliver(session, messageId, job, () =>
      this.#outbox.continue(session, kept, { text: textIn(job.payload) }),
    );
  }

  #sendAs(messageId: string, session: Session, job: SendJob, gone?: AbortSignal): Promise<SentAnswer> {
    const { clientId } = session;
    const attributes = { 'switchboard.route': job.route };
    return this.#options.spans.send({ clientId, messageId }, attributes, () =>
      this.#sendNew(messageId, session, job, gone),
    );
  }

  async #sendNew(messageId: string, session: Session, job: SendJob, gone?: AbortSignal): Promise<SentAnswer> {
    const { route, request, payload } = job;
    const asked = { messageId, route, request, gone };
    let draft: Draft;
    try {
      draft = await this.#options.spans.step('compose', () => this.#draft(messageId, session, job, gone));
    } catch (error) {
      // the look-up of the recipient was refused: hold the message under the caller's address
      const to = parseRecipient(payload.to);
      if (!payload.whenAllowed || !to || !isGatewayError(error, 'policy_refused')) throw error;
      return this.held.sendOrHold(session, { ...asked, to: formatJid(to) }, () => Promise.reject(error));
    }
    const send = () =>
      this.#deliver(session, messageId, job, () => this.#sendDraft(session, job, draft, gone));
    if (!payload.whenAllowed) return send();
    return this.held.sendOrHold(session, { ...asked, to: draft.to }, send);
  }

  /** @param kept its record, if the network refused an earlier copy, which is counted already */
  async #sendDraft(
    session: Session,
    job: SendJob,
    draft: Draft,
    gone?: AbortSignal,
    kept?: SentRecord,
  ): Promise<Sent> {
    const { to } = draft;
    const asked = { to, text: textIn(job.payload), target: job.target !== undefined };
    const { policies, spans } = this.#options;
    await this.#outbox.afterResumed(session.clientId, to, gone);
    const admission = await spans.step('policy', () =>
      policies.admit(session, { ...asked, ...(kept && { kept }) }),
    );
    return this.#outbox.send(session, { ...draft, ...(admission && { admission }) }, gone);
  }

  /** Sends a held message. If the outcome is unknown, the record stays open: it is continued with the same content, not composed again. */
  async #leaveHeld(
    session: Session,
    record: SentRecord,
    request: HeldRequest,
    gone: AbortSignal,
  ): Promise<void> {
    const { messageId, content, closed, held } = record;
    const job = heldJob(request, this.#options);
    try {
      if (content.length > 0) {
        const asked = { text: textIn(job.payload), isResumed: !closed };
        await this.#outbox.continue(session, record, asked, gone);
      } else {
        await this.#options.spans.resume(session.clientId, record, async () => {
          const draft = await this.#draft(messageId, session, job, gone);
          const leaving = held && { held: leavingAt(held, this.#options.clock.now()) };
          const kept = record.counted === 'nothing' ? undefined : record;
          await this.#sendDraft(session, job, { ...draft, ...leaving }, gone, kept);
        });
      }
      this.#options.observer.sent(job.route);
    } catch (error) {
      if (isFinalForSend(error)) await this.#outbox.closeFailed(session, messageId);
      throw error;
    } finally {
      await job.end?.();
    }
  }

  /** Resolves and composes a message. Finds every error of the request before anything is written. */
  async #draft(
    messageId: string,
    session: Session,
    job: SendJob,
    gone: AbortSignal | undefined,
  ): Promise<Draft> {
    const { clientId } = session;
    const { contacts, liveLinks, earlier, policies, clock } = this.#options;
    const { to, whenAllowed, mentions = [], quotedMessageId, metaData } = job.payload;
    const resolve = async (link: Link) => {
      if (!job.target)
        await policies.checkFirst(session, { to, text: textIn(job.payload), whenAllowed }, link);
      return contacts.resolve(clientId, to, link);
    };
    const recipient = await liveLinks.over(session, resolve, gone);
    const chat = formatJid(recipient);
    const { target } = job;
    const find = (link: Link) => mentionedPeople(clientId, mentions, contacts, link);
    const people = mentions.length > 0 ? await liveLinks.over(session, find, gone) : [];
    const now = clock.now();
    const context: ComposeContext = {
      ...{ chat, now },
      ...(target && (await targetContext(target, session, recipient, earlier, now))),
      mentionedJids: people.map(formatJid),
    };
    const named = new Map(mentions.map((mention, index) => [userIn(mention), people[index]?.user ?? '']));
    const quoted = quotedMessageId ? await quote(quotedMessageId, session, recipient, earlier) : undefined;
    const content = await job.compose(context, (text) => renamed(text, named));
    const fileName = job.fileName?.();
    return {
      ...{ messageId, to: chat, content },
      ...(quoted && { quoted }),
      ...(metaData && { metaData }),
      ...(fileName && { fileName }),
    };
  }

  async #deliver(
    session: Session,
    messageId: string,
    job: SendJob,
    deliver: () => Promise<Sent>,
  ): Promise<SentAnswer> {
    try {
      const { content, recorded } = await deliver();
      const warning = recorded ? undefined : NOT_RECORDED;
      return { status: 'sent', messageId, ...job.answer(content), ...(warning && { warning }) };
    } catch (error) {
      await this.#outbox.closeFailed(session, messageId);
      throw error;
    }
  }
}

const REPEATABLE_BY_KEY =
  'Repeat the request with the same Idempotency-Key: it is sent under the same id, so the recipient has it once';
const REPEATABLE = 'It can be repeated without harm';
const UNREPEATABLE =
  'Repeated, it may arrive twice; a request with an Idempotency-Key from the start can be repeated without harm';

const PROVEN_LATER = 'If proof comes later, its events and its row in the history follow.';
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
