import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const run = promisify(execFile);
const ROOT = fileURLToPath(new URL('../..', import.meta.url));
/** Holds the folder of the compiled project for the processes that run the tests. */
const VARIABLE = 'TEST_BUILD';

/**
 * Compiles the project once for all tests, into a folder of this run: what tests start as processes of their own is what
 * ships, and starts in a fraction of the time that it would take from the sources. Types are checked elsewhere.
 */
export async function mochaGlobalSetup(): Promise<void> {
  const cache = join(ROOT, 'node_modules', '.cache');
  await mkdir(cache, { recursive: true });
  const folder = await mkdtemp(join(cache, 'switchboard-test-'));
  process.env[VARIABLE] = folder;
  try {
    const tool = (name: string) => join(ROOT, 'node_modules', '.bin', name);
    await run(tool('tsc'), ['-p', ROOT, '--noCheck', '--outDir', join(folder, 'dist')]);
    for (const part of ['bin', 'package.json']) {
      await cp(join(ROOT, part), join(folder, part), { recursive: true });
    }
    // it would ask the registry for a newer version of itself
    const env = { ...process.env, OCLIF_SKIP_NEW_VERSION_CHECK: 'true' };
    await run(tool('oclif'), ['manifest'], { cwd: folder, env });
  } catch (error) {
    await mochaGlobalTeardown();
    throw error;
  }
}

export async function mochaGlobalTeardown(): Promise<void> {
  await rm(compiledProject(), { recursive: true, force: true });
}

/** The folder of the compiled project. */
export function compiledProject(): string {
  const folder = process.env[VARIABLE];
  if (!folder) throw new Error('tests need the options of .mocharc.json, which compile the project first');
  return folder;
}

/** The command line's entry point. */
export function compiledCommand(): string {
  return join(compiledProject(), 'bin', 'run.js');
}

/** A program among the tests, given as the URL of its source. */
export function compiledProgram(source: URL): string {
  return join(compiledProject(), 'dist', relative(ROOT, fileURLToPath(source)).replace(/\.ts$/, '.js'));
}
