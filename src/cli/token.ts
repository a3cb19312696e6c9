import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { TOKEN_FILE } from '../config/token-file.js';
import { CliError } from './cli-error.js';

const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/;

/** True for a daemon's address that leads to this machine, whose files are then the daemon's. */
export function isThisMachine(url: string): boolean {
  return LOOPBACK.test(new URL(url).hostname);
}

/** Where the daemon keeps its token. */
export function tokenPath(dataDir: string): string {
  return join(dataDir, TOKEN_FILE);
}

/**
 * The token that the daemon keeps in its data directory; undefined when there is none. It is only read for a daemon on
 * this machine: another host must never be shown it.
 * @throws CliError when the file is there but must not be read.
 */
export async function findToken(url: string, dataDir: string): Promise<string | undefined> {
  if (!isThisMachine(url)) return undefined;
  try {
    return (await readFile(tokenPath(dataDir), 'utf8')).trim() || undefined;
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : '';
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    throw new CliError('unauthorized', `the token in ${tokenPath(dataDir)} cannot be read (${code})`, {
      suggestions: ['run it as the user that runs the daemon', 'or pass --token or set SWITCHBOARD_TOKEN'],
      cause: error,
    });
  }
}
