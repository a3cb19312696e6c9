import { GatewayError } from '../../../../domain/errors.js';

/** Tasks that run at the same time. */
const AT_ONCE = 2;
/** Tasks that wait: of one session, and of all. */
const MAX_WAITING_OF_SESSION = 32;
const MAX_WAITING = 256;

/** Runs few tasks at a time, one of each session, and the sessions in turn: no session waits for all files of another. */
export class FairQueue {
  readonly #running = new Set<string>();
  /** Starts the tasks that wait, by session; the session whose turn is next comes first. */
  readonly #waiting = new Map<string, (() => void)[]>();
  #waitingCount = 0;

  /** @throws GatewayError media_busy when too many tasks wait; the signal's reason when it aborts before the task begins */
  async run<Result>(clientId: string, signal: AbortSignal, task: () => Promise<Result>): Promise<Result> {
    await this.#begin(clientId, signal);
    try {
      return await task();
    } finally {
      this.#running.delete(clientId);
      this.#moveBehind(clientId);
      this.#startNext();
    }
  }

  async #begin(clientId: string, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    if (this.#running.size < AT_ONCE && !this.#running.has(clientId)) {
      this.#running.add(clientId);
      return;
    }
    const own = this.#waiting.get(clientId) ?? [];
    if (own.length >= MAX_WAITING_OF_SESSION || this.#waitingCount >= MAX_WAITING) throw busy();
    await new Promise<void>((resolve, reject) => {
      const leave = () => {
        const others = (this.#waiting.get(clientId) ?? []).filter((other) => other !== start);
        if (others.length > 0) this.#waiting.set(clientId, others);
        else this.#waiting.delete(clientId);
        this.#waitingCount -= 1;
        reject(signal.reason);
      };
      const start = () => {
        signal.removeEventListener('abort', leave);
        resolve();
      };
      signal.addEventListener('abort', leave, { once: true });
      this.#waiting.set(clientId, [...own, start]);
      this.#waitingCount += 1;
    });
  }

  /** The session has had its turn. */
  #moveBehind(clientId: string): void {
    const own = this.#waiting.get(clientId);
    this.#waiting.delete(clientId);
    if (own) this.#waiting.set(clientId, own);
  }

  #startNext(): void {
    for (const [clientId, [start, ...others]] of this.#waiting) {
      if (this.#running.size >= AT_ONCE) return;
      if (!start || this.#running.has(clientId)) continue;
      if (others.length > 0) this.#waiting.set(clientId, others);
      else this.#waiting.delete(clientId);
      this.#waitingCount -= 1;
      this.#running.add(clientId);
      start();
    }
  }
}

function busy(): GatewayError {
  return new GatewayError('media_busy', 'too many files wait to be converted; try again in a moment');
}
