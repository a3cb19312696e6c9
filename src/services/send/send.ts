import { type Address, formatJid } from '../../domain/address.js';
import type { Clock } from '../../domain/clock.js';
import { GatewayError } from '../../domain/errors.js';
import { newMessageId } from '../../domain/ids.js';
import type { KindSend, SendPayload } from '../../kinds/kind.js';
import type { LinkFactory, QuotedReference } from '../../link/link.js';
import type { Logger } from '../../log.js';
import type { Store } from '../../store/store.js';
import type { Contacts } from '../contacts.js';
import type { Receiver } from '../receive/receive.js';
import type { SendAnswer, Sending } from '../services.js';
import type { Session } from '../sessions/session.js';
import type { StoreSteps } from '../store-steps.js';
import { OncePerKey } from './idempotency.js';
import { mentionedJids as findMentioned } from './mentions.js';
import { Outbox, ownJid } from './outbox.js';

/** What is counted on the way. */
export interface SendObserver {
  sent(route: string): void;
  sendFailed(code: string): void;
}

export interface SenderOptions {
  sessions: { find(clientId: string): Session };
  store: Pick<Store, 'sends' | 'idempotency' | 'ping'>;
  steps: StoreSteps;
  links: Pick<LinkFactory, 'decode'>;
  contacts: Contacts;
  receiver: Pick<Receiver, 'echo'>;
  observer: SendObserver;
  clock: Clock;
  log: Logger;
}

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

  async send(kind: KindSend, payload: SendPayload, idempotencyKey?: string): Promise<SendAnswer> {
    const session = this.#requirePaired(payload.clientId);
    try {
      const answer = await this.#sendOnce(session, kind, payload, idempotencyKey);
      this.#options.observer.sent(kind.path);
      return answer;
    } catch (error) {
      const code = error instanceof GatewayError ? error.code : 'unexpected';
      this.#options.observer.sendFailed(code);
      throw error;
    }
  }

  #sendOnce(
    session: Session,
    kind: KindSend,
    payload: SendPayload,
    key: string | undefined,
  ): Promise<SendAnswer> {
    if (key === undefined) return this.#sendAs(newMessageId(), session, kind, payload);
    const { clientId } = session;
    const request = { clientId, key, route: kind.path, payload };
    return this.#once.run(request, (messageId, again) =>
      again
        ? this.#sendAgainAs(messageId, session, kind, payload)
        : this.#sendAs(messageId, session, kind, payload),
    );
  }

  /** A request that may have been made before, without an answer: what was written down of it goes on. */
  async #sendAgainAs(
    messageId: string,
    session: Session,
    kind: KindSend,
    payload: SendPayload,
  ): Promise<SendAnswer> {
    const kept = await this.#outbox.kept(session.clientId, messageId);
    if (!kept || (kept.closed && !kept.acknowledged)) return this.#sendAs(messageId, session, kind, payload);
    return this.#deliver(session, messageId, () => this.#outbox.continue(session, kept));
  }

  async #sendAs(
    messageId: string,
    session: Session,
    kind: KindSend,
    payload: SendPayload,
  ): Promise<SendAnswer> {
    const { clientId } = session;
    const { contacts } = this.#options;
    const link = await this.#outbox.link(session);
    const recipient = await contacts.resolve(clientId, payload.to, link);
    const mentionedJids = await findMentioned(clientId, payload.mentions ?? [], contacts, link);
    const { quotedMessageId, metaData } = payload;
    const draft = {
      to: formatJid(recipient),
      messageId,
      content: kind.compose(payload, { mentionedJids }),
      ...(quotedMessageId && { quoted: await this.#quote(session, recipient, quotedMessageId) }),
      ...(metaData && { metaData }),
    };
    return this.#deliver(session, messageId, () => this.#outbox.send(session, draft));
  }

  async #deliver(session: Session, messageId: string, deliver: () => Promise<void>): Promise<SendAnswer> {
    try {
      await deliver();
      return { status: 'sent', messageId };
    } catch (error) {
      await this.#outbox.giveUp(session.clientId, messageId);
      throw error;
    }
  }

  #requirePaired(clientId: string): Session {
    const session = this.#options.sessions.find(clientId);
    if (session.isPaired) return session;
    const message = `${clientId} is not paired (status ${session.record.status}); pair it first`;
    throw new GatewayError('session_unpaired', message);
  }

  /** The message that is answered, as far as it is kept; an unknown id is sent all the same. */
  async #quote(session: Session, recipient: Address, messageId: string): Promise<QuotedReference> {
    const own = await this.#options.store.sends.get(session.clientId, messageId);
    if (own) {
      const content = this.#options.links.decode(own.content);
      return { messageId, fromMe: true, participant: ownJid(session), content };
    }
    const participant = recipient.kind === 'group' ? undefined : formatJid(recipient);
    return { messageId, fromMe: false, ...(participant && { participant }), content: {} };
  }
}
