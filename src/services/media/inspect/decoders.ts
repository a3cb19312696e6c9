import PQueue from 'p-queue';
import type { Clock } from '../../../domain/clock.js';
import type { Tasks } from './decoder.js';
import { DecoderProcess } from './decoder-process.js';

/** Files that are taken apart at the same time. */
const AT_ONCE = 2;
/** Milliseconds that a task has; it bounds the tasks that cannot bound themselves. */
const TASK_MS = 15_000;
/** Milliseconds after which a decoder without work ends. */
const IDLE_MS = 30_000;

/** A few decoder processes, started when they are needed and ended when they are not. */
export class Decoders {
  readonly #clock: Clock;
  readonly #queue = new PQueue({ concurrency: AT_ONCE });
  readonly #all = new Set<DecoderProcess>();
  readonly #idle: DecoderProcess[] = [];
  #cancelEnd: () => void = () => undefined;
  #stopped = false;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Has a task done. @throws Error with what it failed with, or that it took too long */
  run<Name extends keyof Tasks & string>(
    name: Name,
    order: Parameters<Tasks[Name]>[0],
  ): Promise<Awaited<ReturnType<Tasks[Name]>>> {
    return this.#queue.add(() => this.#run(name, order));
  }

  /** Ends all of them; what is under way fails. */
  stop(): void {
    this.#stopped = true;
    this.#endAll();
  }

  async #run<Name extends keyof Tasks & string>(
    name: Name,
    order: Parameters<Tasks[Name]>[0],
  ): Promise<Awaited<ReturnType<Tasks[Name]>>> {
    if (this.#stopped) throw new Error('stopped');
    this.#cancelEnd();
    const decoder = this.#idle.pop() ?? this.#start();
    try {
      return await decoder.run(name, order, TASK_MS, this.#clock);
    } finally {
      if (decoder.isAlive) this.#idle.push(decoder);
      else this.#all.delete(decoder);
      if (!this.#stopped && this.#queue.pending <= 1 && this.#queue.size === 0) this.#endLater();
    }
  }

  #start(): DecoderProcess {
    const decoder = new DecoderProcess();
    this.#all.add(decoder);
    return decoder;
  }

  #endLater(): void {
    this.#cancelEnd();
    this.#cancelEnd = this.#clock.after(IDLE_MS, () => this.#endAll());
  }

  #endAll(): void {
    this.#cancelEnd();
    for (const decoder of this.#all) decoder.end();
    this.#all.clear();
    this.#idle.length = 0;
  }
}
