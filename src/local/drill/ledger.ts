import type { Arrival, FaultWindow, Kept, Observations, ReceiverLog, Written } from './observations.js';

/** Possible faults of a message. */
export type Breach =
  /** The message is missing where it must be. */
  | 'lost'
  /** The message exists more than once: with two ids, two rows, or two delivery ids. */
  | 'twice'
  /** An ordered receiver got the message after a later message of its lane. */
  | 'disordered'
  /** The message arrived late. */
  | 'late'
  /** No request to send the message got a final answer, although there was no fault for minutes. */
  | 'unanswered';

/** Breaches that no documentation allows; `late` is a figure. */
export const FORBIDDEN: ReadonlySet<Breach> = new Set(['lost', 'twice', 'disordered', 'unanswered']);

/** One fault of one message in one place. */
export interface Finding {
  breach: Breach;
  /** `phone`, `history`, `api`, or the name of a receiver. */
  place: string;
  /** The session, or the number of the phone. */
  owner: string;
  token: string;
  /** Message ids; delivery ids for `twice` at a receiver. */
  ids: readonly string[];
  /** The last fault that began before the wrong copy arrived, or without a copy before the message was written; `none` before the first fault. */
  fault: string;
  /** When the message was written. */
  at: number;
  /** For `late`: milliseconds without faults from the send to the arrival. */
  afterMs?: number;
}

/** The fault during which a message was written. */
export function faultAt(faults: readonly FaultWindow[], at: number): string {
  return faults.findLast((fault) => fault.at <= at)?.kind ?? NO_FAULT;
}

export const NO_FAULT = 'none';

/** Milliseconds without faults between `from` and `to`. */
export function healthyMs(faults: readonly FaultWindow[], from: number, to: number): number {
  const broken = faults.map(({ at, mendedAt }) => Math.max(0, Math.min(to, mendedAt) - Math.max(from, at)));
  return Math.max(0, to - from - broken.reduce((sum, ms) => sum + ms, 0));
}

/**
 * Compares the written messages with phones, histories and receivers, one by one.
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
      // the answer to the caller had another id than the phone shows
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
  // a held message counts from when its caller was answered
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

/** The messages whose first copy arrived after a later message of their lane. */
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
    // skip held messages, whose policy decides when they leave
    if (found.message.outcome === 'held') continue;
    const lane = keyOf(session, found.message.lane);
    const before = latest.get(lane) ?? -1;
    if (found.index < before) wrong.push([found.message, arrival]);
    else latest.set(lane, found.index);
  }
  return wrong;
}

/** The events that a receiver has processed, by session and text. */
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
