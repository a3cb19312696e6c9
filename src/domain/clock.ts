/** Milliseconds of 24 hours. */
export const DAY_MS = 24 * 60 * 60_000;

/** Time as a dependency, so that tests can move it and never sleep. */
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
  /** Calls back once after `ms` milliseconds; the returned function cancels it. */
  after(ms: number, callback: () => void): () => void;
}

/** A clock that can also measure durations. */
export interface MonotonicClock extends Clock {
  /** Milliseconds since an unspecified moment; never adjusted, and running while the process is suspended. */
  monotonic(): number;
}

export const systemClock: MonotonicClock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  after(ms, callback) {
    const timer = setTimeout(callback, ms);
    return () => clearTimeout(timer);
  },
};

/** Waits `ms` milliseconds of the clock's time; ends early, without an error, when the signal aborts. */
export function wait(clock: Clock, ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted) return resolve();
    const finish = () => {
      cancel();
      signal?.removeEventListener('abort', finish);
      resolve();
    };
    const cancel = clock.after(ms, finish);
    signal?.addEventListener('abort', finish, { once: true });
  });
}

/**
 * Waits for work, `ms` milliseconds at most.
 * @returns false on timeout; the work continues unobserved
 * @throws the error of the work, if it fails in time
 */
export async function endsWithin(clock: Clock, ms: number, work: Promise<unknown>): Promise<boolean> {
  const ended = new AbortController();
  const end = () => ended.abort();
  void work.then(end, end);
  await wait(clock, ms, ended.signal);
  if (ended.signal.aborted) await work;
  return ended.signal.aborted;
}
