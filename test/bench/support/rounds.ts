import { setTimeout as wait } from 'node:timers/promises';
import { watchCores } from './cores.js';
import type { Side } from './measurement.js';
import { sum } from './statistics.js';
import type { Worker } from './worker.js';

/** Milliseconds after which a round begins although not everybody is at rest: nobody ever is on a busy machine. */
const REST_MS = 3_000;

/** Messages before the first round, and in a round at least. */
const WARM_UP = 48;

/** Processes by their names: `node 1`, `sandbox` … */
export type Processes = Readonly<Record<string, Pick<Worker<never>, 'idle' | 'cpuMs'>>>;

export interface Round {
  /** How many messages it has. */
  count: number;
  /** Everybody whose CPU is told; all are at rest before it begins. */
  processes: Processes;
  /** @returns how many milliseconds it took */
  send(count: number): Promise<number>;
}

/**
 * How many messages a round of that many seconds has: stores and machines differ by ten times. Sends some to find out, and
 * then a whole round, so that the processes are warm.
 */
export async function roundOf(seconds: number, send: Round['send']): Promise<number> {
  await send(WARM_UP);
  const count = Math.max(WARM_UP, Math.round((WARM_UP / (await send(WARM_UP))) * seconds * 1_000));
  await send(count);
  return count;
}

/** A side of whose rounds the CPU of each process is told. */
export function detailedSide(): Side & Required<Pick<Side, 'cpuMsOf' | 'coresBusy'>> {
  return { rounds: [], cpuMsOf: {}, coresBusy: [] };
}

/** One round; this process, which sends, and all that is not named are told as well. */
export async function recordRound(
  side: ReturnType<typeof detailedSide>,
  { count, processes, send }: Round,
): Promise<void> {
  const rest = Object.values(processes).map((process) => process.idle());
  await Promise.race([Promise.all(rest), wait(REST_MS)]);
  const cores = watchCores();
  const before = await cpuOf(processes);
  const tookMs = await send(count);
  const { cores: busy, cpuMs } = cores();
  const after = await cpuOf(processes);
  side.rounds.push((count / tookMs) * 1_000);
  side.coresBusy.push(busy);
  const used = Object.entries(after).map(([name, ms]) => [name, ms - (before[name] ?? 0)] as const);
  const others = cpuMs - sum(used.map(([, ms]) => ms));
  for (const [name, ms] of [...used, ['all else', others] as const]) {
    side.cpuMsOf[name] = [...(side.cpuMsOf[name] ?? []), ms / count];
  }
}

async function cpuOf(processes: Processes): Promise<Record<string, number>> {
  const named = await Promise.all(
    Object.entries(processes).map(async ([name, process]) => [name, await process.cpuMs()] as const),
  );
  const { user, system } = process.cpuUsage();
  return { ...Object.fromEntries(named), client: (user + system) / 1_000 };
}
