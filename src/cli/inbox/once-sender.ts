import { randomUUID } from 'node:crypto';
import { wait } from '../../domain/clock.js';
import { CliError } from '../cli-error.js';
import { isLostAnswer } from '../send.js';
import type { SendAnswer } from '../wire.js';
import type { InboxContext } from './context.js';

/** Milliseconds before a lost answer is asked for again, and for which a daemon that went away is waited for. */
const AGAIN_AFTER_MS = 500;
const AWAY_MS = 30_000;
/** Sends without an answer whose keys are remembered. */
const REMEMBERED = 50;

/** Sends every message once, also when the daemon went away before it answered. */
export class OnceSender {
  readonly #context: InboxContext;
  /** Keys of what may have been sent, by what it is. */
  readonly #unanswered = new Map<string, string>();

  constructor(context: InboxContext) {
    this.#context = context;
  }

  /**
   * Sends under a key; a lost answer is asked for once more when the daemon is back. The same message again, after
   * even that failed, goes under the same key.
   * @param what tells the message from all others
   * @throws CliError
   */
  async send(what: string, call: (key: string) => Promise<SendAnswer>): Promise<SendAnswer> {
    const key = this.#unanswered.get(what) ?? randomUUID();
    this.#unanswered.delete(what);
    try {
      return await this.#twice(() => call(key));
    } catch (error) {
      if (!isLostAnswer(error)) throw error;
      this.#remember(what, key);
      throw new CliError('unreachable', `${error.message}; the message may have been sent all the same`, {
        suggestions: ['send the same again: it arrives once', ...error.suggestions],
        cause: error.cause,
      });
    }
  }

  async #twice(call: () => Promise<SendAnswer>): Promise<SendAnswer> {
    try {
      return await call();
    } catch (error) {
      const { signal } = this.#context;
      if (!isLostAnswer(error) || signal.aborted) throw error;
      if (!(await this.#isBack())) throw error;
      return call();
    }
  }

  async #isBack(): Promise<boolean> {
    const { clock, box, signal } = this.#context;
    await wait(clock, AGAIN_AFTER_MS, signal);
    const end = new AbortController();
    const cancel = clock.after(AWAY_MS, () => end.abort());
    try {
      const ended = AbortSignal.any([signal, end.signal]);
      return await box.until(({ connection }) => connection.state === 'open', ended);
    } finally {
      cancel();
    }
  }

  #remember(what: string, key: string): void {
    this.#unanswered.set(what, key);
    const [oldest] = this.#unanswered.keys();
    if (this.#unanswered.size > REMEMBERED && oldest !== undefined) this.#unanswered.delete(oldest);
  }
}
