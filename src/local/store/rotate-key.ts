import { isGatewayError, messageForOperator } from '../../domain/errors.js';
import { SETTINGS } from '../../gateway/config/schema.js';
import {
  adoptEncryptionKey,
  discardEncryptionKey,
  draftEncryptionKey,
  encryptionKeyBytes,
  encryptionKeyPath,
  readEncryptionKey,
} from '../../gateway/config/secrets.js';
import { CliError } from '../../terminal/cli/errors.js';

const NEW_KEY = '--to / SWITCHBOARD_NEW_ENCRYPTION_KEY';

export interface KeyRotation {
  dataDir: string;
  /** The current key, if the operator keeps it; otherwise the key in the data directory is used. */
  from: string | undefined;
  /** The new key; default: a new one in the data directory. */
  to: string | undefined;
  /** Re-encrypts the store and closes it. @returns the number of sessions */
  rewrap(from: Uint8Array, to: Uint8Array): Promise<number>;
}

export interface KeyRotationResult {
  sessions: number;
  /** Path of the new key; empty if the operator keeps it. */
  keyFile: string;
}

/**
 * Changes the encryption key of a store. At any time a key on disk opens the store: the new key is written before the store
 * is changed, and replaces the old one afterwards. The next run completes an interrupted change.
 *
 * @throws CliError with suggestions
 */
export async function rotateKey(rotation: KeyRotation): Promise<KeyRotationResult> {
  const { dataDir, from, to } = rotation;
  if (to !== undefined) requireKey(to);
  const kept = from === undefined ? await readEncryptionKey(dataDir) : undefined;
  if (kept !== undefined) return rotateKept(rotation, kept);
  if (from === undefined) {
    throw new CliError('failure', `there is no encryption key in ${dataDir}: nothing was changed`, {
      suggestions: ['check --data-dir', 'or set the keys with --from and --to'],
    });
  }
  if (to === undefined) {
    throw new CliError('usage', `the key is not in the data directory: set the new one with ${NEW_KEY}`, {
      suggestions: ['create one: openssl rand -hex 32'],
    });
  }
  return { sessions: await rewrapped(rotation, from, to), keyFile: '' };
}

/** Rotates a key in the data directory. */
async function rotateKept(rotation: KeyRotation, kept: string): Promise<KeyRotationResult> {
  const { dataDir, to } = rotation;
  if (to !== undefined) requireOther(kept, to);
  const { key, made } = await draftEncryptionKey(dataDir, to);
  if (to !== undefined && !isSame(key, to)) {
    throw new CliError('conflict', `a change to another key than ${NEW_KEY} was interrupted`, {
      suggestions: ['complete it first: run the command without a new key'],
    });
  }
  try {
    const sessions = await rewrapped(rotation, kept, key);
    await adoptEncryptionKey(dataDir);
    return { sessions, keyFile: encryptionKeyPath(dataDir) };
  } catch (error) {
    // only if the store certainly does not use the new key
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
    return new CliError('unreachable', messageForOperator(cause), {
      suggestions: ['run it again when the store is available'],
      cause,
    });
  }
  if (code !== 'encryption_key_wrong') return new CliError('failure', message, { cause });
  return new CliError('failure', 'the current key does not open the store: nothing was changed', {
    cause,
  });
}

function requireKey(to: string): void {
  if (SETTINGS.encryptionKey.schema.validate(to).error) {
    throw new CliError('usage', `${NEW_KEY}: must be 32 bytes as hex or base64`, {
      suggestions: ['create one: openssl rand -hex 32'],
    });
  }
}

function requireOther(from: string, to: string): void {
  if (isSame(from, to)) throw new CliError('usage', 'the new key equals the current one');
}

function isSame(one: string, other: string): boolean {
  return Buffer.from(encryptionKeyBytes(one)).equals(encryptionKeyBytes(other));
}
