import { randomBytes } from 'node:crypto';
import { mkdir, open, readFile } from 'node:fs/promises';
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
  try {
    // exclusive: two daemons that start at once must end up with the same secret
    const file = await open(path, 'wx', 0o600);
    const secret = randomBytes(SECRET_BYTES).toString(encoding);
    await file.writeFile(`${secret}\n`);
    await file.sync();
    await file.close();
    return secret;
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
    const secret = (await readFile(path, 'utf8')).trim();
    if (!secret) throw new Error(`${name} is empty: delete it to have a new one made`);
    return secret;
  }
}
