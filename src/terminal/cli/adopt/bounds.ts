import { readFile, stat } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { CliError } from '../errors.js';

const MIB = 1024 * 1024;
/** Bytes of one number with all its keys: about ten times the size of a number with 10,000 contacts. Node's longest text is twice this length. */
export const NUMBER_BYTES = 256 * MIB;
/** Bytes of a file or value with one key, or with the credentials. */
export const KEY_BYTES = 16 * MIB;
/** Numbers in the store of another program. */
export const MOST_NUMBERS = 100_000;

const NEWLINE = 0x0a;
const OPENING_BRACE = 0x7b;
const BLANKS: ReadonlySet<number> = new Set([0x20, 0x09, 0x0d]);

/**
 * The lines of an input, each a JSON object. Refuses other input at its first byte, and a line as soon as it is too
 * long.
 * @param most bytes of a line
 * @throws CliError `usage` that names the line
 */
export async function* objectLines(
  input: Readable,
  most = NUMBER_BYTES,
): AsyncGenerator<{ text: string; line: number }> {
  let parts: Buffer[] = [];
  let size = 0;
  let line = 1;
  const take = (bytes: Buffer) => {
    if (parts.length === 0) {
      const first = bytes.find((byte) => !BLANKS.has(byte));
      if (first === undefined) return;
      if (first !== OPENING_BRACE) throw wrongLine(line, 'is not a JSON object');
    }
    size += bytes.length;
    if (size > most) throw wrongLine(line, `has more than ${most / MIB} MB`);
    parts.push(bytes);
  };
  for await (const chunk of input) {
    let rest: Buffer = Buffer.isBuffer(chunk) ? chunk : Buffer.from(chunk);
    for (let end = rest.indexOf(NEWLINE); end !== -1; end = rest.indexOf(NEWLINE)) {
      take(rest.subarray(0, end));
      if (parts.length > 0) yield { text: Buffer.concat(parts).toString(), line };
      [parts, size] = [[], 0];
      line += 1;
      rest = rest.subarray(end + 1);
    }
    take(rest);
  }
  if (parts.length > 0) yield { text: Buffer.concat(parts).toString(), line };
}

/** The error for a line of an input. */
export function wrongLine(line: number, problem: string): CliError {
  return new CliError('usage', `line ${line}: ${problem}`);
}

/** The text of a small file; empty if there is none, if it cannot be read, or if it is too long. */
export async function readKeyFile(path: string): Promise<string> {
  try {
    const { size } = await stat(path);
    return size > KEY_BYTES ? '' : await readFile(path, 'utf8');
  } catch {
    return '';
  }
}
