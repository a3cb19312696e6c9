import { rmSync } from 'node:fs';
import { mkdtemp, readdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import type { MutantResult } from '@stryker-mutator/api/core';
import { Stryker } from '@stryker-mutator/core';
import { errorMessage } from '../../src/domain/errors.js';
import { ROOMS, type Room } from './rooms.js';

/**
 * `npm run mutants -- [ROOM...] [--sample N] [--seed TEXT] [--jobs N]`: breaks single expressions of the rooms' code, runs
 * their tests against each broken copy, and prints what no test noticed. Changes nothing in this folder.
 */
const USAGE = `Usage: npm run mutants -- [ROOM...] [--sample N] [--seed TEXT] [--jobs N]
Rooms: ${Object.keys(ROOMS).join(', ')}`;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    sample: { type: 'string', default: '100000' },
    seed: { type: 'string', default: '1' },
    jobs: { type: 'string', default: '2' },
  },
});
const names = positionals.length > 0 ? positionals : Object.keys(ROOMS);
const rooms = names.map((name) => ({ name, room: ROOMS[name] }));
const sample = Number(values.sample);
const jobs = Number(values.jobs);
if (rooms.some(({ room }) => !room) || !(sample >= 1) || !(jobs >= 1)) {
  console.error(USAGE);
  process.exit(2);
}

const table: string[] = [];
for (const { name, room } of rooms) {
  if (!room) continue;
  const line = await run(room).then(
    (mutants) => summary(name, mutants),
    (error: unknown) => `${name}: not measured: ${errorMessage(error)}`,
  );
  table.push(line);
}
console.log(`\n${table.join('\n')}`);

async function run(room: Room): Promise<MutantResult[]> {
  const folder = await mkdtemp(join(tmpdir(), 'mutants-'));
  const remove = () => rmSync(folder, { recursive: true, force: true });
  // an interruption ends the process without the rest of this function
  process.once('exit', remove);
  try {
    return await new Stryker({
      mutate: [...room.mutate],
      testRunner: 'mocha in one process',
      testRunnerNodeArgs: ['--import', 'tsx', '--no-experimental-require-module'],
      checkers: ['sample'],
      checkerNodeArgs: ['--import', 'tsx'],
      plugins: [fileURLToPath(new URL('plugins.ts', import.meta.url))],
      ignorers: ['words'],
      coverageAnalysis: 'perTest',
      concurrency: jobs,
      reporters: ['clear-text', 'progress-append-only'],
      clearTextReporter: { allowColor: false, logTests: false, reportTests: false, reportScoreTable: false },
      tempDirName: folder,
      ignorePatterns: ['.ci', 'dist', 'coverage'],
      // this would need TypeScript's JavaScript interface, which TypeScript 7 does not have
      tsconfigFile: 'none',
      disableTypeChecks: false,
      warnings: false,
      allowConsoleColors: false,
      timeoutMS: 10_000,
      timeoutFactor: 2,
      maxTestRunnerReuse: 25,
      dryRunTimeoutMinutes: 20,
      specs: (await Promise.all(room.specs.map(testFiles))).flat(),
      sample,
      seed: values.seed,
    }).runMutationTest();
  } finally {
    process.off('exit', remove);
    remove();
  }
}

/** The quick test files of a folder, or the file itself. */
async function testFiles(path: string): Promise<string[]> {
  if (path.endsWith('.ts')) return [path];
  const names = await readdir(path);
  return names.filter((name) => /(?<!\.long)\.test\.ts$/.test(name)).map((name) => join(path, name));
}

/** One line: how many mutants were run, and how many of them a test noticed. */
function summary(name: string, mutants: readonly MutantResult[]): string {
  const count = (...statuses: string[]) => mutants.filter(({ status }) => statuses.includes(status)).length;
  const noticed = count('Killed', 'Timeout');
  const missed = count('Survived', 'NoCoverage');
  const all = noticed + missed + count('CompileError', 'RuntimeError');
  const percent = ((100 * noticed) / (noticed + missed)).toFixed(1);
  const part =
    noticed + missed < all ? `a sample of ${noticed + missed} of ${all}, seed ${values.seed}` : `all ${all}`;
  return `${name}: ${noticed} of ${noticed + missed} mutants noticed (${percent} %), ${count('Timeout')} of them by the time limit; ${part}; ${count('Ignored')} in words not made`;
}
