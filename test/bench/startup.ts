import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { promisify } from 'node:util';
import { request } from 'undici';
import { compiledCommand } from '../support/compiled.js';
import type { Lab } from './support/lab.js';
import { absolute, type Comparison, type Side } from './support/report.js';
import { median } from './support/rounds.js';
import { clientIdOf } from './support/send-texts.js';

const ROUNDS = 5;
/** Where the daemons of this measurement listen. */
const PORT = 38_117;
const LOOK_MS = 10;
const QUIET_MS = 3_000;
/** Runs of each program in a round, in turn with the others. */
const RUNS = 9;
const METHOD = `wall time of a process, compiled and with its manifest; ${RUNS} of each in turn in a round, whose median counts.`;

const runToEnd = promisify(execFile);

/** A command of the command line, and how many times longer than `node -e 0` it may take. */
interface Timed {
  argv: readonly string[];
  atMost: number;
}

/** How long commands take, and a daemon takes until it answers, beside Node with nothing to do. */
export async function startup(lab: Lab): Promise<Comparison[]> {
  const gateway = await lab.gateway();
  const { number } = await lab.person('Operator');
  await gateway.link(number);
  const commands = await compare(compiledCommand(), gateway.environment, [
    { argv: ['--version'], atMost: 1.6 },
    { argv: ['sessions', 'list'], atMost: 2 },
    { argv: ['sessions', 'show', clientIdOf(number)], atMost: 3 },
  ]);
  return [...commands, ...(await starts(compiledCommand()))];
}

async function compare(
  entry: string,
  environment: Record<string, string>,
  commands: readonly Timed[],
): Promise<Comparison[]> {
  const env = { ...process.env, ...environment };
  const programs = [['-e', '0'], ...commands.map(({ argv }) => [entry, ...argv])];
  await round(programs, env, 1);
  const rounds: number[][] = [];
  for (let count = 0; count < ROUNDS; count++) rounds.push(await round(programs, env, RUNS));
  const side = (program: number): Side => ({ rounds: rounds.map((times) => times[program] ?? Number.NaN) });
  return commands.map(({ argv, atMost }, index) => ({
    name: `switchboard ${argv.filter((word) => !/\d/.test(word)).join(' ')}`,
    unit: 'ms',
    gateway: side(index + 1),
    raw: side(0),
    rawIs: 'node -e 0',
    target: { atMost },
    method: METHOD,
  }));
}

/** A daemon without sessions. */
async function starts(entry: string): Promise<Comparison[]> {
  const runs: { seconds: number; mb: number }[] = [];
  for (let count = 0; count < ROUNDS; count++) runs.push(await startOnce(entry));
  const method = `median of ${ROUNDS} starts on an empty data directory; memory (RSS) ${QUIET_MS / 1_000} s after the first answer.`;
  return [
    absolute(
      { name: 'switchboard start, until it answers', unit: 's', target: { atMost: 0.8 }, method },
      median(runs.map(({ seconds }) => seconds)),
    ),
    absolute(
      { name: 'a daemon without sessions', unit: 'MB', target: { atMost: 120 }, method },
      median(runs.map(({ mb }) => mb)),
    ),
  ];
}

async function startOnce(entry: string): Promise<{ seconds: number; mb: number }> {
  const dataDir = await mkdtemp(join(tmpdir(), 'switchboard-bench-'));
  const startedAt = performance.now();
  const argv = ['start', '--port', String(PORT), '--data-dir', dataDir, '--log-level', 'silent'];
  const daemon = spawn(process.execPath, [entry, ...argv], { stdio: 'ignore' });
  const ended = once(daemon, 'exit');
  while (!(await answers())) await wait(LOOK_MS);
  const seconds = (performance.now() - startedAt) / 1_000;
  await wait(QUIET_MS);
  const status = await readFile(`/proc/${daemon.pid}/status`, 'utf8').catch(() => '');
  const mb = Number(/^VmRSS:\s+(\d+)/m.exec(status)?.[1] ?? Number.NaN) / 1_024;
  daemon.kill();
  await ended;
  await rm(dataDir, { recursive: true });
  return { seconds, mb };
}

async function answers(): Promise<boolean> {
  const answer = await request(`http://127.0.0.1:${PORT}/health/live`).catch(() => undefined);
  await answer?.body.dump();
  return answer?.statusCode === 200;
}

/** Each program's median milliseconds from start to end. */
async function round(
  programs: readonly (readonly string[])[],
  env: NodeJS.ProcessEnv,
  runs: number,
): Promise<number[]> {
  const times = programs.map((): number[] => []);
  for (let count = 0; count < runs; count++) {
    for (const [index, argv] of programs.entries()) {
      const startedAt = performance.now();
      await runToEnd(process.execPath, [...argv], { env });
      times[index]?.push(performance.now() - startedAt);
    }
  }
  return times.map(median);
}
