import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { access, constants } from 'node:fs/promises';
import { setPriority } from 'node:os';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';

/** Bytes of memory, beside the program itself and its libraries. A picture of the largest size takes a quarter of it. */
const MEMORY = 1024 ** 3;
/** From release 24 on, Node reserves address space at its start. The limit counts these bytes, although nothing is in them. */
const RESERVED = Number.parseInt(process.versions.node, 10) >= 24 ? 1024 ** 3 / 2 : 0;
/** Bytes of the largest file that is written: a sticker. */
const FILE_SIZE = 64 * 1024 ** 2;
const OPEN_FILES = 256;
/** Decoder processes run at a lower priority than the daemon. */
const NICENESS = 1;
/** Milliseconds that a limiter may take to start a command. */
const PROBE_MS = 5_000;
const IS_UNIX = process.platform !== 'win32';

/**
 * Commands of util-linux that start another command with fewer rights, the innermost first. None of them needs root. A
 * container or a kernel may refuse some, above all the network of its own.
 */
const LIMITERS: readonly (readonly [string, ...string[]])[] = [
  [
    'prlimit',
    `--data=${MEMORY + RESERVED}`,
    `--fsize=${FILE_SIZE}`,
    `--nofile=${OPEN_FILES}`,
    '--core=0',
    '--',
  ],
  // the process ends with the daemon, and gains no rights from setuid programs
  ['setpriv', '--pdeathsig', 'KILL', '--no-new-privs', '--'],
  // a network without a connection, and a user without rights
  ['unshare', '--user', '--net', '--'],
];

let found: Promise<readonly string[]> | undefined;

/**
 * The command prefix that takes from a reader of strangers' files all rights that this machine can take. Empty if the
 * machine offers no limiter. Looked up once.
 */
export function confinement(): Promise<readonly string[]> {
  found ??= findLimiters();
  return found;
}

async function findLimiters(): Promise<readonly string[]> {
  let words: readonly string[] = [];
  for (const [name, ...options] of LIMITERS) {
    const path = await pathOf(name);
    const more = path && [path, ...options, ...words];
    if (more && (await works(more))) words = more;
  }
  return words;
}

/** Empty if the command is not installed. */
async function pathOf(name: string): Promise<string> {
  for (const folder of (process.env.PATH ?? '').split(delimiter)) {
    const path = join(folder, name);
    const isThere = await access(path, constants.X_OK).then(
      () => true,
      () => false,
    );
    if (isThere) return path;
  }
  return '';
}

async function works([command = '', ...words]: readonly string[]): Promise<boolean> {
  const version = [process.execPath, '--version'];
  return promisify(execFile)(command, [...words, ...version], { timeout: PROBE_MS }).then(
    () => true,
    () => false,
  );
}

/** The option of a start that puts the process at the head of a group of its own. */
export const OWN_GROUP = { detached: IS_UNIX };

/** Gives the daemon the processor before a process that was just started. */
export function lowerPriority({ pid }: ChildProcess): void {
  try {
    if (pid !== undefined) setPriority(pid, NICENESS);
  } catch {
    // the process has ended, or runs at normal priority
  }
}

/** Kills a process that was started with `OWN_GROUP`, and everything that it started. */
export function killGroup(child: ChildProcess): void {
  try {
    if (IS_UNIX && child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
    else child.kill('SIGKILL');
  } catch {
    // the whole group has ended
  }
}

/**
 * Runs a program with the fewest rights.
 * @param maxBytes of its output
 * @returns what it wrote to standard output
 * @throws Error if it fails, or writes too much; the signal's reason
 */
export async function outputOf(
  command: readonly string[],
  { env, maxBytes, signal }: { env: NodeJS.ProcessEnv; maxBytes: number; signal: AbortSignal },
): Promise<Buffer> {
  const [first = '', ...words] = [...(await confinement()), ...command];
  signal.throwIfAborted();
  const child = spawn(first, words, { ...OWN_GROUP, env, stdio: ['ignore', 'pipe', 'ignore'] });
  lowerPriority(child);
  const kill = () => killGroup(child);
  signal.addEventListener('abort', kill, { once: true });
  const chunks: Buffer[] = [];
  let bytes = 0;
  child.stdout.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > maxBytes) kill();
    else chunks.push(chunk);
  });
  try {
    const code = await new Promise<number | null>((resolve, reject) => {
      // ends background processes of the program too
      child.once('exit', kill);
      child.once('error', reject);
      child.once('close', resolve);
    });
    signal.throwIfAborted();
    if (code !== 0) throw new Error(`${command[0]} ended with ${code ?? 'a signal'}`);
    return Buffer.concat(chunks);
  } finally {
    signal.removeEventListener('abort', kill);
  }
}
