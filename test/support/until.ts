import { systemClock, wait } from '../../src/domain/clock.js';

const PATIENCE_MS = 60_000;
/** Milliseconds between two looks. */
const LOOK_MS = 50;

/** Polls a condition that causes no event. @throws after a minute, unless the patience is another one */
export async function until(
  what: string,
  holds: () => Promise<boolean>,
  patienceMs: number = PATIENCE_MS,
): Promise<void> {
  const deadline = performance.now() + patienceMs;
  while (!(await holds())) {
    if (performance.now() > deadline) throw new Error(`waited for ${what} in vain`);
    await wait(systemClock, LOOK_MS);
  }
}
