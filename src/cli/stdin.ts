import { CliError } from './cli-error.js';

/** Bytes that are read at most: a text is far shorter, and a wrong file should not fill the memory. */
const MAX_BYTES = 8 * 1024 * 1024;

/**
 * An argument, or what stands on standard input when it is `-`.
 * @throws CliError `usage` when standard input is a terminal or too long.
 */
export async function readArgument(value: string): Promise<string> {
  if (value !== '-') return value;
  requirePipe();
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of process.stdin) {
    chunks.push(Buffer.from(chunk));
    bytes += chunk.length;
    if (bytes > MAX_BYTES) throw new CliError('usage', `standard input is longer than ${MAX_BYTES} bytes`);
  }
  // the line end that every echo and every editor adds
  return Buffer.concat(chunks)
    .toString('utf8')
    .replace(/\r?\n$/, '');
}

/** @throws CliError `usage` when standard input is a terminal */
export function requirePipe(): void {
  if (!process.stdin.isTTY) return;
  throw new CliError('usage', 'there is nothing on standard input', {
    suggestions: ['pipe something into it: echo hello | switchboard …'],
  });
}
