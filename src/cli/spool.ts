import { createWriteStream } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { CliError } from './cli-error.js';
import { requirePipe } from './stdin.js';

/** What the daemon takes at most. */
const MAX_BYTES = 128 * 1024 * 1024;

/** A file for the time of one command. */
export interface Spooled {
  path: string;
  remove(): Promise<void>;
}

/**
 * Writes standard input to a file that only this user can read, so that its size and kind are known before it is sent.
 * @throws CliError `usage` when it is a terminal, empty or too long, `interrupted` when the signal aborted; nothing is
 * left then
 */
export async function spoolStandardInput(signal?: AbortSignal): Promise<Spooled> {
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
    if (bytes > MAX_BYTES) throw new CliError('usage', `standard input is longer than ${MAX_BYTES} bytes`);
    yield chunk;
  }
  if (bytes === 0) throw new CliError('usage', 'standard input is empty');
}
