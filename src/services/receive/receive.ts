import type { PollLookups } from '../../delivery/lookup.js';
import { type Clock, wait } from '../../domain/clock.js';
import { LIMITS } from '../../domain/limits.js';
import type { MediaExtra } from '../../events/extras.js';
import type { IncomingMessage, LinkFactory } from '../../link/link.js';
import type { Logger } from '../../log.js';
import type { SessionRecord, Store } from '../../store/store.js';
import type { Contacts } from '../contacts.js';
import type { Recorder } from '../inbox/recorder.js';
import type { StoreSteps } from '../store-steps.js';
import { admit } from './admit.js';
import type { Announcer } from './announce.js';
import { Arrivals } from './arrivals.js';
import { KnownMessages } from './known-messages.js';
import { Opener } from './open.js';
import { PollOptions } from './poll-options.js';
import { isRemembered, Reader } from './read.js';
import { Traces } from './traces.js';
import { MessageWay, type ReceiveObserver, type Traveller, type WayOptions } from './way.js';

export { type Announcer, receiverOf } from './announce.js';
export type { ReceiveObserver } from './way.js';

export interface ReceiveOptions {
  store: Pick<Store, 'journal' | 'sends' | 'traces' | 'history'>;
  links: Pick<LinkFactory, 'openSecret' | 'decode'>;
  lookups: Pick<PollLookups, 'ask'>;
  recorder: Pick<Recorder, 'record'>;
  /** The permanent link to a stored file. */
  linkTo(fileId: string, media: MediaExtra): string;
  steps: StoreSteps;
  contacts: Contacts;
  identities: WayOptions['identities'];
  lidSearch: WayOptions['lidSearch'];
  groups: WayOptions['groups'];
  avatarUrl: WayOptions['avatarUrl'];
  announcer: Announcer;
  observer: ReceiveObserver;
  clock: Clock;
  log: Logger;
}

/** What became of an own send in the history. */
export interface Echoed {
  /** False when it should be there and is not, or not yet. */
  recorded: boolean;
}

/** A message on its way. */
interface Journey {
  work: Promise<unknown>;
  /** Its journal entries, or its own send. */
  entries: readonly string[];
  clientId: string;
  kept: Promise<Echoed>;
  /** Ends what it writes. */
  abandonment: AbortController;
}

/** What a journey gives its traveller. */
type Ticket = Pick<Traveller, 'isRemembered' | 'onKept' | 'abandoned'>;

/**
 * An inbound message's way through the house, in named steps: admit → identify → trace → open → read → record →
 * announce → close the journal. The echo of an own send takes the same way.
 */
export class Receiver {
  readonly #options: ReceiveOptions;
  readonly #way: MessageWay;
  readonly #arrivals = new Arrivals();
  readonly #underWay = new Set<Journey>();
  /** Of each journal entry and own send: its message that is on its way. */
  readonly #entries = new Map<string, Journey>();

  constructor(options: ReceiveOptions) {
    this.#options = options;
    const { store, links, lookups, steps, observer, log } = options;
    const arrivals = this.#arrivals;
    const traces = new Traces({ traces: store.traces, steps, log });
    const known = new KnownMessages({ store, links, steps });
    const opener = new Opener({ links, known, log });
    const pollOptions = new PollOptions({ store, links, lookups, steps });
    const reader = new Reader({ arrivals, opener, pollOptions, observer, log });
    this.#way = new MessageWay({ ...options, arrivals, known, traces, reader });
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
    this.#track(snapshot, message, entries, (ticket) => this.#receive(snapshot, message, ticket));
  }

  /**
   * Announces an own send with the caller's metaData, and closes its record.
   * @returns once the history has it: at once without one, and after a while in any case. Never rejects.
   */
  async echo(
    session: SessionRecord,
    message: IncomingMessage,
    metaData?: Record<string, unknown>,
  ): Promise<Echoed> {
    const entry = `${session.clientId} sent ${message.messageId}`;
    const snapshot = { ...session };
    const { kept } =
      this.#entries.get(entry) ??
      this.#track(snapshot, message, [entry], (ticket) => this.#echo(snapshot, message, ticket, metaData));
    if (!session.orgId) return { recorded: true };
    const inTime = new AbortController();
    const late = wait(this.#options.clock, LIMITS.recordWaitMs, inTime.signal);
    const echoed = await Promise.race([kept, late.then(() => ({ recorded: false }))]);
    inTime.abort();
    return echoed;
  }

  /** Resolves when a message is not on its way to being remembered and recorded (any more). */
  settled(clientId: string, messageId: string): Promise<void> {
    return this.#arrivals.settled(clientId, messageId);
  }

  /** Messages of a session that are on their way. */
  underWay(clientId: string): number {
    let count = 0;
    for (const journey of this.#underWay) if (journey.clientId === clientId) count += 1;
    return count;
  }

  /** Resolves when nothing is on its way any more, of one session or of all. */
  async idle(clientId?: string): Promise<void> {
    for (;;) {
      const works = [...this.#underWay].flatMap((journey) =>
        clientId === undefined || journey.clientId === clientId ? [journey.work] : [],
      );
      if (works.length === 0) return;
      await Promise.allSettled(works);
    }
  }

  /** Writes and tells nothing more of what is on its way: the session is not here any more. Should it come back, all begins anew. */
  abandon(clientId: string): void {
    for (const journey of this.#underWay) {
      if (journey.clientId !== clientId) continue;
      journey.abandonment.abort();
      this.#forget(journey);
    }
  }

  #forget(journey: Journey): void {
    for (const entry of journey.entries) {
      if (this.#entries.get(entry) === journey) this.#entries.delete(entry);
    }
  }

  #track(
    { clientId }: SessionRecord,
    message: IncomingMessage,
    entries: readonly string[],
    work: (ticket: Ticket) => Promise<void>,
  ): Journey {
    const abandonment = new AbortController();
    let arrived: () => void = () => undefined;
    let onKept: (recorded: boolean) => void = () => undefined;
    const kept = new Promise<Echoed>((resolve) => {
      onKept = (recorded) => {
        arrived();
        resolve({ recorded });
      };
    });
    const start = async () => {
      const ticket = { isRemembered: isRemembered(message), onKept, abandoned: abandonment.signal };
      if (ticket.isRemembered) arrived = this.#arrivals.begin(clientId, message.messageId);
      await work(ticket);
    };
    const journey: Journey = { clientId, entries, kept, abandonment, work: Promise.resolve() };
    this.#underWay.add(journey);
    for (const entry of entries) this.#entries.set(entry, journey);
    journey.work = start()
      .catch((error: unknown) => this.#options.log.error({ err: error, clientId }, 'message not processed'))
      .finally(() => {
        onKept(false);
        this.#forget(journey);
        this.#underWay.delete(journey);
      });
    return journey;
  }

  async #receive(session: SessionRecord, message: IncomingMessage, ticket: Ticket): Promise<void> {
    const { steps, observer } = this.#options;
    const refusal = admit(message) ?? (await steps.run(() => this.#isOwnEcho(session, message)));
    if (refusal) observer.notAdmitted(refusal);
    else {
      const isKept = message.journalIds.length > 0;
      if ((await this.#way.go({ session, message, isKept, ...ticket })) === 'interrupted') return;
    }
    await this.#close(session.clientId, message.journalIds);
  }

  async #echo(
    session: SessionRecord,
    message: IncomingMessage,
    ticket: Ticket,
    metaData?: Record<string, unknown>,
  ): Promise<void> {
    const { store, steps } = this.#options;
    if ((await this.#way.go({ session, message, metaData, isKept: true, ...ticket })) === 'interrupted')
      return;
    await steps.run(() => store.sends.close(session.clientId, message.messageId));
  }

  /** The network's copy of what this gateway sent itself: already announced when it was sent. */
  async #isOwnEcho(session: SessionRecord, message: IncomingMessage): Promise<string | undefined> {
    if (!message.fromMe) return undefined;
    const sent = await this.#options.store.sends.get(session.clientId, message.messageId);
    return sent ? 'own echo' : undefined;
  }

  async #close(clientId: string, journalIds: string[]): Promise<void> {
    if (journalIds.length === 0) return;
    const { store, steps, clock } = this.#options;
    await steps.run(() => store.journal.close(clientId, journalIds, clock.now()));
  }
}
