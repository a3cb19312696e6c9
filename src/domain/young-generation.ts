import { setFlagsFromString } from 'node:v8';

/** By which V8 multiplies the size of the young generation when much of it survives; its default. */
const DEFAULT_GROWTH = 2;

/**
 * Runs work whose objects stay, such as loading modules. V8 takes survival for a sign of many short-lived objects, and enlarges the
 * young generation to three times 16 MB, which a daemon then keeps without need. It reads this factor whenever it wants to
 * enlarge it, so the size stays as it is during the work.
 */
export async function withYoungGenerationAsItIs<T>(work: () => Promise<T>): Promise<T> {
  setGrowth(1);
  try {
    return await work();
  } finally {
    setGrowth(DEFAULT_GROWTH);
  }
}

function setGrowth(factor: number): void {
  setFlagsFromString(`--semi-space-growth-factor=${factor}`);
}
