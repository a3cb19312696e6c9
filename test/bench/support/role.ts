import { performance } from 'node:perf_hooks';
import { setTimeout as wait } from 'node:timers/promises';

/** What a process of a measurement can be asked for. */
export interface Commands {
  [name: string]: { run(input: unknown): unknown }['run'];
}

export interface Question {
  id: number;
  name: string;
  input: unknown;
}

export interface Answer {
  id: number;
  /** As JSON. */
  result?: string;
  error?: string;
}

/** Answers the commands of whoever started this process, until they let go of it. */
export function serve(commands: Commands): void {
  process.on('message', async (text) => {
    const { id, name, input }: Question = JSON.parse(String(text));
    process.send?.(JSON.stringify(await answer(commands, id, name, input)));
  });
  process.on('disconnect', () => process.exit());
}

async function answer(commands: Commands, id: number, name: string, input: unknown): Promise<Answer> {
  try {
    const command = commands[name];
    if (!command) throw new Error(`there is no command ${name}`);
    return { id, result: JSON.stringify((await command(input)) ?? null) };
  } catch (error) {
    return { id, error: error instanceof Error ? (error.stack ?? error.message) : String(error) };
  }
}

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
