import { isGatewayError } from '../../../domain/errors.js';

interface Queue {
  /** Ends with the last exclusive work. */
  exclusive: Promise<void>;
  /** Shared work that waits for it or runs. */
  shared: Set<Promise<void>>;
  /** Work that has not ended. */
  open: number;
}

/**
 * A read-write lock by key: shared work runs in parallel, exclusive work waits for everything before it and delays
 * everything after it. If exclusive work fails with `store_unavailable`, the work that waits for it fails too: requests do
 * not wait for a silent server one after the other.
 */
export class SharedLock {
  readonly #queues = new Map<string, Queue>();

  shared<T>(key: string, work: () => Promise<T>): Promise<T> {
    const queue = this.#enter(key);
    const running = queue.exclusive.then(work);
    const ended = this.#ended(running, key, queue).finally(() => queue.shared.delete(ended));
    ended.catch(ignore);
    queue.shared.add(ended);
    return running;
  }

  exclusive<T>(key: string, work: () => Promise<T>): Promise<T> {
    const queue = this.#enter(key);
    const running = Promise.all([queue.exclusive, ...queue.shared]).then(work);
    queue.exclusive = this.#ended(running, key, queue);
    queue.exclusive.catch(ignore);
    return running;
  }

  #enter(key: string): Queue {
    const queue = this.#queues.get(key) ?? { exclusive: Promise.resolve(), shared: new Set(), open: 0 };
    this.#queues.set(key, queue);
    queue.open += 1;
    return queue;
  }

  #ended(running: Promise<unknown>, key: string, queue: Queue): Promise<void> {
    return running.then(ignore, rethrowOutage).finally(() => {
      queue.open -= 1;
      if (queue.open === 0) this.#queues.delete(key);
    });
  }
}

function ignore(): void {}

function rethrowOutage(error: unknown): void {
  if (isGatewayError(error, 'store_unavailable')) throw error;
}
