import type { AttemptEntry } from '../../../client/generated/operations.generated.js';
import type { TailEntry } from '../../../contract/events/stream-entry.js';
import type { FleetSession } from '../../../contract/index.js';
import { type Clock, wait } from '../../../domain/clock.js';
import { longestPause } from '../../../domain/retry.js';
import { originOf } from '../../../domain/text.js';
import type { DaemonClient } from '../client.js';

/**
 * Applies an entry of the live stream to the sessions. Counts wait for the next poll, which may already include the entry.
 */
export function afterEntry(sessions: readonly FleetSession[], entry: TailEntry): readonly FleetSession[] {
  if (entry.kind === 'attempt') return changed(sessions, entry.clientId, (row) => afterAttempt(row, entry));
  if (entry.kind !== 'event' || entry.event.event !== 'session.status') return sessions;
  const { status, timestamp, reason, reasonCode, reasonValues, advice } = entry.event;
  return changed(sessions, entry.clientId, (row) => {
    if (row.since > timestamp) return row;
    const since = row.status === status ? row.since : timestamp;
    const given = { reason, reasonCode, reasonValues, advice };
    return { ...row, ...given, status, since, connected: status === 'connected', retryAt: '' };
  });
}

/** True if the entry implies changes that only a poll shows. */
export function needsPoll(entry: TailEntry): boolean {
  return entry.kind === 'dropped' || (entry.kind === 'event' && entry.event.event === 'session.status');
}

function afterAttempt(row: FleetSession, entry: AttemptEntry): FleetSession {
  const { at, type, attempt, outcome, status, reason, durationMs, url } = entry;
  if ((row.webhook.last?.at ?? '') > at) return row;
  const last = { at, origin: originOf(url), type, attempt, outcome, status, reason, durationMs };
  return { ...row, webhook: { ...row.webhook, last } };
}

function changed(
  sessions: readonly FleetSession[],
  clientId: string,
  change: (row: FleetSession) => FleetSession,
): readonly FleetSession[] {
  const place = sessions.findIndex((row) => row.clientId === clientId);
  const row = sessions[place];
  return row ? sessions.with(place, change(row)) : sessions;
}

/** An invalid id, for which the daemon starts with its oldest entry. */
const BEGINNING = '0';
const RECONNECT = { pausesMs: [1_000], endless: true } as const;

/** Follows one session until the signal aborts, from the oldest buffered entry. Never throws. */
export async function followSession({
  client,
  clientId,
  signal,
  clock,
  onEntry,
}: {
  client: DaemonClient;
  clientId: string;
  signal: AbortSignal;
  clock: Clock;
  /** Called in order, first for the entries that the daemon has buffered. */
  onEntry(entry: TailEntry): void;
}): Promise<void> {
  const place = { id: BEGINNING };
  while (!signal.aborted) {
    try {
      for await (const { id: _, ...entry } of await client.events({ clientId }, place, signal)) {
        if (entry.kind !== 'room' && !signal.aborted) onEntry(entry);
      }
    } catch {
      // the fleet's stream reports a lost connection
    }
    await wait(clock, longestPause(RECONNECT), signal);
  }
}

/** Milliseconds between two polls, and between two requested ones. */
const READ_EVERY_MS = 3_000;
const READ_AGAIN_MS = 250;

/** Polls at an interval, one at a time, and earlier on request. */
export class Polling {
  readonly #read: () => Promise<void>;
  readonly #clock: Clock;
  readonly #signal: AbortSignal;
  #wake = new AbortController();

  /** @param read never rejects. */
  constructor(options: { read(): Promise<void>; clock: Clock; signal: AbortSignal }) {
    this.#read = options.read;
    this.#clock = options.clock;
    this.#signal = options.signal;
    this.#signal.addEventListener('abort', () => this.#wake.abort(), { once: true });
  }

  async run(): Promise<void> {
    while (!this.#signal.aborted) {
      this.#wake = new AbortController();
      await this.#read();
      await wait(this.#clock, READ_EVERY_MS, this.#wake.signal);
      // a burst of events must not cause a burst of polls
      if (this.#wake.signal.aborted) await wait(this.#clock, READ_AGAIN_MS, this.#signal);
    }
  }

  /** Requests a poll. */
  soon(): void {
    this.#wake.abort();
  }
}

/** Milliseconds to collect items, so that a burst of events causes one redraw. */
const COLLECT_MS = 50;

/** Collects items and passes them on together. */
export class Batch<Item> {
  readonly #clock: Clock;
  readonly #take: (items: readonly Item[]) => void;
  #items: Item[] = [];
  #cancel: () => void = () => undefined;

  constructor(clock: Clock, take: (items: readonly Item[]) => void) {
    this.#clock = clock;
    this.#take = take;
  }

  add(item: Item): void {
    this.#items.push(item);
    if (this.#items.length === 1) this.#cancel = this.#clock.after(COLLECT_MS, () => this.#flush());
  }

  /** Drops the collected items. */
  clear(): void {
    this.#items = [];
    this.#cancel();
  }

  #flush(): void {
    const items = this.#items;
    this.#items = [];
    this.#take(items);
  }
}
