import { systemClock, wait } from '../../src/domain/clock.js';

const PATIENCE_MS = 60_000;
/** Milliseconds between two looks. */
const LOOK_MS = 50;

/** Polls a condition that causes no event. @throws after a minute */
export async function until(what: string, holds: () => Promise<boolean>): Promise<void> {
  const deadline = performance.now() + PATIENCE_MS;
  while (!(await holds())) {
    if (performance.now() > deadline) throw new Error(`waited for ${what} in vain`);
    await wait(systemClock, LOOK_MS);
  }
}
