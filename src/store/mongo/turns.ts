import { isGatewayError } from '../../domain/errors.js';

interface Queue {
  /** Ends with the last turn that was taken alone. */
  alone: Promise<void>;
  /** Shared turns that are waiting for it or running. */
  shared: Set<Promise<void>>;
  /** Turns that have not ended. */
  open: number;
}

/**
 * Turns by name: shared ones run at the same time, one taken alone waits for all before it and holds up all after it.
 * When the store is unavailable to one, it is so to all that were waiting for it: they do not wait for the server one
 * after the other.
 */
export class Turns {
  readonly #queues = new Map<string, Queue>();

  /** Runs `work` together with other shared turns of that name. */
  shared<T>(name: string, work: () => Promise<T>): Promise<T> {
    const queue = this.#enter(name);
    const turn = queue.alone.then(work);
    const ended = this.#ended(turn, name, queue).finally(() => queue.shared.delete(ended));
    ended.catch(ignore);
    queue.shared.add(ended);
    return turn;
  }

  /** Runs `work` while no other turn of that name is running. */
  alone<T>(name: string, work: () => Promise<T>): Promise<T> {
    const queue = this.#enter(name);
    const turn = Promise.all([queue.alone, ...queue.shared]).then(work);
    queue.alone = this.#ended(turn, name, queue);
    queue.alone.catch(ignore);
    return turn;
  }

  #enter(name: string): Queue {
    const queue = this.#queues.get(name) ?? { alone: Promise.resolve(), shared: new Set(), open: 0 };
    this.#queues.set(name, queue);
    queue.open += 1;
    return queue;
  }

  #ended(turn: Promise<unknown>, name: string, queue: Queue): Promise<void> {
    return turn.then(ignore, passOutageOn).finally(() => {
      queue.open -= 1;
      if (queue.open === 0) this.#queues.delete(name);
    });
  }
}

function ignore(): void {}

function passOutageOn(error: unknown): void {
  if (isGatewayError(error, 'store_unavailable')) throw error;
}
