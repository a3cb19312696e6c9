import type { AttemptReport } from '../../contract/events/stream-entry.js';
import type { Clock, MonotonicClock } from '../../domain/clock.js';
import type { PauseCode } from '../../domain/pauses.js';
import type { Logger } from '../log.js';
import type { FailedDeliveryStore, WaitingDeliveryStore } from '../store/store.js';
import type { AttemptTraces } from './attempt-traces.js';
import type { DurableLimits } from './durable-queue.js';
import type { CalledReceiver, DropCause, Receiver } from './job.js';
import type { QueueLimits } from './queue.js';
import type { ProcessSettings } from './sinks/broker-process.js';
import type { Tail } from './tail.js';

/** Counts attempts and drops. */
export interface DeliveryObserver {
  attempt(clientId: string, report: AttemptReport): void;
  dropped(clientId: string, cause: DropCause): void;
}

/** The receivers as they are now. */
export interface CurrentReceivers {
  /** The current receiver with this id, or the webhook without an id; undefined if there is none, or this node does not hold the session. */
  receiverOf(clientId: string, receiverId?: string): Receiver | undefined;
  /** True if this node holds the session and the receiver was removed; default: never. */
  isRemoved?(clientId: string, receiverId: string): boolean;
  /** Pauses a receiver with durable retries. Does nothing if its URL has changed. */
  pause?(called: CalledReceiver, code: PauseCode): Promise<unknown>;
}

export interface DispatcherOptions {
  failed: Pick<FailedDeliveryStore, 'add' | 'remove'>;
  /** Keeps the events of receivers with durable retries. */
  waiting: WaitingDeliveryStore;
  receivers: CurrentReceivers;
  tail: Tail;
  /** Allow receivers with private addresses. */
  allowPrivate: boolean;
  clock: MonotonicClock;
  /** The clock for signatures, which receivers compare with the time of their own machine; default: `clock`. */
  signingClock?: Clock;
  log: Logger;
  observe: DeliveryObserver;
  /** Whether this node may act for a session; by default it may. */
  serves?(clientId: string): boolean;
  /** A number from 0 to 1 that spreads retries. */
  random?: () => number;
  limits?: QueueLimits;
  durable?: Partial<DurableLimits>;
  /** Settings of the broker process, and the file that records connected brokers across a crash. */
  brokers?: { process?: Omit<ProcessSettings, 'allowPrivate'> | undefined; marks?: string | undefined };
  /** Records spans of attempts. */
  traces?: AttemptTraces | undefined;
}
