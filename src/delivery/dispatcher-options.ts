import type { Clock, MonotonicClock } from '../domain/clock.js';
import type { PauseCode } from '../domain/pauses.js';
import type { AttemptReport } from '../events/stream-entry.js';
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

export interface DispatcherOptions {
  failed: Pick<FailedDeliveryStore, 'add' | 'remove'>;
  /** Keeps the events of receivers with durable retries. */
  waiting: WaitingDeliveryStore;
  /** A receiver of a session now, the webhook unless another one is named; undefined if there is none, or the session is not held by this node. */
  receiverOf(clientId: string, receiverId?: string): Receiver | undefined;
  /** The session is held by this node, and has no such receiver any more; by default none is removed. */
  isRemoved?(clientId: string, receiverId: string): boolean;
  /** A receiver with durable retries gets no calls until somebody resumes it. Does nothing if it has another address now. */
  pause?(called: CalledReceiver, code: PauseCode): Promise<unknown>;
  tail: Tail;
  /** Allow receivers with private addresses. */
  allowPrivate: boolean;
  clock: MonotonicClock;
  /** Dates signatures, because receivers compare their time with that of the receiver's machine; `clock` unless named. */
  signingClock?: Clock;
  log: Logger;
  observe: DeliveryObserver;
  /** Whether this node may act for a session; by default it may. */
  serves?(clientId: string): boolean;
  /** A number from 0 to 1 that spreads retries. */
  random?: () => number;
  limits?: QueueLimits;
  durable?: Partial<DurableLimits>;
  /** How the process with the clients of brokers is started, and the file that remembers over a crash which were connected. */
  brokers?: { process?: Omit<ProcessSettings, 'allowPrivate'> | undefined; marks?: string | undefined };
  /** Measures attempts. */
  traces?: AttemptTraces | undefined;
}
