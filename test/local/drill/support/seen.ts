import type { Arrival, Kept, Observations, Written } from '../../../../src/local/drill/observations.js';

/** The session and the people of invented drills. */
export const SESSION = 'drill1';
export const BOB = '+15550200001';

/** When an invented drill began. */
const BEGAN = Date.parse('2026-11-24T10:00:00Z');
/** Milliseconds between two messages. */
const PACE_MS = 1_000;

export interface Drilled extends Observations {
  written: Written[];
  phones: Map<string, Kept[]>;
  history: Map<string, Kept[]>;
  webhook: Arrival[];
  durable: Arrival[];
  /** The failed deliveries of the webhook, and those of the receiver with durable retries. */
  failed: Map<string, Set<string>>;
  failedDurable: Map<string, Set<string>>;
  waiting: Set<string>;
}

/** The time so many seconds after the begin. */
export function second(count: number): number {
  return BEGAN + count * 1_000;
}

/**
 * A drill of one session in which everything is well: four messages from Bob, and four to him, a second apart; every event
 * comes 100 ms later.
 */
export function healthyDrill(): Drilled {
  const written = [0, 1, 2, 3].flatMap((count) => [message('received', count), message('sent', count)]);
  const kept = () => written.map(({ messageId = '', token }) => ({ messageId, token }));
  const arrivals = (name: string): Arrival[] =>
    written.map(({ messageId = '', token, at }) => ({
      session: SESSION,
      messageId,
      token,
      deliveryId: `${name} ${messageId}`,
      at: at + 100,
      processed: true,
    }));
  const [webhook, durable] = [arrivals('webhook'), arrivals('durable')];
  const failed = new Map<string, Set<string>>();
  const failedDurable = new Map<string, Set<string>>();
  return {
    written,
    phones: new Map([[BOB, kept().filter(({ token }) => token.startsWith('sent'))]]),
    history: new Map([[SESSION, kept()]]),
    waiting: new Set(),
    webhook,
    durable,
    failed,
    failedDurable,
    receivers: [
      { name: 'webhook', ordered: false, mayGiveUp: true, arrivals: webhook, failed },
      { name: 'durable', ordered: true, mayGiveUp: false, arrivals: durable, failed: failedDurable },
    ],
    faults: [],
  };
}

function message(way: Written['way'], count: number): Written {
  const at = BEGAN + count * PACE_MS;
  return {
    token: `${way} ${count}`,
    way,
    sessions: [SESSION],
    lane: way,
    at,
    messageId: `ID-${way}-${count}`,
    outcome: 'accepted',
    answeredAt: at + 50,
    phones: way === 'sent' ? [BOB] : [],
  };
}

/** The entry with this text. */
export function entry<T extends { token: string }>(entries: readonly T[] | undefined, token: string): T {
  const found = entries?.find((one) => one.token === token);
  if (!found) throw new Error(`there is no ${token}`);
  return found;
}

/** Takes the entry with this text away. */
export function remove<T extends { token: string }>(entries: T[] | undefined, token: string): void {
  entries?.splice(entries.indexOf(entry(entries, token)), 1);
}
