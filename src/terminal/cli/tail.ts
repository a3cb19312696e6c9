import type { RoomSignal, TailEntry } from '../../contract/events/stream-entry.js';
import { type Clock, systemClock, wait } from '../../domain/clock.js';
import { doubling, pauseAfter } from '../../domain/retry.js';
import type { DaemonClient } from './client.js';
import { CliError } from './errors.js';
import { explainConnection } from './http.js';

const RECONNECT = { pausesMs: doubling(500, 10_000), endless: true } as const;

export interface TailOptions extends TailFilter {
  clientId?: string;
  /** Ends the tail without an error. */
  signal: AbortSignal;
  clock?: Clock;
}

export type TailItem =
  /** Connected; `resumed` after a reconnect without a gap. */
  | { type: 'open'; resumed: boolean }
  | { type: 'entry'; id: string; entry: TailEntry }
  /** Connection lost; the next attempt follows after `delayMs`. */
  | { type: 'reconnecting'; reason: string; delayMs: number };

/** A room of the hosted inbox changed. After a reconnect, a first signal without a room stands for all missed ones. */
export interface RoomChange {
  type: 'room';
  signal: RoomSignal;
}

/**
 * Follows the live stream of a daemon. Reconnects and continues after the last entry, once the first connection
 * succeeded.
 * @throws CliError if the first connection fails, or the daemon refuses
 */
export async function* tail(client: DaemonClient, options: TailOptions): AsyncGenerator<TailItem> {
  for await (const item of follow(client, options, false)) if (item.type !== 'room') yield item;
}

/** Like `tail`, with changed rooms. */
export function tailWithRooms(
  client: DaemonClient,
  options: TailOptions,
): AsyncGenerator<TailItem | RoomChange> {
  return follow(client, options, true);
}

async function* follow(
  client: DaemonClient,
  options: TailOptions,
  rooms: boolean,
): AsyncGenerator<TailItem | RoomChange> {
  const { signal, clock = systemClock } = options;
  const place: StreamCursor = { id: '', failures: 0, wasOpen: false };
  while (!signal.aborted) {
    try {
      yield* connection(client, options, place, rooms);
      if (!signal.aborted) yield lost('the daemon ended the stream', place);
    } catch (error) {
      if (signal.aborted) return;
      if (!place.wasOpen || isRefusal(error)) throw error;
      yield lost(explainConnection(error), place);
    }
    await wait(clock, pauseAfter(RECONNECT, place.failures), signal);
  }
}

interface StreamCursor {
  /** Id of the last entry. */
  id: string;
  failures: number;
  wasOpen: boolean;
}

async function* connection(
  client: DaemonClient,
  { clientId, signal, ...filter }: TailOptions,
  place: StreamCursor,
  rooms: boolean,
): AsyncGenerator<TailItem | RoomChange> {
  const items = await client.events({ clientId, rooms: rooms || undefined }, place, signal);
  yield { type: 'open', resumed: place.wasOpen };
  Object.assign(place, { wasOpen: true, failures: 0 });
  for await (const { id, ...entry } of items) {
    if (entry.kind === 'room') yield { type: 'room', signal: entry };
    else if (passes(entry, filter)) yield { type: 'entry', id, entry };
  }
}

function lost(reason: string, place: StreamCursor): TailItem {
  place.failures += 1;
  return { type: 'reconnecting', reason, delayMs: pauseAfter(RECONNECT, place.failures) };
}

/** True if retrying is pointless. */
function isRefusal(error: unknown): boolean {
  return error instanceof CliError && ['unauthorized', 'usage', 'not_found'].includes(error.failure);
}

/** Outcomes of an attempt, and `dropped` for a delivery without further attempts. */
export const OUTCOMES = ['delivered', 'rejected', 'failed', 'dropped'] as const;
export const ERRORS: readonly Outcome[] = ['rejected', 'failed', 'dropped'];

export type Outcome = (typeof OUTCOMES)[number];

/** Filter of entries; an absent or empty list matches everything. */
export interface TailFilter {
  /** Types of events, attempts and drops. */
  types?: readonly string[];
  /** Matches attempts and drops only. */
  outcomes?: readonly string[];
}

/** Entries of unknown kinds have neither type nor outcome. */
export function passes(entry: TailEntry, { types = [], outcomes = [] }: TailFilter): boolean {
  return holds(types, typeOf(entry)) && holds(outcomes, outcomeOf(entry));
}

function holds(wanted: readonly string[], value: string): boolean {
  return wanted.length === 0 || wanted.includes(value);
}

function typeOf(entry: TailEntry): string {
  return (entry.kind === 'event' ? entry.event.type : entry.type) ?? '';
}

function outcomeOf(entry: TailEntry): string {
  if (entry.kind === 'dropped') return 'dropped';
  return entry.kind === 'attempt' ? entry.outcome : '';
}

/**
 * Follows a session's events in the background, to poll earlier than the interval. If there is no stream, for example
 * behind a buffering proxy, polling alone is enough.
 */
export function watchSession(
  client: DaemonClient,
  clientId: string,
  signal: AbortSignal,
): {
  nextChange(): AbortSignal;
  stop(): void;
} {
  const end = new AbortController();
  const ended = AbortSignal.any([signal, end.signal]);
  let change = new AbortController();
  void follow();
  return {
    nextChange() {
      if (change.signal.aborted) change = new AbortController();
      return AbortSignal.any([ended, change.signal]);
    },
    stop: () => end.abort(),
  };

  async function follow(): Promise<void> {
    try {
      for await (const item of tail(client, { clientId, types: ['session_status'], signal: ended })) {
        if (item.type === 'entry') change.abort();
      }
    } catch {
      // the next poll tries again
    }
  }
}
