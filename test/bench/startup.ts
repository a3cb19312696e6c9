import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { compiledCommand, mochaGlobalSetup, mochaGlobalTeardown } from '../support/compiled.js';
import { clientIdOf } from './support/client-id.js';
import type { Lab } from './support/lab.js';
import type { Comparison, Side } from './support/measurement.js';
import { median } from './support/statistics.js';

const ROUNDS = 5;
/** Runs of each program in a round, in turn with the others. */
const RUNS = 9;
const METHOD = `wall time of a process, compiled and with its manifest; ${RUNS} of each in turn in a round, whose median counts.`;

const runToEnd = promisify(execFile);

/** A command of the command line, and how many times longer than `node -e 0` it may take. */
interface Timed {
  argv: readonly string[];
  atMost: number;
}

/** How long commands take from their start to their end, beside Node with nothing to do. */
export async function startup(lab: Lab): Promise<Comparison[]> {
  const gateway = await lab.gateway();
  const { number } = await lab.person('Operator');
  await gateway.link(number);
  await mochaGlobalSetup();
  try {
    return await compare(compiledCommand(), gateway.environment, [
      { argv: ['--version'], atMost: 1.6 },
      { argv: ['sessions', 'list'], atMost: 3 },
      { argv: ['sessions', 'show', clientIdOf(number)], atMost: 3 },
    ]);
  } finally {
    await mochaGlobalTeardown();
  }
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
