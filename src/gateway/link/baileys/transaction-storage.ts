import asyncHooks, { AsyncLocalStorage } from 'node:async_hooks';
import { syncBuiltinESMExports } from 'node:module';

/** One call of a storage's `run`. */
interface Run {
  storage: object;
}

/** The active runs of an asynchronous context, one of each storage: a single value to propagate for any number of links. */
const runs = new AsyncLocalStorage<readonly Run[]>();

/** An `AsyncLocalStorage` that costs nothing while idle; only `run` and `getStore` are implemented. */
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
 * Makes every `AsyncLocalStorage` that the library creates during the call a `TransactionStorage`.
 *
 * The library creates one for each socket and never disables it. Up to Node 22 every enabled storage is copied to every
 * promise, timer and request of the process, so each past connection would slow down all work of a node.
 * @param make must be synchronous
 */
export function withLightStorages<Result>(make: () => Result): Result {
  provide(TransactionStorage);
  try {
    return make();
  } finally {
    provide(AsyncLocalStorage);
  }
}

/** Sets the `AsyncLocalStorage` that modules import. Uses `defineProperty`, because newer releases of Node have no setter for it. */
function provide(storage: typeof AsyncLocalStorage): void {
  Object.defineProperty(asyncHooks, 'AsyncLocalStorage', {
    value: storage,
    configurable: true,
    enumerable: true,
    writable: true,
  });
  syncBuiltinESMExports();
}
