import { DAY_MS, type EpochMs } from '../clock.js';

/** Milliseconds for which sends are counted: the longest window of a rule. */
export const COUNTED_MS = DAY_MS;
/** Number of sends after which those outside of all windows are dropped. */
const DROPPED_AT_ONCE = 1_000;

/** A message that a session sent. */
export interface CountedSend {
  at: EpochMs;
  /** Jid of the person or group. */
  to: string;
  /** True if the send began a chat. */
  isNewChat: boolean;
  /** Hash of the text, equal for equal texts; empty for a message without text. */
  text?: string;
}

/** The sends of one session in the last 24 hours, counted for the rules of a policy. */
export class SendCounts {
  /** Times of all sends, oldest first. */
  readonly #all: number[] = [];
  readonly #newChats: number[] = [];
  readonly #to = new Map<string, number[]>();
  /** For each text: the times at which each person got it, and the latest time of each person, sorted. */
  readonly #texts = new Map<string, { people: Map<string, number[]>; last: number[] }>();

  constructor(sends: readonly CountedSend[] = []) {
    for (const send of sends) this.add(send);
  }

  add({ at, to, isNewChat, text }: CountedSend): void {
    insert(this.#all, at);
    if (isNewChat) insert(this.#newChats, at);
    insert(timesOf(this.#to, to), at);
    if (text) this.#changeText(text, to, (times) => insert(times, at));
    this.#drop(at);
  }

  /** Removes a send that did not leave. @returns false if it was not counted */
  remove({ at, to, isNewChat, text }: CountedSend): boolean {
    const isCounted = take(this.#all, at);
    if (isNewChat) take(this.#newChats, at);
    const times = timesOf(this.#to, to);
    take(times, at);
    if (times.length === 0) this.#to.delete(to);
    if (text) this.#changeText(text, to, (received) => take(received, at));
    return isCounted;
  }

  /** Number of messages, or new chats, after `since`. */
  count(kind: 'messages' | 'new chats', since: number): number {
    const times = this.#times(kind);
    return times.length - firstAfter(times, since);
  }

  /** The time of the `back`-th send from the end: 1 is the last one. */
  lastBut(kind: 'messages' | 'new chats', back: number): number | undefined {
    return this.#times(kind).at(-back);
  }

  lastNewChat(): number | undefined {
    return this.#newChats.at(-1);
  }

  lastTo(jid: string): number | undefined {
    return this.#to.get(jid)?.at(-1);
  }

  /**
   * The people other than `to` who got the text after `since`.
   * @returns their number, and the time at which the `back`-th from the end got the text: 1 is the last one
   */
  othersWith(
    text: string,
    to: string,
    since: number,
  ): { count: number; lastBut(back: number): number | undefined } {
    const { people, last = [] } = this.#texts.get(text) ?? {};
    const own = people?.get(to)?.at(-1);
    const ownIndex = own === undefined ? -1 : firstAfter(last, own) - 1;
    const isOwnCounted = own !== undefined && own > since;
    return {
      count: last.length - firstAfter(last, since) - (isOwnCounted ? 1 : 0),
      lastBut: (back) => last.at(last.length - back <= ownIndex ? -back - 1 : -back),
    };
  }

  /** Changes the times at which a person got a text. */
  #changeText(text: string, to: string, change: (times: number[]) => void): void {
    const entry = this.#texts.get(text) ?? { people: new Map<string, number[]>(), last: [] };
    this.#texts.set(text, entry);
    const { people, last } = entry;
    const times = timesOf(people, to);
    const before = times.at(-1);
    change(times);
    const after = times.at(-1);
    if (after === undefined) people.delete(to);
    if (before !== after) {
      if (before !== undefined) take(last, before);
      if (after !== undefined) insert(last, after);
    }
    if (people.size === 0) this.#texts.delete(text);
  }

  #times(kind: 'messages' | 'new chats'): readonly number[] {
    return kind === 'messages' ? this.#all : this.#newChats;
  }

  #drop(now: number): void {
    const end = now - COUNTED_MS;
    if (firstAfter(this.#all, end) < DROPPED_AT_ONCE) return;
    for (const times of [this.#all, this.#newChats]) times.splice(0, firstAfter(times, end));
    for (const [to, times] of this.#to) {
      times.splice(0, firstAfter(times, end));
      if (times.length === 0) this.#to.delete(to);
    }
    for (const [text, { people }] of this.#texts)
      for (const to of [...people.keys()])
        this.#changeText(text, to, (times) => times.splice(0, firstAfter(times, end)));
  }
}

/** The times of a key; creates an empty list if there is none yet. */
function timesOf(times: Map<string, number[]>, key: string): number[] {
  const found = times.get(key) ?? [];
  times.set(key, found);
  return found;
}

/** Index of the first time after `since`. */
function firstAfter(times: readonly number[], since: number): number {
  let low = 0;
  let high = times.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((times[middle] ?? 0) > since) high = middle;
    else low = middle + 1;
  }
  return low;
}

function insert(times: number[], at: number): void {
  if (at >= (times.at(-1) ?? 0)) times.push(at);
  else times.splice(firstAfter(times, at), 0, at);
}

function take(times: number[], at: number): boolean {
  const index = firstAfter(times, at) - 1;
  if (times[index] !== at) return false;
  times.splice(index, 1);
  return true;
}
