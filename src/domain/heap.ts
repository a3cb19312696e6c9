import { setFlagsFromString } from 'node:v8';

/** By which V8 multiplies the size of the young generation when much of it survives; its default. */
const DEFAULT_GROWTH = 2;

/** How many calls of `inSmallYoungGeneration` are under way. */
let running = 0;

/**
 * Loads modules, or makes other objects that stay. V8 takes survival for a sign of many short-lived objects, and enlarges the young
 * generation to three times 16 MB, which a daemon then keeps without need. While `work` runs, the factor of that growth is 1, so the
 * young generation keeps its size.
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
