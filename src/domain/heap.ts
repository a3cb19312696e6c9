import { setFlagsFromString } from 'node:v8';

/** V8's default factor by which the young generation grows when much of it survives. */
const DEFAULT_GROWTH = 2;

/** Number of running calls of `inSmallYoungGeneration`. */
let running = 0;

/**
 * Runs work that loads modules or makes other long-lived objects. V8 would take their survival for a sign of many
 * short-lived objects, and enlarge the young generation to three times 16 MB, which a daemon never needs. While `work`
 * runs, the growth factor is 1, so the young generation keeps its size.
 */
export async function inSmallYoungGeneration<T>(work: () => Promise<T>): Promise<T> {
  running += 1;
  setGrowth(1);
  try {
    return await work();
  } finally {
    running -= 1;
    if (running === 0) setGrowth(DEFAULT_GROWTH);
  }
}

function setGrowth(factor: number): void {
  setFlagsFromString(`--semi-space-growth-factor=${factor}`);
}

/**
 * Collects garbage now, which takes about 50 ms while 30 MB are alive. V8 itself would collect the old generation for the first time
 * when it has 256 MB, and would not give their pages back. After a collection it waits only until the heap has grown by a part of
 * what was alive.
 */
export async function collectGarbage(): Promise<void> {
  const { Session } = await import('node:inspector/promises');
  const session = new Session();
  session.connect();
  try {
    await session.post('HeapProfiler.collectGarbage');
  } finally {
    session.disconnect();
  }
}
