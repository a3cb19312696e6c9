import { randomBytes } from 'node:crypto';
import { link, mkdir, open, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Config } from './schema.js';
import { TOKEN_FILE } from './token-file.js';

const ENCRYPTION_KEY_FILE = 'encryption-key';
/** The key that takes the place of the one above, from before the store knows it until the store knows no other. */
const NEXT_KEY_FILE = 'encryption-key.next';
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
      named.token === undefined
        ? await secretFile(dataDir, TOKEN_FILE, randomSecret('base64url'))
        : String(named.token),
    encryptionKey:
      named.encryptionKey === undefined ? await ownEncryptionKey(dataDir) : String(named.encryptionKey),
  };
}

/** The bytes of an encryption key written as hex or base64. */
export function encryptionKeyBytes(key: string): Uint8Array {
  return Buffer.from(key, /^[0-9a-fA-F]{64}$/.test(key) ? 'hex' : 'base64');
}

/** Where a data directory keeps its encryption key. */
export function encryptionKeyPath(dataDir: string): string {
  return join(dataDir, ENCRYPTION_KEY_FILE);
}

/** The encryption key of a data directory; undefined when it has none. */
export function readEncryptionKey(dataDir: string): Promise<string | undefined> {
  return readSecret(encryptionKeyPath(dataDir));
}

/**
 * Writes down the key that is to follow: `wanted`, or a new one. One that an interrupted change has left comes first: the
 * store may be under it already.
 * @returns the key, and whether it was written now
 */
export async function draftEncryptionKey(
  dataDir: string,
  wanted?: string,
): Promise<{ key: string; made: boolean }> {
  const left = await readSecret(join(dataDir, NEXT_KEY_FILE));
  if (left !== undefined) return { key: left, made: false };
  return { key: await secretFile(dataDir, NEXT_KEY_FILE, wanted ?? randomSecret('hex')), made: true };
}

/** Takes back a draft that the store was never put under. */
export async function discardEncryptionKey(dataDir: string): Promise<void> {
  await rm(join(dataDir, NEXT_KEY_FILE), { force: true });
}

/** Puts the drafted key in the place of the former one, in one step that outlasts a power cut. */
export async function adoptEncryptionKey(dataDir: string): Promise<void> {
  await rename(join(dataDir, NEXT_KEY_FILE), encryptionKeyPath(dataDir));
  const folder = await open(dataDir);
  await folder.sync().finally(() => folder.close());
}

async function ownEncryptionKey(dataDir: string): Promise<string> {
  if ((await readSecret(join(dataDir, NEXT_KEY_FILE))) !== undefined) {
    throw new Error(
      'a change of the encryption key is under way or was interrupted; complete it with: switchboard store rotate-key',
    );
  }
  return secretFile(dataDir, ENCRYPTION_KEY_FILE, randomSecret('hex'));
}

function randomSecret(encoding: 'hex' | 'base64url'): string {
  return randomBytes(SECRET_BYTES).toString(encoding);
}

/** What the file holds; when it is not there, it is made with this secret. */
async function secretFile(dataDir: string, name: string, secret: string): Promise<string> {
  const path = join(dataDir, name);
  const draft = `${path}.${process.pid}.${randomBytes(4).toString('hex')}`;
  const kept = await readSecret(path);
  if (kept !== undefined) return kept;
  try {
    await writeFile(draft, `${secret}\n`, { mode: 0o600, flush: true });
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
