import { DAY_MS, type EpochMs } from '../clock.js';
import type { Policy } from './policy.js';
import {
  allowedAt,
  type ChatStanding,
  judge,
  type NumberState,
  type Refusal,
  type RuleName,
} from './rules.js';
import { type CountedSend, SendCounts } from './send-counts.js';

const HOUR_MS = DAY_MS / 24;

/** A past or planned send. */
export interface PlannedSend {
  at: EpochMs;
  /** Jid of the person or group. */
  to: string;
  /** Jid of the person's phone number, if `to` is another jid. */
  pn?: string;
  /** How far the chat had come before the send; default: new for a person who got no earlier message of the plan. */
  standing?: ChatStanding;
  text?: string;
  groupSize?: number;
  /** True if the person is known to be on the network, so that a first message needs no look-up. */
  isKnown?: boolean;
}

/** Rules that at any time refuse either all first messages or none. */
const OF_ALL: ReadonlySet<RuleName> = new Set([
  'newChatsPerDay',
  'newChatGap',
  'messagesPerHour',
  'messagesPerDay',
  'quietHours',
  'lookUpFirst',
]);

/** The outcome of a send under a policy. */
export interface PlannedOutcome {
  send: PlannedSend;
  /** When the send leaves; undefined if it never does. */
  leavesAt?: number;
  /** True if the send leaves and begins a chat. */
  isNewChat: boolean;
  /** True if the network is asked, before the send leaves, whether the person exists. */
  isLookedUp: boolean;
  /** Why the send does not leave at its planned time. */
  refusals: Refusal[];
}

/**
 * Replays sends against a policy. A refused send is repeated when the policy allows it, like a caller does who respects
 * `Retry-After`; sends with the same due time keep their order.
 * @param since when the number was linked: milliseconds since the epoch
 * @param before sends that were made before
 */
export function planSends(
  policy: Policy,
  sends: readonly PlannedSend[],
  { since, before = [] }: { since: number; before?: readonly CountedSend[] },
): PlannedOutcome[] {
  const lookUps: number[] = [];
  const number: NumberState = { since, counts: new SendCounts(before), restrictions: [], lookUps };
  const outcomes: PlannedOutcome[] = sends.map((send) => ({
    send,
    isNewChat: false,
    isLookedUp: false,
    refusals: [],
  }));
  const begun = new Set(before.map(({ to }) => to));
  const firsts = new Set(sends.flatMap(({ to, standing = 'new' }) => (standing === 'new' ? to : [])));
  const due = new DueSends();
  for (const [order, { send }] of outcomes.entries()) due.add({ at: send.at, order });
  for (let next = due.take(); next; next = due.take()) {
    const outcome = outcomes[next.order];
    if (!outcome) continue;
    const { to, pn = to, text = '', groupSize = 0, isKnown } = outcome.send;
    const standing = standingOf(outcome.send, begun, firsts);
    const isLookedUp = policy.lookUpFirst !== undefined && standing === 'new' && !isKnown;
    const send = { at: next.at, to, addresses: [to, pn], standing, text, groupSize, isLookedUp };
    dropBefore(lookUps, next.at - HOUR_MS);
    const refusals = judge(policy, send, number);
    if (outcome.refusals.length === 0) outcome.refusals = refusals;
    if (refusals.length > 0) {
      const again = allowedAt(refusals);
      if (again === undefined) continue;
      const later = { at: Math.max(again, next.at + 1), order: next.order };
      const isAlike =
        standing === 'new' && text === '' && !isKnown && refusals.every(({ rule }) => OF_ALL.has(rule));
      if (isAlike) due.waitAlike(next, later, to);
      else due.add(later);
      continue;
    }
    outcome.leavesAt = next.at;
    outcome.isNewChat = standing === 'new';
    outcome.isLookedUp = isLookedUp;
    if (isLookedUp) lookUps.push(next.at);
    number.counts.add({ at: next.at, to, isNewChat: outcome.isNewChat, text });
    begun.add(to);
    due.begun(to);
  }
  return outcomes;
}

/** Removes the times up to `since` from a list that is sorted by time. */
function dropBefore(times: number[], since: number): void {
  while ((times[0] ?? Number.POSITIVE_INFINITY) <= since) times.shift();
}

/** @param firsts people whose first message is in the plan; that message may be delayed beyond later ones */
function standingOf(
  { to, standing }: PlannedSend,
  begun: ReadonlySet<string>,
  firsts: ReadonlySet<string>,
): ChatStanding {
  if (standing === 'running' || to.endsWith('@g.us')) return 'running';
  return begun.has(to) || (standing === 'unanswered' && !firsts.has(to)) ? 'unanswered' : 'new';
}

/**
 * The sends of a plan by the time at which they are tried, and then by their order. First messages that the same rules
 * refuse until the same time form a group: if one of them is refused again, so are the others at that moment. Judging
 * each of some thousand messages every time would take minutes.
 */
class DueSends {
  readonly #single = new DueList();
  readonly #groups = new Map<number, Group>();
  readonly #groupTimes = new DueList();
  /** The group of each waiting first message, and the first messages to each person. */
  readonly #groupOf = new Map<number, Group>();
  readonly #ordersTo = new Map<string, Set<number>>();

  add(due: Due): void {
    this.#single.add(due);
  }

  /** Removes and returns the earliest send; undefined if there is none. */
  take(): Due | undefined {
    const group = this.#firstGroup();
    const first = group?.orders.first();
    const single = this.#single.first();
    if (!group || !first || isEarlier(single, { at: group.at, order: first.order }))
      return this.#single.take();
    group.orders.take();
    this.#groupOf.delete(first.order);
    return { at: group.at, order: first.order };
  }

  /** Defers a refused first message, together with the messages of its group that are due now. */
  waitAlike(now: Due, later: Due, to: string): void {
    this.#ordersTo.set(to, (this.#ordersTo.get(to) ?? new Set<number>()).add(later.order));
    this.#join(later);
    const group = this.#groups.get(now.at);
    const single = this.#single.first();
    if (!group) return;
    if (single?.at !== now.at) {
      this.#move(group, later.at);
      return;
    }
    // stop at the next single send: it may change the outcome of the others
    for (let one = this.#firstOf(group); one && one.order < single.order; one = this.#firstOf(group)) {
      group.orders.take();
      this.#join({ at: later.at, order: one.order });
    }
  }

  /** Notes that a chat has begun: other messages to the same person are no longer first messages. */
  begun(to: string): void {
    for (const order of this.#ordersTo.get(to) ?? []) {
      const group = this.#groupOf.get(order);
      if (!group) continue;
      this.#groupOf.delete(order);
      this.add({ at: group.at, order });
    }
    this.#ordersTo.delete(to);
  }

  #join({ at, order }: Due): void {
    const group = this.#groups.get(at) ?? this.#place({ at, orders: new DueList() });
    group.orders.add({ at: 0, order });
    this.#groupOf.set(order, group);
  }

  #move(group: Group, at: number): void {
    this.#groups.delete(group.at);
    const there = this.#groups.get(at);
    const [large, small] = there && there.orders.size > group.orders.size ? [there, group] : [group, there];
    large.at = at;
    if (large === group) this.#place(large);
    for (let one = small && this.#firstOf(small); small && one; one = this.#firstOf(small)) {
      small.orders.take();
      this.#join({ at, order: one.order });
    }
  }

  #place(group: Group): Group {
    if (!this.#groups.has(group.at)) this.#groupTimes.add({ at: group.at, order: 0 });
    this.#groups.set(group.at, group);
    return group;
  }

  /** The earliest group that is not empty. */
  #firstGroup(): Group | undefined {
    for (let time = this.#groupTimes.first(); time; time = this.#groupTimes.first()) {
      const group = this.#groups.get(time.at);
      if (group && this.#firstOf(group)) return group;
      this.#groups.delete(time.at);
      this.#groupTimes.take();
    }
    return undefined;
  }

  /** The first message of a group; drops those that have left the group. */
  #firstOf({ orders, at }: Group): Due | undefined {
    let first = orders.first();
    while (first && this.#groupOf.get(first.order)?.at !== at) {
      orders.take();
      first = orders.first();
    }
    return first;
  }
}

/** First messages that are tried at the same time. */
interface Group {
  at: number;
  /** Sends of the group, by order. */
  orders: DueList;
}

interface Due {
  at: number;
  order: number;
}

/** Due sends, earliest first, then by order: a binary heap. */
class DueList {
  readonly #heap: Due[] = [];

  get size(): number {
    return this.#heap.length;
  }

  first(): Due | undefined {
    return this.#heap[0];
  }

  add(due: Due): void {
    const heap = this.#heap;
    let index = heap.push(due) - 1;
    for (;;) {
      const parent = (index - 1) >> 1;
      if (index === 0 || !isEarlier(due, heap[parent])) break;
      swap(heap, index, parent);
      index = parent;
    }
  }

  take(): Due | undefined {
    const heap = this.#heap;
    const first = heap[0];
    const last = heap.pop();
    if (!first || !last || heap.length === 0) return first;
    heap[0] = last;
    for (let index = 0; ; ) {
      const left = 2 * index + 1;
      const least = isEarlier(heap[left + 1], heap[left]) ? left + 1 : left;
      if (!isEarlier(heap[least], heap[index])) break;
      swap(heap, index, least);
      index = least;
    }
    return first;
  }
}

function isEarlier(one: Due | undefined, other: Due | undefined): boolean {
  if (!one || !other) return one !== undefined;
  return one.at === other.at ? one.order < other.order : one.at < other.at;
}

function swap(heap: Due[], one: number, other: number): void {
  const [first, second] = [heap[one], heap[other]];
  if (first && second) [heap[one], heap[other]] = [second, first];
}
