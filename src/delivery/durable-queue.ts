import { type Clock, callAt } from '../domain/clock.js';
import { pauseAfter, type RetryPolicy } from '../domain/retry.js';
import type { WaitingDelivery } from '../store/store.js';

/** An event of a durable queue. */
export interface WaitingEvent extends Omit<WaitingDelivery, 'body'> {
  /** The event as JSON, until its first attempt failed: later attempts read it from the store. */
  body?: Buffer | undefined;
}

/** The end of an attempt: `done` if the event no longer waits, `failed` if it is tried again. */
export type AttemptEnd = 'done' | 'failed';

/** What a receiver still has to get. */
export interface DurableFigures {
  /** Events that wait for their first or next attempt. */
  waiting: number;
  inFlight: number;
  /** Bytes on disk, with the events in flight. */
  bytes: number;
  /** Milliseconds since the epoch; absent when nothing waits. */
  oldest?: number;
  /** `open` while the receiver is down: only one call at a time tries whether it answers again. */
  circuit: 'closed' | 'open';
  /** The newest attempt for a chat failed, also while those for other chats succeed. */
  isRefusing: boolean;
}

export interface DurableLimits {
  /** Pauses between the attempts for one event, and between two probes of a receiver that is down. */
  retry: RetryPolicy & { endless: true };
  /** Milliseconds after which an event is given up. */
  giveUpMs: number;
  /** Calls in flight to one receiver. */
  inFlight: number;
  /** Bytes that may wait for one receiver. */
  bytes: number;
}

/** The events of one chat, oldest first. */
interface Lane {
  events: WaitingEvent[];
  isBusy: boolean;
}

/** A receiver is down when the newest attempts for so many chats failed. One failing chat may be the fault of its event. */
const DOWN_AT = 2;

/**
 * The waiting events of one receiver, in memory without most bodies. Events of one chat follow each other; chats are
 * independent. While the receiver is down, one call at a time tries the chats in turn.
 */
export class DurableQueue {
  readonly #clock: Clock;
  readonly #limits: () => DurableLimits;
  readonly #random: () => number;
  readonly #isPaused: () => boolean;
  readonly #attempt: (event: WaitingEvent) => Promise<AttemptEnd>;
  /** By id, in the order of the events. */
  readonly #events = new Map<string, WaitingEvent>();
  readonly #lanes = new Map<string, Lane>();
  /** Lanes that may be tried now, in turn. */
  readonly #ready = new Set<Lane>();
  /** Lanes between two attempts, with what cancels their timers. */
  readonly #resting = new Map<Lane, () => void>();
  /** Lanes whose newest attempt failed, since the receiver last accepted an event. */
  readonly #failing = new Set<Lane>();
  /** Lanes whose newest attempt failed, whatever the receiver accepted of others. */
  readonly #refused = new Set<Lane>();
  /** Pauses for a receiver that is down so far. */
  #probes = 0;
  #cancelProbe: (() => void) | undefined;
  #inFlight = 0;
  #bytes = 0;
  #newest = 0;
  #closed = false;

  /**
   * @param options.limits may change at any time
   * @param options.isPaused no attempt begins while it is true; `retryNow` goes on after that
   * @param options.attempt makes one attempt for an event; never rejects
   */
  constructor(options: {
    clock: Clock;
    limits(): DurableLimits;
    random: () => number;
    isPaused(): boolean;
    attempt(event: WaitingEvent): Promise<AttemptEnd>;
  }) {
    this.#clock = options.clock;
    this.#limits = options.limits;
    this.#random = options.random;
    this.#isPaused = options.isPaused;
    this.#attempt = options.attempt;
  }

  get figures(): DurableFigures {
    const [oldest] = this.#events.values();
    return {
      waiting: this.#events.size - this.#inFlight,
      inFlight: this.#inFlight,
      bytes: this.#bytes,
      ...(oldest && { oldest: oldest.since }),
      circuit: this.#isDown ? 'open' : 'closed',
      isRefusing: this.#refused.size > 0,
    };
  }

  get #isDown(): boolean {
    return this.#failing.size >= DOWN_AT;
  }

  get isClosed(): boolean {
    return this.#closed;
  }

  isExpired({ since }: WaitingEvent): boolean {
    return since <= this.#clock.now() - this.#limits().giveUpMs;
  }

  has(id: string): boolean {
    return this.#events.has(id);
  }

  /** A time for a new event that is later than those of all events before: it decides the order. */
  nextSince(): number {
    this.#newest = Math.max(this.#newest + 1, this.#clock.now());
    return this.#newest;
  }

  /** Adds an event that is written down, as the newest of its chat, and tries it as soon as it is due. */
  add(event: WaitingEvent): void {
    this.#newest = Math.max(this.#newest, event.since);
    this.#events.set(event.id, event);
    this.#bytes += event.size;
    const lane = this.#lanes.get(event.chat);
    if (lane) {
      lane.events.push(event);
      return;
    }
    const first: Lane = { events: [event], isBusy: false };
    this.#lanes.set(event.chat, first);
    // an attempt of an earlier run failed
    if (event.attempts > 0) this.#refused.add(first);
    this.#ready.add(first);
    this.#advance();
  }

  /** Removes and returns the oldest events above the bound; an event with a call in flight stays. */
  takeExcess(): WaitingEvent[] {
    return this.#take(() => this.#bytes > this.#limits().bytes);
  }

  /** Removes and returns the events that have waited for too long. */
  takeExpired(): WaitingEvent[] {
    return this.#take((event) => this.isExpired(event));
  }

  /** Tries all chats at once, such as for a new address of the receiver. */
  retryNow(): void {
    this.#refused.clear();
    this.#isWell();
    this.#wake();
    this.#advance();
  }

  /** No further attempt begins. */
  close(): void {
    this.#closed = true;
    this.#cancelProbe?.();
    for (const cancel of this.#resting.values()) cancel();
  }

  #take(fits: (event: WaitingEvent) => boolean): WaitingEvent[] {
    const taken: WaitingEvent[] = [];
    for (const event of this.#events.values()) {
      if (!fits(event)) break;
      const lane = this.#lanes.get(event.chat);
      if (!lane || (lane.isBusy && lane.events[0] === event)) continue;
      taken.push(event);
      lane.events.splice(lane.events.indexOf(event), 1);
      this.#forget(event);
      this.#dropIfEmpty(event.chat, lane);
    }
    return taken;
  }

  #advance(): void {
    if (this.#closed || this.#isPaused()) return;
    while (this.#inFlight < (this.#isDown ? 1 : this.#limits().inFlight)) {
      const [lane] = this.#cancelProbe ? [] : this.#ready;
      const event = lane?.events[0];
      if (!lane || !event) return;
      void this.#run(lane, event);
    }
  }

  async #run(lane: Lane, event: WaitingEvent): Promise<void> {
    this.#ready.delete(lane);
    lane.isBusy = true;
    this.#inFlight++;
    const end = await this.#attempt(event);
    this.#inFlight--;
    lane.isBusy = false;
    if (end === 'done') this.#ended(lane, event);
    else this.#failed(lane);
    this.#advance();
  }

  #ended(lane: Lane, event: WaitingEvent): void {
    lane.events.shift();
    this.#refused.delete(lane);
    this.#forget(event);
    this.#isWell();
    if (!this.#dropIfEmpty(event.chat, lane)) this.#ready.add(lane);
  }

  #failed(lane: Lane): void {
    this.#failing.add(lane);
    this.#refused.add(lane);
    if (this.#closed) return;
    if (!this.#isDown) {
      this.#rest(lane, lane.events[0]?.attempts ?? 1);
      return;
    }
    // calls that were in flight when the receiver went down are no probes
    if (!this.#cancelProbe) this.#probeLater();
    this.#wake();
    this.#ready.add(lane);
  }

  /** The next probe is for another chat, because one event may be refused for its content. */
  #probeLater(): void {
    this.#probes += 1;
    this.#cancelProbe = this.#afterPause(this.#probes, () => {
      this.#cancelProbe = undefined;
      this.#advance();
    });
  }

  #rest(lane: Lane, attempts: number): void {
    const cancel = this.#afterPause(attempts, () => {
      this.#resting.delete(lane);
      this.#ready.add(lane);
      this.#advance();
    });
    this.#resting.set(lane, cancel);
  }

  #afterPause(failures: number, then: () => void): () => void {
    const pauseMs = pauseAfter(this.#limits().retry, failures, this.#random);
    return callAt(this.#clock, this.#clock.now() + pauseMs, then);
  }

  /** The receiver accepted an event, or another receiver is tried. */
  #isWell(): void {
    this.#probes = 0;
    this.#failing.clear();
    this.#cancelProbe?.();
    this.#cancelProbe = undefined;
  }

  #wake(): void {
    for (const [lane, cancel] of this.#resting) {
      cancel();
      this.#ready.add(lane);
    }
    this.#resting.clear();
  }

  #forget(event: WaitingEvent): void {
    this.#events.delete(event.id);
    this.#bytes -= event.size;
  }

  #dropIfEmpty(chat: string, lane: Lane): boolean {
    if (lane.events.length > 0) return false;
    this.#lanes.delete(chat);
    this.#ready.delete(lane);
    this.#failing.delete(lane);
    this.#refused.delete(lane);
    this.#resting.get(lane)?.();
    this.#resting.delete(lane);
    return true;
  }
}
