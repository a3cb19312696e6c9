import { readFile, writeFile } from 'node:fs/promises';

/** Says to the kernel: forget how much memory the process had at most. */
const FORGET_PEAK = '5';

/** Megabytes by which a process grew at most while something was done. */
export async function growthDuring(pid: number, act: () => Promise<unknown>): Promise<number> {
  await writeFile(`/proc/${pid}/clear_refs`, FORGET_PEAK);
  const before = await megabytes(pid, 'VmRSS');
  await act();
  return (await megabytes(pid, 'VmHWM')) - before;
}

async function megabytes(pid: number, what: 'VmRSS' | 'VmHWM'): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  return Number(new RegExp(`^${what}:\\s+(\\d+) kB$`, 'm').exec(status)?.[1]) / 1024;
}
