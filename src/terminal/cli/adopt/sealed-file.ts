import {
  createCipheriv,
  createDecipheriv,
  createHash,
  randomBytes,
  scrypt,
  timingSafeEqual,
} from 'node:crypto';
import { type FileHandle, open, readFile, rm } from 'node:fs/promises';
import { Flags } from '@oclif/core';
import { errorMessage } from '../../../domain/errors.js';
import { CliError } from '../errors.js';
import { askSecret } from '../terminal.js';
import { NUMBER_BYTES } from './bounds.js';

/**
 * The file: `MAGIC`, a version (one byte), log2 of scrypt's N (one byte), salt, check, nonce, tag, and the text,
 * encrypted by AES-256-GCM. Everything before the nonce is authenticated too. `check` is a hash of the second half of
 * the derived key, which distinguishes a wrong passphrase from damage.
 */
const MAGIC = Buffer.from('SWSESSION');
const VERSION = 1;
const SALT_BYTES = 16;
const CHECK_BYTES = 16;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const KEY_BYTES = 32;
const HEAD_BYTES = MAGIC.length + 2 + SALT_BYTES + CHECK_BYTES;
const TEXT_AT = HEAD_BYTES + NONCE_BYTES + TAG_BYTES;
/** 128 MB of memory, and about half a second, for each guess of a passphrase. */
const LOG2_N = 17;
/** A file that demands more than 256 MB of memory is not from an export. */
const MAX_LOG2_N = 18;
const MIN_LOG2_N = 14;
const BLOCK_SIZE = 8;
const PRIVATE_FILE = 0o600;
const MIN_LENGTH = 12;
const VARIABLE = 'SWITCHBOARD_PASSPHRASE';

export const passphraseFile = Flags.file({
  description: `file whose first line is the passphrase; otherwise ${VARIABLE}, or a question on the terminal`,
  helpValue: 'FILE',
  exists: true,
});

/**
 * The passphrase: from a file, the environment, or the terminal; never from the command line, which other users can see.
 * @param isNew asks twice, and refuses a short one
 * @throws CliError `usage`
 */
export async function readPassphrase(
  file: string | undefined,
  { isNew }: { isNew: boolean },
): Promise<string> {
  const passphrase = await givenPassphrase(file, isNew);
  if (passphrase.length >= (isNew ? MIN_LENGTH : 1)) return passphrase;
  const rule = isNew ? `must have at least ${MIN_LENGTH} characters` : 'is empty';
  throw new CliError('usage', `the passphrase ${rule}`);
}

async function givenPassphrase(file: string | undefined, isNew: boolean): Promise<string> {
  if (file !== undefined) return (await readFile(file, 'utf8')).split(/\r?\n/, 1).join('');
  const given = process.env[VARIABLE];
  if (given) return given;
  if (!process.stdin.isTTY || !process.stderr.isTTY) {
    throw new CliError('usage', 'there is no terminal to ask for the passphrase', {
      suggestions: ['add --passphrase-file FILE', `or set ${VARIABLE}`],
    });
  }
  const typed = await askSecret('passphrase:');
  if (isNew && (await askSecret('once more:')) !== typed) {
    throw new CliError('usage', 'the two passphrases differ');
  }
  return typed;
}

/** Writes a text, encrypted, to a new file that only this user may read. @throws CliError `conflict` if there is one, `failure` for too long a text */
export async function writeSealed(path: string, text: string, passphrase: string): Promise<void> {
  const bytes = TEXT_AT + Buffer.byteLength(text);
  if (bytes > NUMBER_BYTES) {
    throw new CliError('failure', `the session has ${bytes} bytes; a file takes ${NUMBER_BYTES} at most`);
  }
  const head = Buffer.concat([MAGIC, Buffer.from([VERSION, LOG2_N]), randomBytes(SALT_BYTES)]);
  const { key, check } = await derive(passphrase, head.subarray(-SALT_BYTES), LOG2_N);
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv('aes-256-gcm', key, nonce);
  const bound = Buffer.concat([head, check]);
  cipher.setAAD(bound);
  const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
  const file = await open(path, 'wx', PRIVATE_FILE).catch((cause: unknown) => {
    throw new CliError('conflict', `${path} cannot be created: ${errorMessage(cause)}`, {
      suggestions: ['choose another file'],
      cause,
    });
  });
  try {
    await file.writeFile(Buffer.concat([bound, nonce, cipher.getAuthTag(), sealed]));
    await file.sync();
  } catch (error) {
    await rm(path, { force: true });
    throw error;
  } finally {
    await file.close();
  }
}

/**
 * Reads a file of `writeSealed`. Refuses other files, a wrong passphrase and too large a file before reading the text.
 * @throws CliError that distinguishes a wrong passphrase from a damaged file
 */
export async function readSealed(path: string, passphrase: string): Promise<string> {
  const file = await open(path, 'r').catch((cause: unknown) => {
    throw new CliError('not_found', `${path} cannot be read`, { cause });
  });
  try {
    return await unsealed(path, file, passphrase);
  } finally {
    await file.close();
  }
}

async function unsealed(path: string, file: FileHandle, passphrase: string): Promise<string> {
  const damaged = (cause?: unknown) =>
    new CliError('failure', `${path} is damaged: it was cut or changed. Nothing was imported.`, {
      suggestions: ['copy the file once more, or export the session again'],
      cause,
    });
  const head = await readAt(file, 0, TEXT_AT);
  if (!head.subarray(0, MAGIC.length).equals(MAGIC)) {
    throw new CliError('usage', `${path} is no file of switchboard sessions export`);
  }
  const [version, log2N = 0] = head.subarray(MAGIC.length);
  if (head.length < TEXT_AT || log2N < MIN_LOG2_N || log2N > MAX_LOG2_N) throw damaged();
  if (version !== VERSION) throw new CliError('failure', `${path} was written by a newer release`);
  const { size } = await file.stat();
  if (size > NUMBER_BYTES) {
    throw new CliError('failure', `${path} has ${size} bytes; a session has ${NUMBER_BYTES} at most`);
  }
  const bound = head.subarray(0, HEAD_BYTES);
  const salt = bound.subarray(MAGIC.length + 2, -CHECK_BYTES);
  const { key, check } = await derive(passphrase, salt, log2N);
  if (!timingSafeEqual(check, bound.subarray(-CHECK_BYTES))) {
    throw new CliError('unauthorized', `the passphrase is not that of ${path}`);
  }
  const nonce = head.subarray(HEAD_BYTES, HEAD_BYTES + NONCE_BYTES);
  const sealed = await readAt(file, TEXT_AT, size - TEXT_AT);
  try {
    const decipher = createDecipheriv('aes-256-gcm', key, nonce);
    decipher.setAAD(bound);
    decipher.setAuthTag(head.subarray(HEAD_BYTES + NONCE_BYTES, TEXT_AT));
    return Buffer.concat([decipher.update(sealed), decipher.final()]).toString('utf8');
  } catch (error) {
    throw damaged(error);
  }
}

/** Reads `length` bytes at a position of a file; fewer at its end. */
async function readAt(file: FileHandle, position: number, length: number): Promise<Buffer> {
  const bytes = Buffer.alloc(length);
  let filled = 0;
  while (filled < length) {
    const { bytesRead } = await file.read(bytes, filled, length - filled, position + filled);
    if (bytesRead === 0) break;
    filled += bytesRead;
  }
  return bytes.subarray(0, filled);
}

async function derive(
  passphrase: string,
  salt: Uint8Array,
  log2N: number,
): Promise<{ key: Buffer; check: Buffer }> {
  const N = 2 ** log2N;
  const options = { N, r: BLOCK_SIZE, p: 1, maxmem: 2 * 128 * N * BLOCK_SIZE };
  const derived = await new Promise<Buffer>((resolve, reject) => {
    // normalise, because the same letters can be typed in two Unicode forms
    scrypt(passphrase.normalize('NFC'), salt, 2 * KEY_BYTES, options, (error, bytes) => {
      if (error) reject(error);
      else resolve(bytes);
    });
  });
  const check = createHash('sha256').update(derived.subarray(KEY_BYTES)).digest().subarray(0, CHECK_BYTES);
  return { key: derived.subarray(0, KEY_BYTES), check };
}
