import { randomBytes } from 'node:crypto';
import { link, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Config } from './schema.js';

/** Where the master token is kept; commands on the same machine read it there. */
export const TOKEN_FILE = 'token';
const ENCRYPTION_KEY_FILE = 'encryption-key';
const SECRET_BYTES = 32;

type Secrets = Pick<Config, 'token' | 'encryptionKey'>;

/** The named secrets, or those of the data directory, which are made on first use: mode 0600, 256 random bits. */
export async function loadSecrets(
  dataDir: string,
  named: { token?: unknown; encryptionKey?: unknown },
): Promise<Secrets> {
  await mkdir(dataDir, { recursive: true, mode: 0o700 });
  return {
    token:
      named.token === undefined ? await secretFile(dataDir, TOKEN_FILE, 'base64url') : String(named.token),
    encryptionKey:
      named.encryptionKey === undefined
        ? await secretFile(dataDir, ENCRYPTION_KEY_FILE, 'hex')
        : String(named.encryptionKey),
  };
}

/** The bytes of an encryption key written as hex or base64. */
export function encryptionKeyBytes(key: string): Uint8Array {
  return Buffer.from(key, /^[0-9a-fA-F]{64}$/.test(key) ? 'hex' : 'base64');
}

async function secretFile(dataDir: string, name: string, encoding: 'hex' | 'base64url'): Promise<string> {
  const path = join(dataDir, name);
  const draft = `${path}.${process.pid}.${randomBytes(4).toString('hex')}`;
  const kept = await readSecret(path);
  if (kept !== undefined) return kept;
  try {
    await writeFile(draft, `${randomBytes(SECRET_BYTES).toString(encoding)}\n`, { mode: 0o600, flush: true });
    // a hard link appears whole or not at all: two daemons that start at once end up with the same secret
    await link(draft, path).catch(ignoreExisting);
  } finally {
    await rm(draft, { force: true });
  }
  return (await readSecret(path)) ?? '';
}

async function readSecret(path: string): Promise<string | undefined> {
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
  if (text !== undefined && !text.trim())
    throw new Error(`${path} is empty: delete it to have a new one made`);
  return text?.trim();
}

function ignoreExisting(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EEXIST') throw error;
}
