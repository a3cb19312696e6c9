import { type Clock, wait } from '../domain/clock.js';
import type { DaemonClient } from './client.js';
import type { HistoryAnswer } from './wire.js';

/** Milliseconds between two looks. */
const POLL_MS = 1_000;
/** Milliseconds without news after which the rest is left to the daemon: a phone sends what it likes, when it likes. */
const IDLE_MS = 60_000;
const COMPLETE = 100;

/** How far the past of a number that was just linked has come. */
export type HistoryItem = { type: 'history' } & HistoryAnswer;

export interface FollowOptions {
  clientId: string;
  /** Ends the following; the daemon goes on. */
  signal: AbortSignal;
  clock: Clock;
}

/**
 * Follows how the past comes into the history, until all of it has or nothing more is heard. The number is linked whatever
 * happens here: a daemon that is away only means that there is no news.
 */
export async function* followHistory(
  client: DaemonClient,
  { clientId, signal, clock }: FollowOptions,
): AsyncGenerator<HistoryItem, void> {
  let shown: HistoryAnswer = { progress: 0, messages: 0 };
  let movedAt = clock.now();
  yield { type: 'history', ...shown };
  while (!signal.aborted && clock.now() - movedAt < IDLE_MS) {
    const history = await look(client, clientId);
    if (history && (history.progress !== shown.progress || history.messages !== shown.messages)) {
      yield { type: 'history', ...history };
      shown = history;
      movedAt = clock.now();
    }
    if (history?.progress === COMPLETE) return;
    await wait(clock, POLL_MS, signal);
  }
}

/** True when the session keeps a history. */
export async function keepsHistory(client: DaemonClient, clientId: string): Promise<boolean> {
  const rows = await client.clients().catch(() => []);
  return rows.some((row) => row.clientId === clientId && row.orgId !== '');
}

async function look(client: DaemonClient, clientId: string): Promise<HistoryAnswer | undefined> {
  const rows = await client.health([clientId]).catch(() => []);
  return rows.find((row) => row.clientId === clientId)?.history;
}
