import { type Clock, endsWithin, wait } from '../../../domain/clock.js';
import { KeyedLock } from '../../../domain/keyed-lock.js';
import { LIMITS } from '../../../domain/limits.js';
import { MultiMap } from '../../../domain/multi-map.js';
import { isSameMessage } from '../../../domain/same-message.js';
import type { PollLookups } from '../../delivery/poll-lookup.js';
import { isSilent } from '../../kinds/content.js';
import type { IncomingMessage, LinkFactory, UnreadableMessage } from '../../link/link.js';
import type { SessionRecord, Store } from '../../store/store.js';
import { admit, isRemembered, Traces } from '../history/traces.js';
import type { Announcements } from '../receivers/announce.js';
import { hasDurable } from '../sessions/receiver-list.js';
import type { SessionEvent } from '../sessions/session.js';
import type { SessionPart } from '../sessions/session-parts.js';
import type { MessageSpans } from '../spans.js';
import { Interrupted } from '../store-retry.js';
import { KnownMessages } from './known-messages.js';
import { originOf } from './origin.js';
import { type InboundMessage, type PipelineOptions, ReceivePipeline } from './pipeline.js';
import { Reader } from './read.js';
import type { UnreadableMessages } from './unreadable.js';
import { PollOptions } from './votes.js';

/** Counts received messages by outcome. */
export interface ReceiveObserver {
  received(type: string): void;
  withoutReceiver(): void;
  unknownKind(name: string): void;
  unreadable(reason: string): void;
  notAdmitted(reason: string): void;
}

interface ReceiverOptions extends Omit<PipelineOptions, 'known' | 'traces' | 'reader'> {
  store: Pick<Store, 'journal' | 'sends' | 'traces' | 'history'>;
  links: Pick<LinkFactory, 'openSecret' | 'decode' | 'restore'>;
  unreadable: Pick<UnreadableMessages, 'found'>;
  lookups: Pick<PollLookups, 'ask'>;
  announcements: Announcements;
  spans: MessageSpans;
  observer: ReceiveObserver;
  clock: Clock;
}

/** A message between its arrival and the closing of its journal entries. */
interface InFlight {
  clientId: string;
  messageId: string;
  /** Keys of its journal entries, or of its own send. */
  entries: readonly string[];
  abandonment: AbortController;
  /** Resolves after the trace and the history write; false when the history should have the message and has not. */
  kept: Promise<boolean>;
  done: Promise<void>;
}

/**
 * Receives messages: admit → `ReceivePipeline` → announce → close the journal. The echo of an own send passes through
 * the same pipeline.
 */
export class Receiver implements SessionPart {
  readonly #options: ReceiverOptions;
  readonly #pipeline: ReceivePipeline;
  readonly #known: KnownMessages;
  /** Messages in flight, by session. */
  readonly #inFlight = new MultiMap<InFlight>();
  /** Messages in flight, by session and message id. */
  readonly #copies = new MultiMap<InFlight>();
  /** The message in flight of each journal entry and own send. */
  readonly #entries = new Map<string, InFlight>();
  /** One lock per chat, for receivers that need the events of a chat in order. */
  readonly #chats = new KeyedLock();

  constructor(options: ReceiverOptions) {
    this.#options = options;
    const { store, links, lookups, retry, observer, log } = options;
    this.#known = new KnownMessages({ store, links, retry });
    const traces = new Traces({ traces: store.traces, retry, log });
    const pollOptions = new PollOptions({ store, links, lookups, retry });
    const reader = new Reader({ links, known: this.#known, pollOptions, observer, log });
    this.#pipeline = new ReceivePipeline({ ...options, known: this.#known, traces, reader });
  }

  hear(event: SessionEvent): void {
    if (event.type === 'unreadable') this.#takeUnreadable(event.session.record, event.message);
    if (event.type !== 'link' || event.event.type !== 'message') return;
    const { message, arrivedAt } = event.event;
    this.receive(event.session.record, message, { startedAt: arrivedAt });
  }

  health(clientId: string): { openJournal: number } {
    return { openJournal: this.#inFlight.count(clientId) };
  }

  /**
   * Receives a message. Waits for the store during an outage; logs other failures and leaves the journal entry open for
   * the next start.
   * @param arrival for its span: when its stanza arrived, or that an earlier run left it open
   */
  receive(
    session: SessionRecord,
    message: IncomingMessage,
    arrival: { startedAt?: number | undefined; isResumed?: boolean } = {},
  ): void {
    const { clientId } = session;
    const entries = message.journalIds.map((id) => `${clientId} ${id}`);
    // redelivered, because the connection was lost before our acknowledgement; the first copy closes the entries
    if (entries.length > 0 && entries.every((entry) => this.#entries.has(entry))) return;
    const standIns = this.#options.unreadable.found(clientId, message);
    const earlier = this.#inFlightOf(clientId, message.messageId);
    this.#begin(session, message, entries, (inbound, onKept) =>
      this.#options.spans.receive({ clientId, messageId: message.messageId }, arrival, async () => {
        const { retry, observer } = this.#options;
        // another copy of the same message
        await Promise.all(earlier);
        const refusal = admit(message) ?? (await retry.run(() => this.#refusalOf(session, message)));
        if (refusal) observer.notAdmitted(refusal);
        else await this.#process(inbound, message.journalIds.length > 0, onKept);
        await this.#close(clientId, [...message.journalIds, ...standIns]);
        return refusal ? 'refused' : 'processed';
      }),
    );
  }

  /** Announces an unreadable message: a placeholder in the history, and an opt-in event. */
  #takeUnreadable(session: SessionRecord, unreadable: UnreadableMessage): void {
    const { clientId } = session;
    const message = { ...unreadable, content: {} };
    const entries = message.journalIds.map((id) => `${clientId} ${id}`);
    if (entries.some((entry) => this.#entries.has(entry))) return;
    const earlier = this.#inFlightOf(clientId, message.messageId);
    this.#begin(session, message, entries, (inbound, onKept) =>
      this.#options.spans.receive({ clientId, messageId: message.messageId }, {}, async () => {
        const { retry, observer } = this.#options;
        await Promise.all(earlier);
        const refusal = admit(message) ?? (await retry.run(() => this.#refusalOf(session, message)));
        if (!refusal) {
          observer.unreadable(unreadable.reason);
          await this.#process({ ...inbound, unreadable: unreadable.reason }, true, onKept);
        }
        await this.#close(clientId, message.journalIds);
        return refusal ? 'refused' : 'unreadable';
      }),
    );
  }

  /**
   * Announces an own send with its caller's `metaData`, and closes its record.
   * @returns whether the history has the message; resolves after `recordWaitMs` at the latest, at once without a history.
   * Never rejects.
   */
  async echo(
    session: SessionRecord,
    message: IncomingMessage,
    { metaData, fileName }: Pick<InboundMessage, 'metaData' | 'fileName'> = {},
  ): Promise<{ recorded: boolean }> {
    const { clientId, orgId } = session;
    const { messageId } = message;
    const entry = `${clientId} sent ${messageId}`;
    const { kept } =
      this.#entries.get(entry) ??
      this.#begin(session, message, [entry], (inbound, onKept) =>
        this.#options.spans.echo({ clientId, messageId }, async () => {
          await this.#process({ ...inbound, metaData, fileName }, true, onKept);
          await this.#options.retry.run(() => this.#options.store.sends.finish(clientId, messageId));
        }),
      );
    if (!orgId) return { recorded: true };
    const inTime = new AbortController();
    const late = wait(this.#options.clock, LIMITS.recordWaitMs, inTime.signal);
    const recorded = await Promise.race([kept, late.then(() => false)]);
    inTime.abort();
    return { recorded };
  }

  /** Resolves when the trace and history row of a message are written, or at once if it is not in flight. */
  settled(clientId: string, messageId: string): Promise<void> {
    return this.#known.settled(clientId, messageId);
  }

  /** The journal entries of the messages in flight. */
  journalIdsInFlight(clientId: string): ReadonlySet<string> {
    const prefix = `${clientId} `;
    const entries = this.#inFlight.of(clientId).flatMap((inFlight) => inFlight.entries);
    return new Set(entries.map((entry) => entry.slice(prefix.length)));
  }

  async idle(clientId?: string): Promise<void> {
    for (;;) {
      const work = clientId === undefined ? this.#inFlight.all() : this.#inFlight.of(clientId);
      if (work.length === 0) return;
      await Promise.allSettled(work.map(({ done }) => done));
    }
  }

  abort(clientId: string): void {
    for (const inFlight of this.#inFlight.of(clientId)) {
      inFlight.abandonment.abort();
      // if the session returns, the journal replays these messages
      this.#forgetEntries(inFlight);
    }
  }

  async end(clientId: string): Promise<void> {
    await endsWithin(this.#options.clock, LIMITS.endGraceMs, this.idle(clientId));
    this.abort(clientId);
  }

  async #close(clientId: string, journalIds: readonly string[]): Promise<void> {
    const { retry, store, clock } = this.#options;
    if (journalIds.length > 0) await retry.run(() => store.journal.close(clientId, journalIds, clock.now()));
  }

  /** Resolve when the messages in flight with this id are done. */
  #inFlightOf(clientId: string, messageId: string): Promise<void>[] {
    return this.#copies.of(`${clientId} ${messageId}`).map(({ done }) => done);
  }

  #forgetEntries(inFlight: InFlight): void {
    for (const entry of inFlight.entries) {
      if (this.#entries.get(entry) === inFlight) this.#entries.delete(entry);
    }
  }

  /** @param work calls `onKept` after the trace and the history write, with the outcome of the write */
  #begin(
    session: SessionRecord,
    message: IncomingMessage,
    entries: readonly string[],
    work: (inbound: InboundMessage, onKept: (recorded: boolean) => void) => Promise<void>,
  ): InFlight {
    const { clientId } = session;
    const abandonment = new AbortController();
    let arrived: () => void = () => undefined;
    let onKept: (recorded: boolean) => void = () => undefined;
    const kept = new Promise<boolean>((resolve) => {
      onKept = (recorded) => {
        arrived();
        resolve(recorded);
      };
    });
    // a copy: a pairing that begins meanwhile does not concern this message
    const inbound = { session: { ...session }, message, abandoned: abandonment.signal };
    const isOrdered = hasDurable(session);
    const chat = `${clientId} ${message.chat}`;
    const turn = isOrdered ? this.#chats.idle(chat) : undefined;
    let onWritten: (() => void) | undefined;
    const written =
      isOrdered &&
      new Promise<void>((resolve) => {
        onWritten = resolve;
      });
    const start = async () => {
      const remembered = isRemembered(message);
      if (remembered) arrived = this.#known.expect(clientId, message.messageId);
      await work({ ...inbound, isRemembered: remembered, turn, onWritten }, onKept);
    };
    const { messageId } = message;
    const inFlight: InFlight = { clientId, messageId, entries, abandonment, kept, done: Promise.resolve() };
    const copyOf = `${clientId} ${messageId}`;
    this.#inFlight.add(clientId, inFlight);
    this.#copies.add(copyOf, inFlight);
    for (const entry of entries) this.#entries.set(entry, inFlight);
    inFlight.done = start()
      .catch((err: unknown) => {
        if (!(err instanceof Interrupted))
          this.#options.log.error({ err, clientId }, 'message not processed');
      })
      .finally(() => {
        onKept(false);
        this.#forgetEntries(inFlight);
        this.#inFlight.delete(clientId, inFlight);
        this.#copies.delete(copyOf, inFlight);
      });
    // the next message of the chat waits for receivers with durable retries only
    if (written) void this.#chats.run(chat, () => Promise.race([inFlight.done, written]));
    return inFlight;
  }

  /** @param isKept the journal or the record of the send keeps the message until it is delivered */
  async #process(
    inbound: InboundMessage,
    isKept: boolean,
    onKept: (recorded: boolean) => void,
  ): Promise<void> {
    const { session, message, unreadable, abandoned, turn, onWritten } = inbound;
    const { announcements, spans } = this.#options;
    const { event, recorded } = await spans.step('store', () => this.#pipeline.keep(inbound));
    onKept(recorded);
    await turn;
    if (!event) return;
    const how = { origin: originOf(session, message), abandoned, written: onWritten };
    if (unreadable) await announcements.unreadable(session, event, unreadable, how);
    else await announcements.message(session, event, { ...how, isKept });
  }

  /**
   * The reason to refuse a message as already announced: this gateway sent it, or the network delivered it before in
   * another encryption. Known for as long as closed journal entries are kept (`closedJournalTtlMs`).
   */
  async #refusalOf(session: SessionRecord, message: IncomingMessage): Promise<string | undefined> {
    const { store, links } = this.#options;
    const { clientId } = session;
    const { messageId, journalIds } = message;
    if (message.fromMe && (await store.sends.get(clientId, messageId))) return 'own echo';
    const copies = await store.journal.ofMessage(clientId, messageId);
    const told = copies.filter(({ id, closedAt }) => closedAt !== undefined && !journalIds.includes(id));
    if (told.length === 0) return undefined;
    const isTold = links
      .restore(told, session)
      .some((copy) => isSameMessage(copy, message) && !isSilent(copy.content));
    return isTold ? 'repeated' : undefined;
  }
}
