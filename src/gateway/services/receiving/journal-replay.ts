import type { Clock } from '../../../domain/clock.js';
import type { JournalEntry } from '../../../domain/signal-state.js';
import type { LinkFactory } from '../../link/link.js';
import type { Logger } from '../../log.js';
import type { Store } from '../../store/store.js';
import type { HistoryImports } from '../history/imports.js';
import type { Session } from '../sessions/session.js';
import type { SessionPart } from '../sessions/session-parts.js';
import type { InboundMessages } from './receive.js';
import type { UnreadableMessages } from './unreadable.js';

/** Finishes open journal entries that no work in flight will close. */
export class JournalReplay implements SessionPart {
  readonly #options;

  constructor(options: {
    sessions: { find(clientId: string): Session };
    store: Pick<Store, 'journal'>;
    links: Pick<LinkFactory, 'history' | 'restore' | 'restoreUnreadable'>;
    inbound: Pick<InboundMessages, 'receive' | 'journalIdsInFlight'>;
    unreadable: Pick<UnreadableMessages, 'take' | 'tellAll'>;
    imports: Pick<HistoryImports, 'take'>;
    clock: Clock;
    log: Logger;
  }) {
    this.#options = options;
  }

  /** Finishes the messages, and the parts of the history, that an earlier run or another node left open. */
  async resume(clientId: string): Promise<void> {
    const { sessions, store, imports } = this.#options;
    const session = sessions.find(clientId);
    const open = await store.journal.open(clientId);
    if (open.length === 0) return;
    const past = this.#partsOfHistory(session, open);
    for (const journalId of past) imports.take(session, journalId, true);
    await this.#finish(
      session,
      open.filter(({ id }) => !past.has(id)),
    );
  }

  /**
   * Announces the remaining messages of a session whose link an export has closed. Unreadable messages are announced as
   * unreadable, because no link can ask for them; a readable copy goes to the other Switchboard.
   */
  async announceRest(clientId: string): Promise<void> {
    const { sessions, store, inbound } = this.#options;
    const session = sessions.find(clientId);
    // taken before the read: a message that ends during the read must not be announced twice
    const inFlight = inbound.journalIdsInFlight(clientId);
    const open = await store.journal.open(clientId);
    const past = this.#partsOfHistory(session, open);
    await this.#finish(
      session,
      open.filter(({ id }) => !past.has(id) && !inFlight.has(id)),
    );
  }

  #partsOfHistory({ record }: Session, open: readonly JournalEntry[]): Set<string> {
    const { links } = this.#options;
    return new Set(open.flatMap((entry) => (links.history(entry, record.proxy) ? entry.id : [])));
  }

  async #finish(session: Session, entries: readonly JournalEntry[]): Promise<void> {
    const { store, links, inbound, unreadable, clock, log } = this.#options;
    const { clientId, record } = session;
    const unread = links.restoreUnreadable(entries, record);
    for (const message of unread) unreadable.take(session, message);
    if (record.exportedAt > 0) unreadable.tellAll(clientId);
    const messages = links.restore(entries, record);
    if (messages.length > 0) log.info({ clientId, messages: messages.length }, 'finishing open messages');
    for (const message of messages) inbound.receive(record, message, { isResumed: true });
    // entries without a message (keys, settings) need no second look
    const restored = new Set([...messages, ...unread].flatMap(({ journalIds }) => journalIds));
    const rest = entries.flatMap(({ id }) => (restored.has(id) ? [] : [id]));
    if (rest.length > 0) await store.journal.close(clientId, rest, clock.now());
  }
}
