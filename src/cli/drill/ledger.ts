import type { Arrival, FaultWindow, Kept, Observations, ReceiverLog, Written } from './observations.js';

/** What can be wrong with a message. */
export type Breach =
  /** It is missing where it must be. */
  | 'lost'
  /** It is there more than once: under two ids, two rows, or with two delivery ids. */
  | 'twice'
  /** A receiver with an order of chats got it after a later message of its lane. */
  | 'disordered'
  /** It came, but late. */
  | 'late'
  /** No request to send it had a final answer, though all was well again for minutes. */
  | 'unanswered';

/** Breaches that no documentation allows; `late` is a figure. */
export const FORBIDDEN: ReadonlySet<Breach> = new Set(['lost', 'twice', 'disordered', 'unanswered']);

/** One message that is not as it must be in one place. */
export interface Finding {
  breach: Breach;
  /** `phone`, `history`, `api`, or the name of a receiver. */
  place: string;
  /** The session, or the number of the phone. */
  owner: string;
  token: string;
  /** Message ids; delivery ids for `twice` at a receiver. */
  ids: readonly string[];
  /**
   * The fault that was the last one to begin before the copy that is wrong came, or else before the message was written;
   * `none` before the first.
   */
  fault: string;
  /** When the message was written. */
  at: number;
  /** Of `late`: milliseconds without a fault for which it was on its way. */
  afterMs?: number;
}

/** The fault in whose time a message was written. */
export function faultAt(faults: readonly FaultWindow[], at: number): string {
  return faults.findLast((fault) => fault.at <= at)?.kind ?? NO_FAULT;
}

export const NO_FAULT = 'none';

/** How much of the time from `from` to `to` was free of faults, in milliseconds. */
export function healthyMs(faults: readonly FaultWindow[], from: number, to: number): number {
  const broken = faults.map(({ at, mendedAt }) => Math.max(0, Math.min(to, mendedAt) - Math.max(from, at)));
  return Math.max(0, to - from - broken.reduce((sum, ms) => sum + ms, 0));
}

/**
 * Compares what was written with phones, histories and receivers, message by message.
 * @param lateAfterMs milliseconds without a fault after which an event is late
 */
export function compare(seen: Observations, lateAfterMs: number): Finding[] {
  const { written, phones, history, receivers, faults } = seen;
  const wrong = (
    message: Written,
    finding: Omit<Finding, 'token' | 'fault' | 'at'>,
    noticedAt = message.at,
  ): Finding => ({
    ...finding,
    token: message.token,
    fault: faultAt(faults, noticedAt),
    at: message.at,
  });
  const onPhones = mapValues(phones, byToken);
  const inHistory = mapValues(history, byToken);
  const kept = written.flatMap((message) => {
    const { messageId, sessions } = message;
    const isUnanswered = message.outcome === 'unanswered';
    const isExpected = !isUnanswered && mustArrive(message, seen);
    const look = (place: string, owner: string, all: readonly Kept[] = []) => {
      const ids = all.map((one) => one.messageId);
      if (ids.length > 1) return [wrong(message, { breach: 'twice', place, owner, ids })];
      if (ids.length === 0 && isExpected) return [wrong(message, { breach: 'lost', place, owner, ids })];
      // the caller was answered with another id than the phone shows
      const isOther = messageId !== undefined && ids.length === 1 && ids[0] !== messageId;
      return isOther ? [wrong(message, { breach: 'twice', place, owner, ids: [...ids, messageId] })] : [];
    };
    const about = { breach: 'unanswered', place: 'api', owner: sessions[0] ?? '', ids: [] } as const;
    return [
      ...(isUnanswered ? [wrong(message, about)] : []),
      ...message.phones.flatMap((number) => look('phone', number, onPhones.get(number)?.get(message.token))),
      ...sessions.flatMap((session) => look('history', session, inHistory.get(session)?.get(message.token))),
    ];
  });
  const told = receivers.flatMap((receiver) => {
    const arrivals = processedBy(receiver);
    return written.flatMap((message) =>
      message.sessions.flatMap((session) => {
        const about = { place: receiver.name, owner: session };
        const all = arrivals.get(keyOf(session, message.token)) ?? [];
        return atReceiver(message, session, all, receiver, seen, lateAfterMs).map(
          ({ noticedAt, ...finding }) => wrong(message, { ...about, ...finding }, noticedAt),
        );
      }),
    );
  });
  const disordered = receivers
    .filter(({ ordered }) => ordered)
    .flatMap((receiver) =>
      outOfOrder(written, receiver).map(([message, { session: owner, messageId, at }]) =>
        wrong(message, { breach: 'disordered', place: receiver.name, owner, ids: [messageId] }, at),
      ),
    );
  return [...kept, ...told, ...disordered];
}

type AtReceiver = Pick<Finding, 'breach' | 'ids' | 'afterMs'> & { noticedAt?: number };

/** The breaches of one message of one session at one receiver. */
function atReceiver(
  message: Written,
  session: string,
  arrivals: readonly Arrival[],
  receiver: ReceiverLog,
  seen: Observations,
  lateAfterMs: number,
): AtReceiver[] {
  const { messageId, outcome, answeredAt, at } = message;
  const [first] = arrivals;
  if (!first) {
    const mayBeMissing = receiver.mayGiveUp && receiver.failed.get(session)?.has(messageId ?? '') === true;
    const isExpected = outcome !== 'unanswered' && mustArrive(message, seen) && !mayBeMissing;
    return isExpected ? [{ breach: 'lost', ids: messageId === undefined ? [] : [messageId] }] : [];
  }
  const found: AtReceiver[] = [];
  const messageIds = [...new Set(arrivals.map((arrival) => arrival.messageId))];
  const deliveryIds = [...new Set(arrivals.map(({ deliveryId }) => deliveryId))];
  const isOther = (arrival: Arrival) =>
    arrival.messageId !== first.messageId || arrival.deliveryId !== first.deliveryId;
  const noticedAt = arrivals.find(isOther)?.at ?? first.at;
  if (messageIds.length > 1) found.push({ breach: 'twice', ids: messageIds, noticedAt });
  else if (deliveryIds.length > 1) found.push({ breach: 'twice', ids: deliveryIds, noticedAt });
  // a held message leaves when its policy says so
  const afterMs = healthyMs(seen.faults, answeredAt ?? at, first.at);
  if (outcome === 'accepted' && afterMs > lateAfterMs) {
    found.push({ breach: 'late', ids: [first.messageId], afterMs });
  }
  return found;
}

/** False for a message that was refused, or still waits for its policy. */
function mustArrive({ outcome, messageId }: Written, { waiting }: Observations): boolean {
  if (outcome === 'refused') return false;
  return outcome !== 'held' || messageId === undefined || !waiting.has(messageId);
}

/** The messages that came after a later one of their lane, by their first copies. */
function outOfOrder(written: readonly Written[], receiver: ReceiverLog): [Written, Arrival][] {
  const known = new Map(
    written.flatMap((message, index) =>
      message.sessions.map((session) => [keyOf(session, message.token), { message, index }] as const),
    ),
  );
  const latest = new Map<string, number>();
  const seen = new Set<string>();
  const wrong: [Written, Arrival][] = [];
  for (const arrival of receiver.arrivals) {
    const { session, token, processed } = arrival;
    const key = keyOf(session, token);
    const found = known.get(key);
    if (!found || !processed || seen.has(key)) continue;
    seen.add(key);
    // the policy chooses when a held message leaves
    if (found.message.outcome === 'held') continue;
    const lane = keyOf(session, found.message.lane);
    const before = latest.get(lane) ?? -1;
    if (found.index < before) wrong.push([found.message, arrival]);
    else latest.set(lane, found.index);
  }
  return wrong;
}

/** The events that a receiver took over, by session and text. */
export function processedBy({ arrivals }: Pick<ReceiverLog, 'arrivals'>): Map<string, Arrival[]> {
  return grouped(
    arrivals.filter(({ processed }) => processed),
    ({ session, token }) => keyOf(session, token),
  );
}

export function keyOf(session: string, token: string): string {
  return `${session}\n${token}`;
}

function byToken(kept: readonly Kept[]): Map<string, Kept[]> {
  return grouped(kept, ({ token }) => token);
}

function grouped<T>(entries: readonly T[], keyFor: (entry: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const entry of entries) {
    const key = keyFor(entry);
    const group = groups.get(key);
    if (group) group.push(entry);
    else groups.set(key, [entry]);
  }
  return groups;
}

function mapValues<T, U>(map: ReadonlyMap<string, T>, change: (value: T) => U): Map<string, U> {
  return new Map([...map].map(([key, value]) => [key, change(value)]));
}
