import { isObject, parseObject } from '../domain/json.js';
import { doubling, pauseAfter } from '../domain/retry.js';
import type { StreamEntry } from './generated/operations.generated.js';

/** Filters of the live stream. */
export interface EventsOptions {
  /** Limits the stream to this session. */
  clientId?: string;
  /** Includes changes of the rooms of the hosted inbox. */
  rooms?: boolean;
  /** Start with the entries of the last `withinMs` milliseconds. */
  withinMs?: number;
  /** Start after the entry with this id. */
  lastEventId?: string;
  /** Ends the stream. */
  signal?: AbortSignal;
  /** Reconnect after a lost connection; true unless named. */
  reconnect?: boolean;
}

/** An entry of the stream; `id` resumes the stream after it. */
export type StreamItem = StreamEntry & { id: string };

type Open = (path: string, headers: Record<string, string>, signal: AbortSignal) => Promise<Response>;

const RECONNECT = { pausesMs: doubling(500, 10_000), endless: true } as const;

/** Reads the live stream, and reconnects as often as necessary. */
export async function* readEvents(
  open: Open,
  options: EventsOptions,
): AsyncGenerator<StreamItem, void, void> {
  const { clientId, rooms, withinMs, lastEventId = '', signal, reconnect = true } = options;
  const leaving = new AbortController();
  const ending = signal ? AbortSignal.any([signal, leaving.signal]) : leaving.signal;
  const query = new URLSearchParams({
    ...(clientId !== undefined && { clientId }),
    ...(rooms && { rooms: 'true' }),
    ...(withinMs !== undefined && { withinMs: String(withinMs) }),
  });
  const path = query.size > 0 ? `/events?${query}` : '/events';
  const place = { id: lastEventId };
  let failures = 0;
  try {
    while (!ending.aborted) {
      try {
        const headers = place.id ? { 'last-event-id': place.id } : undefined;
        const response = await open(path, headers ?? {}, ending);
        failures = 0;
        if (response.body) yield* entriesIn(response.body, place);
      } catch (error) {
        if (ending.aborted) return;
        if (!reconnect || isFinal(error)) throw error;
        failures += 1;
      }
      if (!reconnect) return;
      // after a regular end, reopen the stream after the shortest pause
      await pause(pauseAfter(RECONNECT, failures + 1), ending);
    }
  } finally {
    leaving.abort();
  }
}

/** True for an error that a repetition would meet again: a status below 500 means that the request is wrong. */
function isFinal(error: unknown): boolean {
  const status: unknown = typeof error === 'object' && error !== null && 'status' in error ? error.status : 0;
  return typeof status === 'number' && status >= 400 && status < 500;
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener('abort', () => {
      clearTimeout(timer);
      resolve();
    });
  });
}

/** Characters of one event or unfinished line; a gateway writes far fewer. */
const MAX_CHARACTERS = 32 * 1024 * 1024;

/**
 * The entries in the body of a live stream, until it ends. Skips lines that are not JSON, such as the last line of an
 * interrupted stream.
 * @param place gets the id of the last event, even if that has no data
 */
export async function* entriesIn(
  body: AsyncIterable<Uint8Array>,
  place: { id: string },
): AsyncGenerator<StreamItem, void, void> {
  const decoder = new TextDecoder();
  let rest = '';
  let data = '';
  let id = place.id;
  for await (const chunk of body) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split(/\r?\n/);
    rest = lines.pop() ?? '';
    for (const line of lines) {
      const [, field = '', value = ''] = /^(\w*): ?(.*)$/.exec(line) ?? [];
      if (field === 'id') id = value;
      if (field === 'data') data += value;
      if (line !== '') continue;
      place.id = id;
      const entry = entryOf(data);
      if (entry) yield { ...entry, id };
      data = '';
    }
    if (rest.length + data.length > MAX_CHARACTERS) throw new Error('the answer is not an event stream');
  }
}

function entryOf(data: string): StreamEntry | undefined {
  const value = parseObject(data);
  return isEntry(value) ? value : undefined;
}

/** The fields by which this client recognises each kind of entry; the daemon's contract defines the others. */
const KNOWN_BY = {
  event: { event: isObject },
  attempt: { deliveryId: isText, outcome: isText },
  dropped: { deliveryId: isText, reason: isText },
  room: { chatRoomId: isText },
} satisfies Record<StreamEntry['kind'], Record<string, (value: unknown) => boolean>>;

/** False for kinds that only a newer daemon sends. */
function isEntry(value: unknown): value is StreamEntry {
  if (!isObject(value) || !isText(value.clientId)) return false;
  const known = Object.entries(KNOWN_BY).find(([kind]) => kind === value.kind);
  return known !== undefined && Object.entries(known[1]).every(([field, holds]) => holds(value[field]));
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}
