import { type Clock, callAt, type EpochMs } from '../../domain/clock.js';
import { pauseAfter, type RetryPolicy } from '../../domain/retry.js';
import type { WaitingDelivery } from '../store/store.js';

/** An event of a durable queue. */
export interface WaitingEvent extends Omit<WaitingDelivery, 'body'> {
  /** The event as JSON, until its first attempt failed: later attempts read it from the store. */
  body?: Buffer | undefined;
}

/**
 * The end of an attempt. `answered`: the receiver accepted the event or refused it for good. `skipped`: the event left
 * the queue for another reason. `failed`: the event is tried again.
 */
export type AttemptEnd = 'answered' | 'skipped' | 'failed';

/** The backlog of a receiver. */
export interface DurableFigures {
  /** Events that wait for their first or next attempt. */
  waiting: number;
  inFlight: number;
  /** Bytes on disk, with the events in flight. */
  bytes: number;
  /** Absent when nothing waits. */
  oldest?: EpochMs;
  /** `open` while the receiver is down: only one call at a time tries whether it answers again. */
  circuit: 'closed' | 'open';
  /** The newest attempt for a chat failed, also while those for other chats succeed. */
  isRefusing: boolean;
}

export interface DurableLimits {
  /** Pauses between the attempts for one event, and between two probes of a receiver that is down. */
  retry: RetryPolicy & { endless: true };
  /** Longest pause of an event, in milliseconds, while the receiver accepts other events. */
  pauseWhileWellMs: number;
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
  /** How many events the receiver had accepted when the newest attempt for this chat failed. */
  acceptedBefore: number;
}

/**
 * A receiver counts as down after this many consecutive failed attempts, for this many chats: a receiver that fails some
 * calls is not down, and a single failing chat may have a bad event.
 */
const DOWN_AFTER = 8;
const DOWN_CHATS = 2;
/** While fewer chats than this have failed, their events may be the cause, so another chat is tried without a pause. */
const PROVEN_CHATS = 8;

/**
 * The waiting events of one receiver, in memory without most bodies. Events of one chat follow each other; chats are
 * independent: a failing event delays its own chat only. While the receiver is down, one call at a time tries the chats in turn.
 */
export class DurableQueue {
  readonly #clock: Clock;
  readonly #limits: () => DurableLimits;
  readonly #random: () => number;
  readonly #isPaused: () => boolean;
  readonly #attempt: (event: WaitingEvent) => Promise<AttemptEnd>;
  /** Waiting events by id, oldest first. */
  readonly #events = new Map<string, WaitingEvent>();
  readonly #lanes = new Map<string, Lane>();
  /** Lanes that may be tried now, in turn. */
  readonly #ready = new Set<Lane>();
  /** Lanes that pause between two attempts, with a function that cancels the timer. */
  readonly #resting = new Map<Lane, () => void>();
  /** Events that the receiver has accepted. */
  #accepted = 0;
  /** Failed attempts since the last accepted event, and their lanes. */
  #failures = 0;
  readonly #failing = new Set<Lane>();
  /** Lanes whose last attempt failed, even if the receiver has accepted events of other chats since. */
  readonly #refused = new Set<Lane>();
  /** Pauses since the receiver went down. */
  #probes = 0;
  #cancelProbe: (() => void) | undefined;
  #inFlight = 0;
  #bytes = 0;
  #newest = 0;
  #closed = false;

  /**
   * @param options.limits may change at any time
   * @param options.isPaused no attempt begins while this is true; call `retryNow` when it ends
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
      oldest: oldest?.since,
      circuit: this.#isDown ? 'open' : 'closed',
      isRefusing: this.#refused.size > 0,
    };
  }

  get #isDown(): boolean {
    return this.#failures >= DOWN_AFTER && this.#failing.size >= DOWN_CHATS;
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

  /** A time for a new event, later than the times of all earlier events, because it decides the order. */
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
    const first: Lane = { events: [event], isBusy: false, acceptedBefore: this.#accepted };
    this.#lanes.set(event.chat, first);
    // an earlier run has made a failed attempt
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

  /** Tries all chats at once, for example after the receiver's URL changed. */
  retryNow(): void {
    this.#refused.clear();
    this.#isWell();
    this.#wake();
    this.#advance();
  }

  /** Begins no further attempts. */
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
      const lane = this.#next();
      const event = lane?.events[0];
      if (!lane || !event) return;
      void this.#run(lane, event);
    }
  }

  #next(): Lane | undefined {
    const [first] = this.#ready;
    if (!this.#cancelProbe) return first;
    if (this.#failing.size >= PROVEN_CHATS) return undefined;
    for (const lane of this.#ready) if (!this.#failing.has(lane)) return lane;
    return undefined;
  }

  async #run(lane: Lane, event: WaitingEvent): Promise<void> {
    this.#ready.delete(lane);
    lane.isBusy = true;
    this.#inFlight++;
    const end = await this.#attempt(event);
    this.#inFlight--;
    lane.isBusy = false;
    if (end === 'failed') this.#failed(lane);
    else this.#ended(lane, event, end);
    this.#advance();
  }

  #ended(lane: Lane, event: WaitingEvent, end: 'answered' | 'skipped'): void {
    lane.events.shift();
    this.#forget(event);
    if (end === 'answered') {
      this.#accepted += 1;
      this.#refused.delete(lane);
      this.#isWell();
    }
    if (!this.#dropIfEmpty(event.chat, lane)) this.#ready.add(lane);
  }

  #failed(lane: Lane): void {
    this.#failures += 1;
    this.#failing.add(lane);
    this.#refused.add(lane);
    if (this.#closed) return;
    const isWell = this.#accepted > lane.acceptedBefore;
    lane.acceptedBefore = this.#accepted;
    if (!this.#isDown) {
      this.#rest(lane, isWell);
      return;
    }
    // calls that were in flight when the receiver went down do not count as probes
    if (!this.#cancelProbe) this.#probeLater();
    this.#wake();
    this.#ready.add(lane);
  }

  /** Schedules the next probe. It takes another chat, because an event may be refused for its content. */
  #probeLater(): void {
    this.#probes += 1;
    this.#cancelProbe = this.#afterMs(this.#pauseMs(this.#probes), () => {
      this.#cancelProbe = undefined;
      this.#advance();
    });
  }

  #rest(lane: Lane, isWell: boolean): void {
    const pauseMs = this.#pauseMs(lane.events[0]?.attempts ?? 1);
    const mostMs = isWell ? this.#limits().pauseWhileWellMs : Number.POSITIVE_INFINITY;
    const cancel = this.#afterMs(Math.min(pauseMs, mostMs), () => {
      this.#resting.delete(lane);
      this.#ready.add(lane);
      this.#advance();
    });
    this.#resting.set(lane, cancel);
  }

  #pauseMs(failures: number): number {
    return pauseAfter(this.#limits().retry, failures, this.#random);
  }

  #afterMs(pauseMs: number, then: () => void): () => void {
    return callAt(this.#clock, this.#clock.now() + pauseMs, then);
  }

  /** Resets the failures, because the receiver accepted an event or its settings changed. */
  #isWell(): void {
    this.#probes = 0;
    this.#failures = 0;
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
