import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { link, mkdir, open, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ENCRYPTION_KEY_FILE, TOKEN_FILE } from '../../domain/data-dir.js';
import type { Config } from './schema.js';

/** The next encryption key while a change is in progress: from before the store uses it until the store uses only it. */
const NEXT_KEY_FILE = 'encryption-key.next';
/** The database of a SQLite store. */
const SQLITE_FILE = 'switchboard.db';
const SECRET_BYTES = 32;

type Secrets = Pick<Config, 'token' | 'encryptionKey'>;

/**
 * The given secrets, or those in the data directory, which are created on first use: mode 0600, 256 random bits. Creates no
 * encryption key beside a SQLite store: a new key could not open it.
 * @throws Error that says which secret is missing or cannot be read
 */
export async function loadSecrets(
  dataDir: string,
  named: { token?: unknown; encryptionKey?: unknown },
  store: string,
): Promise<Secrets> {
  await mkdir(dataDir, { recursive: true, mode: 0o700 });
  return {
    token:
      named.token === undefined
        ? await secretFile(dataDir, TOKEN_FILE, randomSecret('base64url'))
        : String(named.token),
    encryptionKey:
      named.encryptionKey === undefined
        ? await ownEncryptionKey(dataDir, store)
        : String(named.encryptionKey),
  };
}

/** Decodes an encryption key in hex or base64. */
export function encryptionKeyBytes(key: string): Uint8Array {
  return Buffer.from(key, /^[0-9a-fA-F]{64}$/.test(key) ? 'hex' : 'base64');
}

export function encryptionKeyPath(dataDir: string): string {
  return join(dataDir, ENCRYPTION_KEY_FILE);
}

/** The encryption key of a data directory; undefined if it has none. */
export function readEncryptionKey(dataDir: string): Promise<string | undefined> {
  return readSecret(encryptionKeyPath(dataDir));
}

/**
 * Writes the next encryption key: `wanted`, or a random one. Keeps a key that an interrupted change has left, because
 * the store may already use it.
 * @returns the key, and whether it is new
 */
export async function draftEncryptionKey(
  dataDir: string,
  wanted?: string,
): Promise<{ key: string; made: boolean }> {
  const left = await readSecret(join(dataDir, NEXT_KEY_FILE));
  if (left !== undefined) return { key: left, made: false };
  return { key: await secretFile(dataDir, NEXT_KEY_FILE, wanted ?? randomSecret('hex')), made: true };
}

/** Deletes a next key that the store does not use. */
export async function discardEncryptionKey(dataDir: string): Promise<void> {
  await rm(join(dataDir, NEXT_KEY_FILE), { force: true });
}

/** Replaces the encryption key by the next one, in one step that survives a power cut. */
export async function adoptEncryptionKey(dataDir: string): Promise<void> {
  await rename(join(dataDir, NEXT_KEY_FILE), encryptionKeyPath(dataDir));
  const folder = await open(dataDir);
  await folder.sync().finally(() => folder.close());
}

async function ownEncryptionKey(dataDir: string, store: string): Promise<string> {
  if ((await readSecret(join(dataDir, NEXT_KEY_FILE))) !== undefined) {
    throw new Error(
      'a change of the encryption key is in progress or was interrupted; complete it with: switchboard store rotate-key',
    );
  }
  // check this before reading the key: another daemon that starts now creates the key first, and then the database
  const hasStore = store === 'sqlite' && existsSync(join(dataDir, SQLITE_FILE));
  const kept = await readEncryptionKey(dataDir);
  if (kept !== undefined) return kept;
  if (hasStore) {
    throw new Error(
      `it has a database, but no file ${ENCRYPTION_KEY_FILE}: restore that file from your backup, or set SWITCHBOARD_ENCRYPTION_KEY`,
    );
  }
  return secretFile(dataDir, ENCRYPTION_KEY_FILE, randomSecret('hex'));
}

function randomSecret(encoding: 'hex' | 'base64url'): string {
  return randomBytes(SECRET_BYTES).toString(encoding);
}

/** Reads a secret file; creates it with the given secret if it does not exist. */
async function secretFile(dataDir: string, name: string, secret: string): Promise<string> {
  const path = join(dataDir, name);
  const draft = `${path}.${process.pid}.${randomBytes(4).toString('hex')}`;
  const kept = await readSecret(path);
  if (kept !== undefined) return kept;
  try {
    await writeFile(draft, `${secret}\n`, { mode: 0o600, flush: true });
    // a hard link is atomic: two daemons that start at once get the same secret
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
  if (text !== undefined && !text.trim()) throw new Error(`${path} is empty: delete it to create a new one`);
  return text?.trim();
}

function ignoreExisting(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EEXIST') throw error;
}
