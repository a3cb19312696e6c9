import { performance } from 'node:perf_hooks';
import { setTimeout as wait } from 'node:timers/promises';

/** Milliseconds over which idleness is judged. */
const WINDOW_MS = 50;
const WINDOWS_AT_MOST = 400;
/** Part of a window that an idle process may be busy for. */
const IDLE = 0.1;
const COLLECTIONS = 5;
const BETWEEN_COLLECTIONS_MS = 100;

/** Commands that every process of a measurement has. */
export const vitals = {
  /** Milliseconds of CPU since the start of the process. */
  cpuMs: (_: object): number => {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1_000;
  },
  /** Resolves when the event loop rests; a process that is never idle is let go after 20 s. */
  idle: async (_: object): Promise<void> => {
    let calm = 0;
    for (let window = 0; window < WINDOWS_AT_MOST && calm < 2; window++) {
      const before = performance.eventLoopUtilization();
      await wait(WINDOW_MS);
      calm = performance.eventLoopUtilization(before).utilization < IDLE ? calm + 1 : 0;
    }
  },
  /** Resident megabytes after garbage collection, the least of several looks. */
  residentMb: async (_: object): Promise<number> => {
    let least = Number.POSITIVE_INFINITY;
    for (let count = 0; count < COLLECTIONS; count++) {
      globalThis.gc?.();
      await wait(BETWEEN_COLLECTIONS_MS);
      least = Math.min(least, process.memoryUsage.rss());
    }
    return least / 1024 / 1024;
  },
};
