import { cpus } from 'node:os';
import { sum } from './statistics.js';

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
