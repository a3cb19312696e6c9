/** A time: milliseconds since the epoch. */
export type EpochMs = number;

/** 24 hours in milliseconds. */
export const DAY_MS = 24 * 60 * 60_000;

/** Milliseconds of the longest timer that Node.js can set: 24 days. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** Time as a dependency, so that tests can move it and never sleep. */
export interface Clock {
  now(): EpochMs;
  /**
   * Calls back once after `ms` milliseconds; the returned function cancels it. For durations, such as time-outs: a clock that is moved
   * forward does not shorten them.
   */
  after(ms: number, callback: () => void): () => void;
  /** The implementation of `callAt` for a clock that can be moved forward; other clocks have none. */
  at?(time: number, callback: () => void): () => void;
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

/**
 * Calls back once when the clock shows `time`, at once if that is past; the returned function cancels it. For times of the day, such as the
 * end of a restriction: a clock that is moved forward past `time` calls back too.
 * @param time milliseconds since the epoch
 */
export function callAt(clock: Clock, time: number, callback: () => void): () => void {
  if (clock.at) return clock.at(time, callback);
  let cancel: () => void = () => undefined;
  const arm = () => {
    const leftMs = Math.max(0, time - clock.now());
    cancel = leftMs > LONGEST_TIMER_MS ? clock.after(LONGEST_TIMER_MS, arm) : clock.after(leftMs, callback);
  };
  arm();
  return () => cancel();
}

/** Waits `ms` milliseconds, by `Clock.after`; ends early, without an error, when the signal aborts. */
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
