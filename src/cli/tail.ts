import type { RoomSignal, TailEntry } from '../delivery/tail.js';
import { type Clock, systemClock, wait } from '../domain/clock.js';
import { CliError } from './cli-error.js';
import type { DaemonClient } from './client.js';
import { readEvents } from './event-stream.js';
import { passes, type TailFilter } from './tail-filter.js';
import { explainConnection } from './transport.js';

/** Milliseconds before the first attempt to come back; doubles up to the longest. */
const FIRST_DELAY_MS = 500;
const LONGEST_DELAY_MS = 10_000;

export interface TailOptions extends TailFilter {
  /** Only this session. */
  clientId?: string;
  /** Ends the tail, without an error. */
  signal: AbortSignal;
  clock?: Clock;
}

export type TailItem =
  /** Connected; `resumed` when it came back and nothing in between was lost. */
  | { type: 'open'; resumed: boolean }
  | { type: 'entry'; id: string; entry: TailEntry }
  /** The connection is gone; the next attempt comes after `delayMs`. */
  | { type: 'reconnecting'; reason: string; delayMs: number };

/** A room of the hosted inbox has changed. What was missed is made up by a first signal that names no room. */
export interface RoomChange {
  type: 'room';
  signal: RoomSignal;
}

/**
 * Everything that happens on a daemon, as it happens. A connection that is lost comes back by itself and goes on after
 * the last entry; only the first one must succeed.
 * @throws CliError when the daemon cannot be reached at first, or refuses.
 */
export async function* tail(client: DaemonClient, options: TailOptions): AsyncGenerator<TailItem> {
  for await (const item of follow(client, options, false)) if (item.type !== 'room') yield item;
}

/** As `tail`, with the rooms that change. */
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
  const place: Place = { lastEventId: undefined, failures: 0, wasOpen: false };
  while (!signal.aborted) {
    try {
      yield* connection(client, options, place, rooms);
      if (!signal.aborted) yield lost('the daemon ended the stream', place);
    } catch (error) {
      if (signal.aborted) return;
      if (!place.wasOpen || isRefusal(error)) throw error;
      yield lost(explainConnection(error), place);
    }
    await wait(clock, delayAfter(place.failures), signal);
  }
}

/** How far this tail has come. */
interface Place {
  lastEventId: string | undefined;
  failures: number;
  wasOpen: boolean;
}

async function* connection(
  client: DaemonClient,
  { clientId, signal, ...filter }: TailOptions,
  place: Place,
  rooms: boolean,
): AsyncGenerator<TailItem | RoomChange> {
  const response = await client.events({ clientId, lastEventId: place.lastEventId, rooms, signal });
  yield { type: 'open', resumed: place.wasOpen };
  Object.assign(place, { wasOpen: true, failures: 0 });
  const began = (id: string) => {
    place.lastEventId ??= id;
  };
  for await (const message of readEvents(response, began)) {
    const entry = parseEntry(message.data);
    if (message.id) place.lastEventId = message.id;
    if (entry?.kind === 'room') yield { type: 'room', signal: entry };
    else if (entry && passes(entry, filter)) yield { type: 'entry', id: message.id ?? '', entry };
  }
}

function lost(reason: string, place: Place): TailItem {
  place.failures += 1;
  return { type: 'reconnecting', reason, delayMs: delayAfter(place.failures) };
}

function delayAfter(failures: number): number {
  return Math.min(FIRST_DELAY_MS * 2 ** Math.max(0, failures - 1), LONGEST_DELAY_MS);
}

/** An answer that will not change by asking again. */
function isRefusal(error: unknown): boolean {
  return error instanceof CliError && ['unauthorized', 'usage', 'not_found'].includes(error.failure);
}

function parseEntry(data: string): TailEntry | RoomSignal | undefined {
  try {
    return JSON.parse(data);
  } catch {
    // a line that is cut short is not worth ending the tail for
    return undefined;
  }
}
