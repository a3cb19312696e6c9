import { watchCores } from './cores.js';
import type { Side } from './measurement.js';
import { sum } from './statistics.js';
import type { Worker } from './worker.js';

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

/** A side of whose rounds the CPU of each process is told. */
export function detailedSide(): Side & Required<Pick<Side, 'cpuMsOf' | 'coresBusy'>> {
  return { rounds: [], cpuMsOf: {}, coresBusy: [] };
}

/** One round; this process, which sends, and all that is not named are told as well. */
export async function recordRound(
  side: ReturnType<typeof detailedSide>,
  { count, processes, send }: Round,
): Promise<void> {
  for (const process of Object.values(processes)) await process.idle();
  const cores = watchCores();
  const before = await cpuOf(processes);
  const tookMs = await send(count);
  const { cores: busy, cpuMs } = cores();
  const after = await cpuOf(processes);
  side.rounds.push((count / tookMs) * 1_000);
  side.coresBusy.push(busy);
  const used = Object.entries(after).map(([name, ms]) => [name, ms - (before[name] ?? 0)] as const);
  const rest = cpuMs - sum(used.map(([, ms]) => ms));
  for (const [name, ms] of [...used, ['all else', rest] as const]) {
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
