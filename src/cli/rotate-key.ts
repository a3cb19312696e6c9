import { SETTINGS } from '../config/schema.js';
import {
  adoptEncryptionKey,
  discardEncryptionKey,
  draftEncryptionKey,
  encryptionKeyBytes,
  encryptionKeyPath,
  readEncryptionKey,
} from '../config/secrets.js';
import { isGatewayError } from '../domain/errors.js';
import { CliError } from './cli-error.js';

const NEW_KEY = '--to / SWITCHBOARD_NEW_ENCRYPTION_KEY';

export interface KeyRotation {
  dataDir: string;
  /** The key until now, when an operator keeps it; otherwise it is the one in the data directory. */
  from: string | undefined;
  /** The key from now on; one in the data directory is made when this is not named. */
  to: string | undefined;
  /** Wraps everything in the store anew and closes it. @returns how many sessions it holds under the new key now */
  rewrap(from: Uint8Array, to: Uint8Array): Promise<number>;
}

export interface KeyRotationResult {
  /** Sessions whose secrets were put under the new key. */
  sessions: number;
  /** Where the new key is kept; empty when the operator keeps it. */
  keyFile: string;
}

/**
 * Changes the encryption key of a store. At every instant one of the keys that are written down opens the store, and an
 * interrupted change is completed by the next run: the new key is on the disk before the store is touched, and takes the
 * place of the old one only after that.
 *
 * @throws CliError with what to do
 */
export async function rotateKey(rotation: KeyRotation): Promise<KeyRotationResult> {
  const { dataDir, from, to } = rotation;
  if (to !== undefined) requireKey(to);
  const kept = from === undefined ? await readEncryptionKey(dataDir) : undefined;
  if (kept !== undefined) return rotateKept(rotation, kept);
  if (from === undefined) {
    throw new CliError('failure', `there is no encryption key in ${dataDir}: nothing was changed`, {
      suggestions: ['name the right --data-dir', 'or name the keys with --from and --to'],
    });
  }
  if (to === undefined) {
    throw new CliError(
      'usage',
      `the key is not kept in the data directory: name the new one with ${NEW_KEY}`,
      {
        suggestions: ['make one: openssl rand -hex 32'],
      },
    );
  }
  return { sessions: await rewrapped(rotation, from, to), keyFile: '' };
}

/** The key lives in the data directory. */
async function rotateKept(rotation: KeyRotation, kept: string): Promise<KeyRotationResult> {
  const { dataDir, to } = rotation;
  if (to !== undefined) requireOther(kept, to);
  const { key, made } = await draftEncryptionKey(dataDir, to);
  if (to !== undefined && !isSame(key, to)) {
    throw new CliError('conflict', `a change to another key than that of ${NEW_KEY} was interrupted`, {
      suggestions: ['complete that one first: the same command without a new key'],
    });
  }
  try {
    const sessions = await rewrapped(rotation, kept, key);
    await adoptEncryptionKey(dataDir);
    return { sessions, keyFile: encryptionKeyPath(dataDir) };
  } catch (error) {
    // only where the store is certainly not under the new key
    if (made && error instanceof CliError && error.failure !== 'unreachable')
      await discardEncryptionKey(dataDir);
    throw error;
  }
}

async function rewrapped({ rewrap }: KeyRotation, from: string, to: string): Promise<number> {
  requireOther(from, to);
  try {
    return await rewrap(encryptionKeyBytes(from), encryptionKeyBytes(to));
  } catch (error) {
    throw explained(error);
  }
}

function explained(cause: unknown): unknown {
  if (!isGatewayError(cause)) return cause;
  const { code, message } = cause;
  if (code === 'store_in_use') return new CliError('conflict', message, { cause });
  if (code === 'store_unavailable') {
    return new CliError('unreachable', message, { suggestions: ['run it again when it can be used'], cause });
  }
  if (code !== 'encryption_key_wrong') return new CliError('failure', message, { cause });
  return new CliError('failure', 'the store is under another key than the old one: nothing was changed', {
    cause,
  });
}

function requireKey(to: string): void {
  if (SETTINGS.encryptionKey.schema.validate(to).error) {
    throw new CliError('usage', `${NEW_KEY}: must be 32 bytes as hex or base64`, {
      suggestions: ['make one: openssl rand -hex 32'],
    });
  }
}

function requireOther(from: string, to: string): void {
  if (isSame(from, to)) throw new CliError('usage', 'the new key is the old one');
}

function isSame(one: string, other: string): boolean {
  return Buffer.from(encryptionKeyBytes(one)).equals(encryptionKeyBytes(other));
}
