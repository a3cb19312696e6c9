import type { DeliveryResult } from '../../delivery/dispatch.js';
import type { Clock } from '../../domain/clock.js';
import type { GatewayEvent } from '../../events/catalogue.js';
import type { EventEnvelope } from '../../events/envelope.js';
import { readContent } from '../../kinds/index.js';
import { isSilent } from '../../kinds/silent.js';
import { unknownName } from '../../kinds/unknown.js';
import type { IncomingMessage } from '../../link/link.js';
import type { Logger } from '../../log.js';
import type { SessionRecord, Store } from '../../store/store.js';
import type { Contacts } from '../contacts.js';
import type { StoreSteps } from '../store-steps.js';
import { admit } from './admit.js';
import { composeEnvelope } from './compose.js';
import { identifyParties } from './parties.js';

/** Where events go. */
export interface Announcer {
  announce(
    event: GatewayEvent,
    receiver: { url: string; token: string } | undefined,
    options?: { keptByCaller?: boolean },
  ): Promise<DeliveryResult>;
}

/** What is counted on the way. */
export interface ReceiveObserver {
  received(type: string): void;
  withoutReceiver(): void;
  unknownKind(name: string): void;
  notAdmitted(reason: string): void;
}

export interface ReceiveOptions {
  store: Pick<Store, 'journal' | 'sends'>;
  steps: StoreSteps;
  contacts: Contacts;
  announcer: Announcer;
  observer: ReceiveObserver;
  clock: Clock;
  log: Logger;
}

/**
 * An inbound message's way through the house, in named steps: admit → read → identify → announce → close the journal.
 * The echo of an own send takes the same way.
 */
export class Receiver {
  readonly #options: ReceiveOptions;
  readonly #underWay = new Map<Promise<unknown>, string>();
  /** Journal entries of what is on its way, by session. */
  readonly #entries = new Set<string>();

  constructor(options: ReceiveOptions) {
    this.#options = options;
  }

  /**
   * Takes a message in. A store that is away is waited for; other failures are logged, and its journal entry then stays
   * open for the next start.
   */
  receive(session: SessionRecord, message: IncomingMessage): void {
    const { clientId } = session;
    const entries = message.journalIds.map((id) => `${clientId} ${id}`);
    // the network delivers again what a lost connection kept us from acknowledging; the first copy closes the entries
    if (entries.length > 0 && entries.every((entry) => this.#entries.has(entry))) return;
    // as it is now: a pairing that begins meanwhile is no business of this message
    const snapshot = { ...session };
    this.#track(clientId, entries, () => this.#admitAndProcess(snapshot, message));
  }

  /** Announces an own send with the caller's metaData, and closes its record. */
  echo(session: SessionRecord, message: IncomingMessage, metaData?: Record<string, unknown>): void {
    const { clientId } = session;
    const entry = `${clientId} sent ${message.messageId}`;
    if (this.#entries.has(entry)) return;
    const snapshot = { ...session };
    this.#track(clientId, [entry], () => this.#processOwn(snapshot, message, metaData));
  }

  /** Messages of a session that are on their way. */
  underWay(clientId: string): number {
    let count = 0;
    for (const owner of this.#underWay.values()) if (owner === clientId) count += 1;
    return count;
  }

  /** Resolves when nothing is on its way any more, of one session or of all. */
  async idle(clientId?: string): Promise<void> {
    for (;;) {
      const works = [...this.#underWay].flatMap(([work, owner]) =>
        clientId === undefined || owner === clientId ? [work] : [],
      );
      if (works.length === 0) return;
      await Promise.allSettled(works);
    }
  }

  #track(clientId: string, entries: readonly string[], work: () => Promise<void>): void {
    for (const entry of entries) this.#entries.add(entry);
    const tracked: Promise<unknown> = work()
      .catch((error: unknown) => this.#options.log.error({ err: error, clientId }, 'message not processed'))
      .finally(() => {
        for (const entry of entries) this.#entries.delete(entry);
        this.#underWay.delete(tracked);
      });
    this.#underWay.set(tracked, clientId);
  }

  async #admitAndProcess(session: SessionRecord, message: IncomingMessage): Promise<void> {
    const { steps, observer } = this.#options;
    const refusal = admit(message) ?? (await steps.run(() => this.#isOwnEcho(session, message)));
    if (refusal) observer.notAdmitted(refusal);
    else {
      const isKept = message.journalIds.length > 0;
      if ((await this.#process(session, message, { isKept })) === 'interrupted') return;
    }
    await this.#close(session.clientId, message.journalIds);
  }

  async #processOwn(
    session: SessionRecord,
    message: IncomingMessage,
    metaData?: Record<string, unknown>,
  ): Promise<void> {
    const { store, steps } = this.#options;
    if ((await this.#process(session, message, { metaData, isKept: true })) === 'interrupted') return;
    await steps.run(() => store.sends.close(session.clientId, message.messageId));
  }

  /** The network's copy of what this gateway sent itself: already announced when it was sent. */
  async #isOwnEcho(session: SessionRecord, message: IncomingMessage): Promise<string | undefined> {
    if (!message.fromMe) return undefined;
    const sent = await this.#options.store.sends.get(session.clientId, message.messageId);
    return sent ? 'own echo' : undefined;
  }

  async #process(
    session: SessionRecord,
    message: IncomingMessage,
    { metaData, isKept }: { metaData?: Record<string, unknown> | undefined; isKept: boolean },
  ): Promise<'done' | 'interrupted'> {
    if (isSilent(message.content)) return 'done';
    const { kind, reading } = readContent(message.content);
    if (!kind) this.#options.observer.unknownKind(unknownName(message.content));
    const { contacts, steps, observer } = this.#options;
    const parties = await steps.run(() => identifyParties(session, message, contacts));
    const event = composeEnvelope({ session, message, reading, parties, metaData });
    if (event.isGroup && !session.enableGroupAi) {
      observer.notAdmitted('group');
      return 'done';
    }
    observer.received(reading.type);
    if (!session.webhookUrl && !session.orgId) this.#noteNoReceiver(event);
    return this.#announce(session, event, isKept);
  }

  /** What could neither be delivered nor kept, because the store was away, is announced again. */
  async #announce(
    session: SessionRecord,
    event: GatewayEvent,
    keptByCaller: boolean,
  ): Promise<'done' | 'interrupted'> {
    const { announcer, steps } = this.#options;
    for (;;) {
      const { interrupted } = await announcer.announce(event, receiverOf(session), { keptByCaller });
      if (!interrupted) return 'done';
      if (steps.stopped) return 'interrupted';
      await steps.back();
    }
  }

  #noteNoReceiver({ clientId, messageId, type }: EventEnvelope): void {
    const why = 'message not delivered: the session has neither a webhook nor an orgId';
    this.#options.log.info({ clientId, messageId, type }, why);
    this.#options.observer.withoutReceiver();
  }

  async #close(clientId: string, journalIds: string[]): Promise<void> {
    if (journalIds.length === 0) return;
    const { store, steps, clock } = this.#options;
    await steps.run(() => store.journal.close(clientId, journalIds, clock.now()));
  }
}

/** Where a session's events go; undefined when delivery is off. */
export function receiverOf(session: SessionRecord): { url: string; token: string } | undefined {
  return session.webhookUrl ? { url: session.webhookUrl, token: session.webhookToken } : undefined;
}
