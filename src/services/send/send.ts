import type { Readable } from 'node:stream';
import { formatJid } from '../../domain/address.js';
import type { Clock } from '../../domain/clock.js';
import { GatewayError } from '../../domain/errors.js';
import { newMessageId } from '../../domain/ids.js';
import type { ComposeContext, KindSend, SendPayload } from '../../kinds/kind.js';
import type { LinkFactory } from '../../link/link.js';
import type { Logger } from '../../log.js';
import type { Store } from '../../store/store.js';
import type { Contacts } from '../contacts.js';
import type { LiveLinks } from '../live-links.js';
import type { Media } from '../media/media.js';
import type { Receiver } from '../receive/receive.js';
import type { FilePayload, FileSource, SendAnswer, Sending, SpooledFile } from '../services.js';
import type { Session } from '../sessions/session.js';
import type { StoreSteps } from '../store-steps.js';
import type { EarlierMessages } from './earlier-messages.js';
import { OncePerKey } from './idempotency.js';
import { fileJob, kindJob, type SendJob } from './job.js';
import { mentionedJids } from './mentions.js';
import { type Draft, Outbox, type Sent } from './outbox.js';
import { requirePaired, type SessionSource } from './paired.js';
import { quote } from './quote.js';
import { targetContext } from './target.js';

/** What is counted on the way. */
export interface SendObserver {
  sent(route: string): void;
  sendFailed(code: string): void;
}

export interface SenderOptions {
  sessions: SessionSource;
  store: Pick<Store, 'sends' | 'idempotency'>;
  steps: StoreSteps;
  links: Pick<LinkFactory, 'decode'>;
  liveLinks: LiveLinks;
  contacts: Contacts;
  earlier: EarlierMessages;
  media: Pick<Media, 'prepare' | 'spool'>;
  receiver: Pick<Receiver, 'echo'>;
  observer: SendObserver;
  clock: Clock;
  log: Logger;
}

const NOT_RECORDED =
  'the message was delivered, but it could not be written to the hosted history; do not send it again';

/** Sends messages of any kind: truthfully, and once for each idempotency key. */
export class Sender implements Sending {
  readonly #options: SenderOptions;
  readonly #once: OncePerKey;
  readonly #outbox: Outbox;

  constructor(options: SenderOptions) {
    this.#options = options;
    this.#once = new OncePerKey(options.store.idempotency, options.clock, options.log);
    this.#outbox = new Outbox(options);
  }

  /** The network has acknowledged a message, perhaps too late for its caller. */
  noteAcknowledged(clientId: string, messageId: string): void {
    this.#outbox.noteAcknowledged(clientId, messageId);
  }

  /** The session is connected: takes up what a crash or a lost connection left unfinished. */
  resume(session: Session): Promise<void> {
    return this.#outbox.resume(session);
  }

  /** What fails from now on goes on at the next start. */
  stop(): void {
    this.#outbox.stop();
  }

  send(kind: KindSend, payload: SendPayload, idempotencyKey?: string): Promise<SendAnswer> {
    return this.run(kindJob(kind, payload), idempotencyKey);
  }

  async sendFile(payload: FilePayload, source: FileSource, idempotencyKey?: string): Promise<SendAnswer> {
    const job = fileJob(payload, source, this.#options.media);
    try {
      return await this.run(job, idempotencyKey);
    } finally {
      await job.end().catch((error: unknown) => {
        this.#options.log.warn({ err: error, clientId: payload.clientId }, 'sent file not removed');
      });
    }
  }

  spool(stream: Readable): Promise<SpooledFile> {
    return this.#options.media.spool(stream);
  }

  /** Sends whatever a job makes. @throws as `send`, and what the job throws */
  async run(job: SendJob, idempotencyKey?: string): Promise<SendAnswer> {
    const session = requirePaired(this.#options.sessions, job.payload.clientId);
    try {
      const answer = await this.#sendOnce(session, job, idempotencyKey);
      this.#options.observer.sent(job.route);
      return answer;
    } catch (error) {
      const code = error instanceof GatewayError ? error.code : 'unexpected';
      this.#options.observer.sendFailed(code);
      throw error;
    }
  }

  #sendOnce(session: Session, job: SendJob, key: string | undefined): Promise<SendAnswer> {
    if (key === undefined) return this.#sendAs(newMessageId(), session, job);
    const { clientId } = session;
    const request = { clientId, key, route: job.route, payload: job.request };
    return this.#once.run(request, (messageId, again) =>
      again ? this.#sendAgainAs(messageId, session, job) : this.#sendAs(messageId, session, job),
    );
  }

  /** A request that may have been made before, without an answer: what was written down of it goes on. */
  async #sendAgainAs(messageId: string, session: Session, job: SendJob): Promise<SendAnswer> {
    const kept = await this.#outbox.kept(session.clientId, messageId);
    if (!kept || (kept.closed && !kept.acknowledged)) return this.#sendAs(messageId, session, job);
    return this.#deliver(session, messageId, job, () => this.#outbox.continue(session, kept));
  }

  async #sendAs(messageId: string, session: Session, job: SendJob): Promise<SendAnswer> {
    const draft = await this.#draft(messageId, session, job);
    return this.#deliver(session, messageId, job, () => this.#outbox.send(session, draft));
  }

  /** Everything that can be wrong with a request is found here, before anything is written down. */
  async #draft(messageId: string, session: Session, job: SendJob): Promise<Draft> {
    const { clientId } = session;
    const { contacts, liveLinks, earlier, clock } = this.#options;
    const { to, mentions = [], quotedMessageId, metaData } = job.payload;
    const link = await liveLinks.of(session);
    const recipient = await contacts.resolve(clientId, to, link);
    const chat = formatJid(recipient);
    const { target } = job;
    const context: ComposeContext = {
      chat,
      ...(target && (await targetContext(target, session, recipient, earlier, clock.now()))),
      mentionedJids: await mentionedJids(clientId, mentions, contacts, link),
    };
    const quoted = quotedMessageId ? await quote(quotedMessageId, session, recipient, earlier) : undefined;
    const content = await job.compose(context);
    return { messageId, to: chat, content, ...(quoted && { quoted }), ...(metaData && { metaData }) };
  }

  async #deliver(
    session: Session,
    messageId: string,
    job: SendJob,
    deliver: () => Promise<Sent>,
  ): Promise<SendAnswer> {
    try {
      const { content, recorded } = await deliver();
      const warning = recorded ? undefined : NOT_RECORDED;
      return { status: 'sent', messageId, ...job.answer(content), ...(warning && { warning }) };
    } catch (error) {
      await this.#outbox.giveUp(session.clientId, messageId);
      throw error;
    }
  }
}
