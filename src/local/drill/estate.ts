import { rm } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { systemClock, wait } from '../../domain/clock.js';
import { parseObject } from '../../domain/json.js';

/** All resources of a drill that must not outlive it. */
export interface Estate {
  /** Programs that the drill has started and that have not ended. */
  readonly pids: Set<number>;
  /** Data and logs; undefined if the operator keeps them. */
  folder: string | undefined;
  /** URL of the database on the server of `--store`; undefined while there is none. */
  database: string | undefined;
}

/** A change of an estate, which the drill writes to its reaper as a line of JSON. */
export type EstateChange =
  | { started: number }
  | { ended: number }
  | { folder: string }
  | { database: string | null };

/** Milliseconds to wait for killed programs; a zombie stays in the process table. */
const GONE_MS = 2_000;
const LOOK_MS = 20;
/** Options to remove the folder; with retries, because a program that ends may still write a file. */
const REMOVE = { recursive: true, force: true, maxRetries: 5, retryDelay: 100 } as const;

export function emptyEstate(): Estate {
  return { pids: new Set(), folder: undefined, database: undefined };
}

/** Reads changes until the input ends, because the drill closes it or has ended in any way. */
export async function readEstate(input: NodeJS.ReadableStream): Promise<Estate> {
  const estate = emptyEstate();
  for await (const line of createInterface({ input })) {
    // the last line may be incomplete, if the drill was killed during a write
    const { started, ended, folder, database } = parseObject(line) ?? {};
    if (typeof started === 'number') estate.pids.add(started);
    if (typeof ended === 'number') estate.pids.delete(ended);
    if (typeof folder === 'string') estate.folder = folder;
    if (database === null || typeof database === 'string') estate.database = database ?? undefined;
  }
  return estate;
}

/** Kills the programs (SIGKILL) and removes the folder; the caller must drop the database. @throws Error of the file system */
export async function freeEstate({ pids, folder }: Estate): Promise<void> {
  for (const pid of pids) signalTo(pid, 'SIGKILL');
  const deadline = performance.now() + GONE_MS;
  while ([...pids].some((pid) => signalTo(pid, 0)) && performance.now() < deadline)
    await wait(systemClock, LOOK_MS);
  if (folder !== undefined) await rm(folder, REMOVE);
}

/** Sends a signal. @param signal 0 only checks whether the process exists @returns false if it does not */
function signalTo(pid: number, signal: 'SIGKILL' | 0): boolean {
  try {
    return process.kill(pid, signal);
  } catch {
    return false;
  }
}
