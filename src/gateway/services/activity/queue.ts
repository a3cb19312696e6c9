import { KeyedLock } from '../../../domain/keyed-lock.js';
import type { Logger } from '../../log.js';
import { Interrupted } from '../store-retry.js';

/** Runs the tasks of one session in order, and the tasks of different sessions in parallel. */
export class SessionQueue {
  readonly #lock = new KeyedLock();
  readonly #log: Logger;
  readonly #name: string;

  /** @param name names the work in the log */
  constructor(name: string, log: Logger) {
    this.#name = name;
    this.#log = log;
  }

  /** Logs a failure, but not an interruption. */
  add(clientId: string, work: () => Promise<void>): void {
    this.run(clientId, work).catch((err: unknown) => {
      if (!(err instanceof Interrupted)) this.#log.warn({ err, clientId }, `${this.#name} failed`);
    });
  }

  /** @throws the error of the work */
  run(clientId: string, work: () => Promise<void>): Promise<void> {
    return this.#lock.run(clientId, work);
  }

  /** Resolves when nothing of the session, or of any session, is in flight. */
  idle(clientId?: string): Promise<void> {
    return this.#lock.idle(clientId);
  }
}
