import { cpus } from 'node:os';
import { setTimeout as wait } from 'node:timers/promises';
import type { Side } from './report.js';
import type { Worker } from './worker.js';

/** The middle value; of an even number of values the mean of the middle two. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length / 2;
  const [low = Number.NaN, high = low] = sorted.slice(Math.ceil(middle) - 1, Math.floor(middle) + 1);
  return (low + high) / 2;
}

export function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

/** Milliseconds that all cores of this machine have been busy, and that they have been there, since it started. */
function coreTimes(): { busy: number; all: number } {
  const times = cpus().map(({ times: { idle, ...busy } }) => ({ idle, busy: sum(Object.values(busy)) }));
  const busy = sum(times.map((core) => core.busy));
  return { busy, all: busy + sum(times.map(({ idle }) => idle)) };
}

/** Watches the whole machine. @returns what tells how many of its cores were busy since then, and for how many milliseconds of CPU */
export function watchCores(): () => { cores: number; cpuMs: number } {
  const before = coreTimes();
  return () => {
    const { busy, all } = coreTimes();
    const cpuMs = busy - before.busy;
    return { cores: (cpuMs / (all - before.all)) * cpus().length, cpuMs };
  };
}

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
