import asyncHooks, { AsyncLocalStorage } from 'node:async_hooks';
import { syncBuiltinESMExports } from 'node:module';

/** A run of a storage, which knows its value. */
interface Run {
  storage: object;
}

/** The runs around a place of the program, one of each storage: one thing to carry, however many links there are. */
const runs = new AsyncLocalStorage<readonly Run[]>();

/** An `AsyncLocalStorage` that costs nothing while nothing runs in it; of its methods `run` and `getStore` are for use. */
class TransactionStorage<Value> extends AsyncLocalStorage<Value> {
  readonly #values = new WeakMap<Run, Value>();

  override run<Result>(value: Value, work: () => Result): Result;
  override run<Result, Args extends unknown[]>(
    value: Value,
    work: (...args: Args) => Result,
    ...args: Args
  ): Result;
  override run<Result, Args extends unknown[]>(
    value: Value,
    work: (...args: Args) => Result,
    ...args: Args
  ): Result {
    const run = { storage: this };
    this.#values.set(run, value);
    const others = (runs.getStore() ?? []).filter(({ storage }) => storage !== this);
    return runs.run([...others, run], work, ...args);
  }

  override getStore(): Value | undefined {
    const run = runs.getStore()?.find(({ storage }) => storage === this);
    return run && this.#values.get(run);
  }
}

/**
 * Calls the library so that every `AsyncLocalStorage` that it makes in that moment is a light one.
 *
 * The library makes one for each socket and never disables it. Up to Node 22 every enabled storage is copied to every
 * promise, timer and request of the process, for ever: all work of a node gets slower with each link and each
 * reconnection that it has ever had.
 * @param make must be synchronous
 */
export function withLightStorages<Result>(make: () => Result): Result {
  Object.assign(asyncHooks, { AsyncLocalStorage: TransactionStorage });
  syncBuiltinESMExports();
  try {
    return make();
  } finally {
    Object.assign(asyncHooks, { AsyncLocalStorage });
    syncBuiltinESMExports();
  }
}
