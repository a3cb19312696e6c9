interface Queue {
  /** Ends, without an error, with the last turn that was taken alone. */
  alone: Promise<unknown>;
  /** Shared turns that are waiting for it or running. */
  shared: Set<Promise<unknown>>;
  /** Turns that have not ended. */
  open: number;
}

/** Turns by name: shared ones run at the same time, one taken alone waits for all before it and holds up all after it. */
export class Turns {
  readonly #queues = new Map<string, Queue>();

  /** Runs `work` together with other shared turns of that name. */
  shared<T>(name: string, work: () => Promise<T>): Promise<T> {
    const queue = this.#enter(name);
    const turn = queue.alone.then(work);
    const ended = turn.then(ignore, ignore).then(() => {
      queue.shared.delete(ended);
      this.#leave(name, queue);
    });
    queue.shared.add(ended);
    return turn;
  }

  /** Runs `work` while no other turn of that name is running. */
  alone<T>(name: string, work: () => Promise<T>): Promise<T> {
    const queue = this.#enter(name);
    const turn = Promise.all([queue.alone, ...queue.shared]).then(work);
    queue.alone = turn.then(ignore, ignore).then(() => this.#leave(name, queue));
    return turn;
  }

  #enter(name: string): Queue {
    const queue = this.#queues.get(name) ?? { alone: Promise.resolve(), shared: new Set(), open: 0 };
    this.#queues.set(name, queue);
    queue.open += 1;
    return queue;
  }

  #leave(name: string, queue: Queue): void {
    queue.open -= 1;
    if (queue.open === 0) this.#queues.delete(name);
  }
}

function ignore(): void {}
