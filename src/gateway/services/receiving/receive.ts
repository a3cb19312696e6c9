import { STATUS_JID } from '../../../domain/address.js';
import { type Clock, endsWithin, wait } from '../../../domain/clock.js';
import { Deferred } from '../../../domain/deferred.js';
import { KeyedLock } from '../../../domain/keyed-lock.js';
import { LIMITS } from '../../../domain/limits.js';
import { MultiMap } from '../../../domain/multi-map.js';
import { isSameMessage } from '../../../domain/same-message.js';
import { sessionMessage } from '../../../domain/session-message.js';
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
import { StatusPosts } from './status-posts.js';
import type { UnreadableMessages } from './unreadable.js';
import { PollOptions } from './votes.js';

/** Counts received messages by outcome. */
export interface ReceiveObserver {
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
  inbound: InboundMessage;
  /** Other copies of the message that were in flight before. */
  earlier: readonly Promise<void>[];
  /** Resolved when later messages can find this one; absent if none may refer to it. */
  arrived: Deferred | undefined;
  /** Resolved after the trace and the history write; false when the history should have the message and has not. */
  kept: Deferred<boolean>;
  /** Its place among the messages of its chat; present if a receiver needs the events of a chat in order. */
  order:
    | { /** Resolves when the earlier ones are announced. */ turn: Promise<void>; written: Deferred }
    | undefined;
  done: Promise<void>;
}

/**
 * Receives messages: admit → `ReceivePipeline` → announce → close the journal. The echo of an own send passes through
 * the same pipeline.
 */
export class InboundMessages implements SessionPart {
  /** Earlier messages, to which others refer. */
  readonly known: KnownMessages;
  readonly #options: ReceiverOptions;
  readonly #pipeline: ReceivePipeline;
  readonly #posts: StatusPosts;
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
    this.known = new KnownMessages({ store, links, retry });
    const traces = new Traces({ traces: store.traces, retry, log });
    const pollOptions = new PollOptions({ store, links, lookups, retry });
    const reader = new Reader({ links, known: this.known, pollOptions, observer, log });
    this.#posts = new StatusPosts({ ...options, known: this.known });
    this.#pipeline = new ReceivePipeline({ ...options, known: this.known, traces, reader });
  }

  hear(heard: SessionEvent): void {
    if (heard.type === 'stays_unreadable') this.#takeUnreadable(heard.session.record, heard.message);
    if (heard.type !== 'link' || heard.event.type !== 'message') return;
    const { message, arrivedAt } = heard.event;
    this.receive(heard.session.record, message, { startedAt: arrivedAt });
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
    const inFlight = this.#begin(session, { message }, entries);
    const named = { clientId, messageId: message.messageId };
    const { spans } = this.#options;
    this.#track(inFlight, () => spans.receive(named, arrival, () => this.#receive(inFlight, standIns)));
  }

  /** Announces an unreadable message: a placeholder in the history, and an opt-in event. */
  #takeUnreadable(session: SessionRecord, { reason, recovery: _, ...rest }: UnreadableMessage): void {
    const { clientId } = session;
    const message = { ...rest, content: {} };
    const entries = message.journalIds.map((id) => `${clientId} ${id}`);
    if (entries.some((entry) => this.#entries.has(entry))) return;
    const inFlight = this.#begin(session, { message, unreadable: reason }, entries);
    const named = { clientId, messageId: message.messageId };
    const { spans } = this.#options;
    this.#track(inFlight, () => spans.receive(named, {}, () => this.#receive(inFlight, [])));
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
    let inFlight = this.#entries.get(entry);
    if (!inFlight) {
      const begun = this.#begin(session, { message, metaData, fileName }, [entry]);
      const { spans } = this.#options;
      this.#track(begun, () => spans.echo({ clientId, messageId }, () => this.#echo(begun)));
      inFlight = begun;
    }
    if (!orgId) return { recorded: true };
    const inTime = new AbortController();
    const late = wait(this.#options.clock, LIMITS.recordWaitMs, inTime.signal);
    const recorded = await Promise.race([inFlight.kept.promise, late.then(() => false)]);
    inTime.abort();
    return { recorded };
  }

  /** Resolves when the trace and history row of a message are written, or at once if it is not in flight. */
  settled(clientId: string, messageId: string): Promise<void> {
    return this.known.settled(clientId, messageId);
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

  /** admit → keep → announce → close. @param standIns journal entries of unreadable copies, to be closed with this one */
  async #receive(
    inFlight: InFlight,
    standIns: readonly string[],
  ): Promise<'processed' | 'unreadable' | 'refused'> {
    const { session, message, unreadable } = inFlight.inbound;
    const { retry, observer } = this.#options;
    await Promise.all(inFlight.earlier);
    // a status has an event of its own, unless nobody can read it
    const isStatus = message.chat === STATUS_JID && !unreadable;
    const refusal =
      (isStatus ? undefined : admit(message)) ?? (await retry.run(() => this.#refusalOf(session, message)));
    if (refusal && !unreadable) observer.notAdmitted(refusal);
    if (!refusal) {
      if (unreadable) observer.unreadable(unreadable);
      await this.#announce(inFlight, unreadable !== undefined || message.journalIds.length > 0);
    }
    await this.#close(session.clientId, [...message.journalIds, ...standIns]);
    if (refusal) return 'refused';
    return unreadable ? 'unreadable' : 'processed';
  }

  async #echo(inFlight: InFlight): Promise<void> {
    const { clientId, messageId } = inFlight;
    const { retry, store } = this.#options;
    await this.#announce(inFlight, true);
    await retry.run(() => store.sends.finish(clientId, messageId));
  }

  /** @param isKept the journal or the record of the send keeps the message until it is delivered */
  async #announce(inFlight: InFlight, isKept: boolean): Promise<void> {
    const { inbound, arrived, kept, order } = inFlight;
    const { session, message, unreadable, abandoned } = inbound;
    const { announcements, spans } = this.#options;
    if (message.chat === STATUS_JID) {
      kept.resolve(true);
      await order?.turn;
      return this.#posts.announce(inbound, order?.written);
    }
    const isRemembered = arrived !== undefined;
    const { event, recorded } = await spans.step('store', () => this.#pipeline.keep(inbound, isRemembered));
    arrived?.resolve();
    kept.resolve(recorded);
    await order?.turn;
    if (!event) return;
    const how = { origin: originOf(session, message), abandoned, written: order?.written };
    if (unreadable) await announcements.unreadable(session, event, unreadable, how);
    else await announcements.message(session, event, { ...how, isKept });
  }

  async #close(clientId: string, journalIds: readonly string[]): Promise<void> {
    const { retry, store, clock } = this.#options;
    if (journalIds.length > 0) await retry.run(() => store.journal.close(clientId, journalIds, clock.now()));
  }

  #begin(
    session: SessionRecord,
    asked: Omit<InboundMessage, 'session' | 'abandoned'>,
    entries: readonly string[],
  ): InFlight {
    const { clientId } = session;
    const { messageId, chat } = asked.message;
    const abandonment = new AbortController();
    const copyOf = sessionMessage(clientId, messageId);
    const isOrdered = hasDurable(session);
    const inFlight: InFlight = {
      ...{ clientId, messageId, entries, abandonment },
      // a copy: a pairing that begins meanwhile does not concern this message
      inbound: { ...asked, session: { ...session }, abandoned: abandonment.signal },
      earlier: this.#copies.of(copyOf).map(({ done }) => done),
      arrived: undefined,
      kept: new Deferred(),
      order: isOrdered
        ? { turn: this.#chats.idle(`${clientId} ${chat}`), written: new Deferred() }
        : undefined,
      done: Promise.resolve(),
    };
    this.#inFlight.add(clientId, inFlight);
    this.#copies.add(copyOf, inFlight);
    for (const entry of entries) this.#entries.set(entry, inFlight);
    return inFlight;
  }

  /** Works on a message, and forgets it when the work has ended. */
  #track(inFlight: InFlight, work: () => Promise<void>): void {
    const { clientId, messageId, inbound, order } = inFlight;
    const start = async () => {
      // later messages that refer to this one wait for it
      if (isRemembered(inbound.message)) inFlight.arrived = this.known.expect(clientId, messageId);
      await work();
    };
    inFlight.done = start()
      .catch((err: unknown) => {
        if (!(err instanceof Interrupted))
          this.#options.log.error({ err, clientId }, 'message not processed');
      })
      .finally(() => {
        inFlight.arrived?.resolve();
        inFlight.kept.resolve(false);
        this.#forgetEntries(inFlight);
        this.#inFlight.delete(clientId, inFlight);
        this.#copies.delete(sessionMessage(clientId, messageId), inFlight);
      });
    if (!order) return;
    // the next message of the chat waits for receivers with durable retries only
    const ordered = () => Promise.race([inFlight.done, order.written.promise]);
    void this.#chats.run(`${clientId} ${inbound.message.chat}`, ordered);
  }

  #forgetEntries(inFlight: InFlight): void {
    for (const entry of inFlight.entries) {
      if (this.#entries.get(entry) === inFlight) this.#entries.delete(entry);
    }
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
