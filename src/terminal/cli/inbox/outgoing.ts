import { randomUUID } from 'node:crypto';
import type { SendAnswer } from '../../../contract/index.js';
import { wait } from '../../../domain/clock.js';
import { longestPause } from '../../../domain/retry.js';
import { CliError } from '../errors.js';
import { isLostAnswer } from '../send.js';
import type { StateBox } from '../state-box.js';
import type { InboxContext } from './context.js';
import type { InboxState, OutgoingItem } from './model.js';

/** The outgoing items of the state. */
export class Outgoing {
  readonly #box: StateBox<InboxState>;
  #count = 0;

  constructor(box: StateBox<InboxState>) {
    this.#box = box;
  }

  /** @returns its id */
  add(item: Omit<OutgoingItem, 'id'>): number {
    const id = ++this.#count;
    this.#box.update((state) => ({ ...state, outgoing: [...state.outgoing, { id, ...item }] }));
    return id;
  }

  progress(id: number, sent: number, total: number): void {
    this.#box.update((state) => ({
      ...state,
      outgoing: state.outgoing.map((item) =>
        item.id === id ? { ...item, progress: { sent: Math.min(sent, total), total } } : item,
      ),
    }));
  }

  remove(id: number): void {
    this.#box.update((state) =>
      state.outgoing.some((item) => item.id === id)
        ? { ...state, outgoing: state.outgoing.filter((item) => item.id !== id) }
        : state,
    );
  }
}

/** Pause after a lost answer. */
const RETRY = { pausesMs: [500], endless: false } as const;
/** Milliseconds to wait for a reconnect before the retry. */
const AWAY_MS = 30_000;
/** Maximum number of remembered keys. */
const REMEMBERED = 50;

/** Sends each message only once, even if the answer is lost. */
export class OnceSender {
  readonly #context: InboxContext;
  /** Idempotency keys of messages that may have been sent, by message. */
  readonly #unanswered = new Map<string, string>();

  constructor(context: InboxContext) {
    this.#context = context;
  }

  /**
   * Sends under an idempotency key and retries once after a lost answer. If that fails too, a repeated send of the same
   * message uses the same key.
   * @param what identifies the message
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
      throw new CliError('unreachable', `${error.message}; the message may have been sent`, {
        suggestions: ['send it again: it arrives only once', ...error.suggestions],
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
    await wait(clock, longestPause(RETRY), signal);
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
