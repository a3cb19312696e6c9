import type { Clock } from '../domain/clock.js';
import { Fifo } from './fifo.js';

/** Something that takes one or more attempts at a receiver. */
export interface QueuedJob {
  /** Scheme, host and port of the receiver: jobs of one origin share a lane. */
  readonly origin: string;
  /** Makes one attempt; resolves to the milliseconds until the next, undefined when it is finished. Never rejects. */
  attempt(): Promise<number | undefined>;
  /** Ends the job while it waits: there will be no further attempt. */
  giveUp(cause: 'queue_full' | 'stopping'): void;
}

export interface QueueLimits {
  /** Calls to one origin at the same time. */
  inFlight: number;
  /** Jobs of one origin that wait for a free place or for their next attempt. */
  waiting: number;
}

export const QUEUE_LIMITS: QueueLimits = { inFlight: 32, waiting: 10_000 };

/** One receiver's jobs. */
interface Lane {
  origin: string;
  inFlight: number;
  ready: Fifo<QueuedJob>;
  /** Jobs between two attempts, in the order in which they came here, with what cancels their timers. */
  resting: Map<QueuedJob, () => void>;
}

/**
 * A lane for each receiver origin, so that a slow receiver only ever delays itself. A job between two attempts holds
 * no place in flight, but counts as waiting. Past the bound the oldest waiting job is given up. Idle lanes are freed.
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

  /** Calls under way, over all origins. */
  get inFlight(): number {
    return this.#inFlight;
  }

  /** Jobs that wait, over all origins. */
  get waiting(): number {
    let count = 0;
    for (const lane of this.#lanes.values()) count += waitingIn(lane);
    return count;
  }

  /** Origins with anything to do. */
  get origins(): number {
    return this.#lanes.size;
  }

  /** Nothing starts any more, and what is in flight is broken off. */
  get closed(): boolean {
    return this.#closed;
  }

  /** Starts the job now or as soon as its origin has a place for it. */
  add(job: QueuedJob): void {
    if (this.#closed) {
      job.giveUp('stopping');
      return;
    }
    const lane = this.#laneOf(job.origin);
    lane.ready.push(job);
    this.#advance(lane);
    this.#enforceBound(lane);
  }

  /** Gives up everything that waits, now and from now on; what is in flight ends by itself. */
  close(): void {
    this.#closed = true;
    for (const lane of this.#lanes.values()) {
      while (waitingIn(lane) > 0) takeOldest(lane)?.giveUp('stopping');
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

  /** Starts what can start. */
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
      job.giveUp('stopping');
      return;
    }
    const wake = () => {
      lane.resting.delete(job);
      // before the others, as it is older than they are
      lane.ready.unshift(job);
      this.#advance(lane);
    };
    lane.resting.set(job, this.#clock.after(delay, wake));
    this.#enforceBound(lane);
  }

  #enforceBound(lane: Lane): void {
    while (waitingIn(lane) > this.#limits.waiting) takeOldest(lane)?.giveUp('queue_full');
  }

  #freeIfIdle(lane: Lane): void {
    if (lane.inFlight === 0 && waitingIn(lane) === 0) this.#lanes.delete(lane.origin);
  }
}

function waitingIn(lane: Lane): number {
  return lane.ready.size + lane.resting.size;
}

/** A resting job was already in flight when those that are ready had not been: it is the older one. */
function takeOldest(lane: Lane): QueuedJob | undefined {
  for (const [job, cancel] of lane.resting) {
    cancel();
    lane.resting.delete(job);
    return job;
  }
  return lane.ready.shift();
}
