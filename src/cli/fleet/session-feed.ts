import type { TailEntry } from '../../delivery/tail.js';
import { type Clock, wait } from '../../domain/clock.js';
import type { DaemonClient } from '../client.js';
import { readEvents } from '../event-stream.js';
import { parseObject } from '../json-api.js';

/** No entry has this id, so that the daemon begins with the oldest that it has. */
const BEGINNING = '0';
/** Milliseconds between attempts to come back. */
const AGAIN_AFTER_MS = 1_000;

export interface FeedOptions {
  client: DaemonClient;
  clientId: string;
  signal: AbortSignal;
  clock: Clock;
  /** Called in order, first for what the daemon still has of the past. */
  onEntry(entry: TailEntry): void;
}

/** Follows one session until the signal aborts, from the past that the daemon still has on. Never throws. */
export async function followSession(options: FeedOptions): Promise<void> {
  const { signal, clock } = options;
  const place = { id: BEGINNING };
  while (!signal.aborted) {
    // that the daemon is away is told by the stream of the whole fleet
    await readOn(options, place).catch(() => undefined);
    await wait(clock, AGAIN_AFTER_MS, signal);
  }
}

async function readOn(
  { client, clientId, signal, onEntry }: FeedOptions,
  place: { id: string },
): Promise<void> {
  const response = await client.events({ clientId, lastEventId: place.id, signal });
  for await (const message of readEvents(response)) {
    const entry = parseObject<TailEntry>(message.data);
    if (message.id) place.id = message.id;
    if (entry && !signal.aborted) onEntry(entry);
  }
}
