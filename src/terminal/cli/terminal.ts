import { createWriteStream } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline/promises';
import { pipeline } from 'node:stream/promises';
import { singleLine } from '../../domain/text.js';
import { CliError } from './errors.js';

export interface Interrupt {
  signal: AbortSignal;
  /** Resolves when the signal aborts. */
  aborted: Promise<void>;
  /** Restores the default behaviour of Ctrl+C. */
  release(): void;
}

/**
 * Aborts on SIGINT, SIGTERM, a closed terminal, or a closed pipe (`… | head`). A second Ctrl+C ends the process at once.
 */
export function listenForInterrupt(): Interrupt & {
  /** True if a signal was the cause, not a closed pipe. */
  readonly bySignal: boolean;
} {
  const controller = new AbortController();
  let bySignal = false;
  const abort = (cause: unknown) => {
    bySignal = typeof cause === 'string';
    release();
    controller.abort();
  };
  const release = () => {
    process.off('SIGINT', abort);
    process.off('SIGTERM', abort);
    process.off('SIGHUP', abort);
    process.stdout.off('error', abort);
  };
  process.on('SIGINT', abort);
  process.on('SIGTERM', abort);
  // with nohup the command outlives its terminal; its output is then not a terminal
  if (process.stdout.isTTY) process.on('SIGHUP', abort);
  process.stdout.on('error', abort);
  const { signal } = controller;
  const aborted = new Promise<void>((resolve) =>
    signal.addEventListener('abort', () => resolve(), { once: true }),
  );
  return {
    signal,
    aborted,
    release,
    get bySignal() {
      return bySignal;
    },
  };
}

/**
 * Asks a yes-or-no question on the terminal.
 * @param instead what to do without a terminal
 * @throws CliError `usage` without a terminal, `failure` if the answer is not yes
 */
export async function confirm(question: string, instead = 'add --yes'): Promise<void> {
  if (!process.stdin.isTTY || !process.stderr.isTTY) {
    throw new CliError('usage', `there is no terminal to answer the question: ${question}`, {
      suggestions: [instead],
    });
  }
  const prompt = createInterface({ input: process.stdin, output: process.stderr });
  const answer = await new Promise<string>((resolve) => {
    prompt.once('close', () => resolve(''));
    void prompt.question(`${singleLine(question)} [y/N] `).then(resolve);
  });
  prompt.close();
  if (!/^y(es)?$/i.test(answer.trim())) throw new CliError('failure', 'nothing was changed');
}

/** Asks for a secret on the terminal, which does not show it. @throws CliError `interrupted` after Ctrl+C */
export async function askSecret(question: string): Promise<string> {
  process.stderr.write(`${question} `);
  // without an output, nothing of what is typed is echoed
  const prompt = createInterface({ input: process.stdin, terminal: true });
  const controller = new AbortController();
  prompt.once('SIGINT', () => controller.abort());
  try {
    return await prompt.question('', { signal: controller.signal });
  } catch (error) {
    throw new CliError('interrupted', 'interrupted', { cause: error });
  } finally {
    prompt.close();
    process.stderr.write('\n');
  }
}

/** Longest text in bytes, so that a wrong file does not fill the memory. */
const MAX_TEXT_BYTES = 8 * 1024 * 1024;

/**
 * The argument, or standard input if it is `-`.
 * @throws CliError `usage` if standard input is a terminal or too long
 */
export async function readArgument(value: string): Promise<string> {
  if (value !== '-') return value;
  requirePipe();
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of process.stdin) {
    chunks.push(Buffer.from(chunk));
    bytes += chunk.length;
    if (bytes > MAX_TEXT_BYTES)
      throw new CliError('usage', `standard input is longer than ${MAX_TEXT_BYTES} bytes`);
  }
  // echo and editors add a line end
  return Buffer.concat(chunks)
    .toString('utf8')
    .replace(/\r?\n$/, '');
}

/** @throws CliError `usage` if standard input is a terminal */
export function requirePipe(): void {
  if (!process.stdin.isTTY) return;
  throw new CliError('usage', 'standard input is a terminal', {
    suggestions: ['pipe something into it: echo hello | switchboard …'],
  });
}

/** Limit of the daemon in bytes. */
const MAX_FILE_BYTES = 128 * 1024 * 1024;

/**
 * Writes standard input to a private temporary file, so that its size and type are known before sending.
 * @throws CliError `usage` if it is a terminal, empty or too long, `interrupted` if the signal aborted; the file is then
 * removed
 */
export async function spoolStandardInput(
  signal?: AbortSignal,
): Promise<{ path: string; remove(): Promise<void> }> {
  requirePipe();
  const folder = await mkdtemp(join(tmpdir(), 'switchboard-'));
  const remove = () => rm(folder, { recursive: true, force: true });
  try {
    const path = join(folder, 'stdin');
    await pipeline(process.stdin, bounded, createWriteStream(path, { mode: 0o600 }), { signal });
    return { path, remove };
  } catch (error) {
    await remove();
    throw signal?.aborted ? new CliError('interrupted', 'interrupted', { cause: error }) : error;
  }
}

async function* bounded(source: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let bytes = 0;
  for await (const chunk of source) {
    bytes += chunk.length;
    if (bytes > MAX_FILE_BYTES)
      throw new CliError('usage', `standard input is longer than ${MAX_FILE_BYTES} bytes`);
    yield chunk;
  }
  if (bytes === 0) throw new CliError('usage', 'standard input is empty');
}
