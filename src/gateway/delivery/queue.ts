import { type Clock, callAt } from '../../domain/clock.js';

/** Consumed slots at the front that are freed at once, so that `shift` rarely copies. */
const COMPACT_AT = 1_024;

/** A first-in, first-out queue with constant-time operations. */
class Fifo<T> {
  #items: (T | undefined)[] = [];
  #head = 0;

  get size(): number {
    return this.#items.length - this.#head;
  }

  push(item: T): void {
    this.#items.push(item);
  }

  /** Adds an item at the front. */
  unshift(item: T): void {
    if (this.#head > 0) this.#items[--this.#head] = item;
    else this.#items.unshift(item);
  }

  /** Removes and returns the first item. */
  shift(): T | undefined {
    if (this.size === 0) return undefined;
    const item = this.#items[this.#head];
    this.#items[this.#head++] = undefined;
    if (this.#head >= COMPACT_AT && this.#head * 2 >= this.#items.length) {
      this.#items = this.#items.slice(this.#head);
      this.#head = 0;
    }
    return item;
  }
}

/** A job that makes one or more attempts at a receiver. */
export interface QueuedJob {
  /** Scheme, host and port of the receiver. */
  readonly origin: string;
  /** Makes one attempt; resolves to the milliseconds until the next, undefined if there is none. Never rejects. */
  attempt(): Promise<number | undefined>;
  /** Ends a waiting job without a further attempt. */
  drop(cause: 'queue_full' | 'stopping'): void;
}

export interface QueueLimits {
  /** Calls in flight to one origin. */
  inFlight: number;
  /** Jobs of one origin that wait for a connection or for their next attempt. */
  waiting: number;
}

export const QUEUE_LIMITS: QueueLimits = { inFlight: 32, waiting: 10_000 };

/** The jobs of one origin. */
interface Lane {
  origin: string;
  inFlight: number;
  ready: Fifo<QueuedJob>;
  /** Jobs that pause between two attempts, oldest first, with a function that cancels the timer. */
  resting: Map<QueuedJob, () => void>;
}

/**
 * One queue for each receiver origin, so that a slow receiver delays only itself. A job between two attempts counts as
 * waiting. Above the limit the oldest waiting job is dropped. The queues of idle origins are freed.
 */
export class OriginQueues {
  readonly #clock: Clock;
  readonly #limits: QueueLimits;
  readonly #lanes = new Map<string, Lane>();
  #inFlight = 0;
  #closed = false;

  constructor(clock: Clock, limits: QueueLimits = QUEUE_LIMITS) {
    this.#clock = clock;
    this.#limits = limits;
  }

  /** Calls in flight, over all origins. */
  get inFlight(): number {
    return this.#inFlight;
  }

  /** Waiting jobs, over all origins. */
  get waiting(): number {
    let count = 0;
    for (const lane of this.#lanes.values()) count += waitingIn(lane);
    return count;
  }

  /** Origins with jobs. */
  get origins(): number {
    return this.#lanes.size;
  }

  /** True after `close`: no further attempt begins. */
  get closed(): boolean {
    return this.#closed;
  }

  /** Starts the job, now or as soon as its origin has a free connection. */
  add(job: QueuedJob): void {
    if (this.#closed) {
      job.drop('stopping');
      return;
    }
    const lane = this.#laneOf(job.origin);
    lane.ready.push(job);
    this.#advance(lane);
    this.#enforceBound(lane);
  }

  /** Drops all current and future waiting jobs; calls in flight end by themselves. */
  close(): void {
    this.#closed = true;
    for (const lane of this.#lanes.values()) {
      while (waitingIn(lane) > 0) takeOldest(lane)?.drop('stopping');
      this.#freeIfIdle(lane);
    }
  }

  #laneOf(origin: string): Lane {
    const known = this.#lanes.get(origin);
    if (known) return known;
    const lane: Lane = { origin, inFlight: 0, ready: new Fifo(), resting: new Map() };
    this.#lanes.set(origin, lane);
    return lane;
  }

  #advance(lane: Lane): void {
    while (lane.inFlight < this.#limits.inFlight) {
      const job = lane.ready.shift();
      if (!job) break;
      void this.#run(lane, job);
    }
    this.#freeIfIdle(lane);
  }

  async #run(lane: Lane, job: QueuedJob): Promise<void> {
    lane.inFlight++;
    this.#inFlight++;
    let delay: number | undefined;
    try {
      delay = await job.attempt();
    } finally {
      lane.inFlight--;
      this.#inFlight--;
      if (delay !== undefined) this.#rest(lane, job, delay);
      this.#advance(lane);
    }
  }

  #rest(lane: Lane, job: QueuedJob, delay: number): void {
    if (this.#closed) {
      job.drop('stopping');
      return;
    }
    const wake = () => {
      lane.resting.delete(job);
      // to the front: the job is older than those that have made no attempt
      lane.ready.unshift(job);
      this.#advance(lane);
    };
    lane.resting.set(job, callAt(this.#clock, this.#clock.now() + delay, wake));
    this.#enforceBound(lane);
  }

  #enforceBound(lane: Lane): void {
    while (waitingIn(lane) > this.#limits.waiting) takeOldest(lane)?.drop('queue_full');
  }

  #freeIfIdle(lane: Lane): void {
    if (lane.inFlight === 0 && waitingIn(lane) === 0) this.#lanes.delete(lane.origin);
  }
}

function waitingIn(lane: Lane): number {
  return lane.ready.size + lane.resting.size;
}

/** A resting job has made an attempt, so it is older than a ready one. */
function takeOldest(lane: Lane): QueuedJob | undefined {
  for (const [job, cancel] of lane.resting) {
    cancel();
    lane.resting.delete(job);
    return job;
  }
  return lane.ready.shift();
}
