import { setImmediate } from 'node:timers/promises';
import { type Clock, callAt, DAY_MS } from '../../../domain/clock.js';
import { LIMITS } from '../../../domain/limits.js';
import type { Logger } from '../../log.js';
import type { Store } from '../../store/store.js';
import { keptSince } from '../history/kept-since.js';
import type { KeptEvents } from '../receivers/kept-events.js';
import type { HeldSends } from '../sending/held-sends.js';
import type { SessionRegistry } from '../sessions/registry.js';
import type { SessionPart } from '../sessions/session-parts.js';

/** Milliseconds between two rounds. */
const INTERVAL_MS = 60 * 60_000;

/** Deletes expired data once an hour, so that no table grows without a bound. */
export class Housekeeping implements SessionPart {
  readonly #options;
  #cancel: () => void = () => undefined;
  #isStarted = false;
  #isStopped = false;

  constructor(options: {
    store: Pick<
      Store,
      'journal' | 'sends' | 'traces' | 'history' | 'files' | 'idempotency' | 'failedDeliveries' | 'keptEvents'
    >;
    sessions: Pick<SessionRegistry, 'views' | 'has' | 'get'>;
    /** Held messages; messages of a session that does not connect expire too. */
    held: Pick<HeldSends, 'watch'>;
    keptEvents: Pick<KeptEvents, 'prune'>;
    /** Days after which messages and files are deleted, unless a session says otherwise; 0 for never. */
    retentionDays: number;
    clock: Clock;
    log: Logger;
  }) {
    this.#options = options;
  }

  /** Cleans up at once for a session that arrives later, for example from another node. */
  async resume(clientId: string): Promise<void> {
    if (!this.#isStarted) return;
    const { sessions, held, clock } = this.#options;
    if (!sessions.has(clientId)) return;
    void this.#logged(clientId, this.#applyRetentionTo(clientId, clock.now()));
    void this.#logged(clientId, this.#pruneEventsOf(clientId));
    void this.#logged(clientId, held.watch(clientId));
  }

  /** Runs the first round at once: a daemon that is restarted often must clean up too. */
  started(): void {
    this.#isStarted = true;
    void this.clean();
    const { clock } = this.#options;
    this.#cancel = callAt(clock, clock.now() + INTERVAL_MS, () => this.started());
  }

  stop(): void {
    this.#isStopped = true;
    this.#cancel();
  }

  /** One round; a failure is logged, and repeated in the next round. */
  async clean(): Promise<void> {
    const { store, clock, log } = this.#options;
    const now = clock.now();
    const { journal, sends, traces, history, idempotency, failedDeliveries, keptEvents } = store;
    const results = await Promise.allSettled([
      journal.prune(now - LIMITS.closedJournalTtlMs),
      sends.prune(now - LIMITS.sentMessageTtlMs),
      traces.prune(now - LIMITS.traceTtlMs),
      history.prunePending(now - LIMITS.traceTtlMs),
      idempotency.prune(now - LIMITS.idempotencyTtlMs),
      failedDeliveries.prune(now - LIMITS.failedDeliveryTtlMs),
      // events that no session prunes, such as those written while `keepEvents` was being turned off
      keptEvents.prune(now - LIMITS.keepEventsDays * DAY_MS),
      this.#ofSessions((clientId) => this.#applyRetentionTo(clientId, now)),
      this.#ofSessions((clientId) => this.#pruneEventsOf(clientId)),
      this.#ofSessions((clientId) => this.#options.held.watch(clientId)),
    ]);
    for (const result of results) {
      if (result.status === 'rejected') log.warn({ err: result.reason }, 'housekeeping failed');
    }
  }

  /**
   * Runs the work for each session of this node in turn; damaged rows of one session do not stop the others. Yields
   * between sessions: SQLite answers synchronously, so that thousands of sessions would block the event loop.
   */
  async #ofSessions(work: (clientId: string) => Promise<void>): Promise<void> {
    const { sessions } = this.#options;
    for (const { clientId } of sessions.views()) {
      if (this.#isStopped) return;
      if (sessions.has(clientId)) await this.#logged(clientId, work(clientId));
      await setImmediate();
    }
  }

  #logged(clientId: string, work: Promise<void>): Promise<void> {
    const { log } = this.#options;
    return work.catch((err: unknown) => log.warn({ err, clientId }, 'housekeeping failed'));
  }

  async #pruneEventsOf(clientId: string): Promise<void> {
    const { sessions, keptEvents } = this.#options;
    const days = sessions.get(clientId).keepEvents ?? 0;
    if (days > 0) await keptEvents.prune(clientId, days);
  }

  /** Deletes old messages and files. */
  async #applyRetentionTo(clientId: string, now: number): Promise<void> {
    const { store, sessions, retentionDays } = this.#options;
    const before = keptSince(sessions.get(clientId), retentionDays, now);
    if (before === 0) return;
    const messages = await store.history.prune(before, clientId);
    await store.files.prune(before, clientId);
    if (messages === 0) return;
    // messages deleted here may have been unread
    for (const { chatRoomId } of await store.history.rooms(clientId)) {
      await store.history.checkRoom(clientId, chatRoomId, { repair: true });
    }
  }
}
