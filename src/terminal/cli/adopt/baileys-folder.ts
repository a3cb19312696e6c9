import { existsSync } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { parseJson, parseObject } from '../../../domain/json.js';
import { CliError } from '../errors.js';
import { spanText } from '../text.js';
import { readKeyFile } from './bounds.js';
import { clientIdOf, keyNamed, type LinkedNumber, type StoredKey } from './linked-number.js';

const CREDENTIALS = 'creds.json';
/** Milliseconds since the last write within which the other program is assumed to be running. */
const QUIET_MS = 30_000;

/** The file of one key. */
interface KeyFile {
  path: string;
  type: string;
  id: string;
}

/**
 * Reads the numbers of a folder in which the library's `useMultiFileAuthState` keeps one, or of a folder of such folders.
 * @throws CliError `not_found` when there is none
 */
export async function readBaileysFolders(dir: string): Promise<LinkedNumber[]> {
  const names = await readdir(dir).catch((cause: unknown) => {
    throw new CliError('not_found', `${dir} is not a folder that can be read`, { cause });
  });
  const folders = names.includes(CREDENTIALS)
    ? [resolve(dir)]
    : names.map((name) => join(resolve(dir), name));
  const numbers: LinkedNumber[] = [];
  for (const folder of folders.sort()) {
    const number = await readFolder(folder);
    if (number) numbers.push(number);
  }
  if (numbers.length > 0) return numbers;
  throw new CliError('not_found', `${dir} has no ${CREDENTIALS}, and no folder in it has one`, {
    suggestions: ['name the folder that the other program gives to useMultiFileAuthState'],
  });
}

async function readFolder(folder: string): Promise<LinkedNumber | undefined> {
  if (!existsSync(join(folder, CREDENTIALS))) return undefined;
  const credentials = parseObject(await readKeyFile(join(folder, CREDENTIALS)));
  const { unreadable, ...stored } = await readKeyFiles(folder);
  return {
    clientId: clientIdOf(basename(folder)),
    place: folder,
    credentials: credentials ?? {},
    unreadable: credentials ? unreadable : [CREDENTIALS, ...unreadable],
    ...stored,
  };
}

/** Reads the keys in the files of a folder; none if there is no such folder. */
export async function readKeyFiles(
  folder: string,
): Promise<Pick<LinkedNumber, 'counts' | 'keys' | 'unreadable' | 'inUse'>> {
  const names = await readdir(folder).catch(() => []);
  const files = names.flatMap((name: string) => keyFile(folder, name) ?? []);
  const counts: Record<string, number> = {};
  const unreadable: string[] = [];
  for (const file of files) {
    if ((await readKey(file)) === undefined) unreadable.push(basename(file.path));
    else counts[file.type] = (counts[file.type] ?? 0) + 1;
  }
  const quietMs = Date.now() - (await lastWrite(folder, names));
  return {
    counts,
    unreadable,
    inUse: quietMs < QUIET_MS ? `its store was written ${spanText(quietMs)} ago` : '',
    async *keys(): AsyncGenerator<StoredKey> {
      for (const file of files) {
        const value = await readKey(file);
        if (value !== undefined) yield { type: file.type, id: file.id, value };
      }
    },
  };
}

/** Reads a key; undefined for an empty or truncated file, which a crash of the other program leaves, and for a file that is too long. */
async function readKey({ path }: KeyFile): Promise<unknown> {
  return parseJson(await readKeyFile(path)) ?? undefined;
}

/** The key that a file holds, by its name: `<family>-<id>.json`, in which `/` became `__` and `:` became `-`. */
function keyFile(folder: string, name: string): KeyFile | undefined {
  const key = name.endsWith('.json') ? keyNamed(name.slice(0, -'.json'.length)) : undefined;
  return key && { path: join(folder, name), type: key.type, id: keyId(key.type, key.id) };
}

function keyId(type: string, written: string): string {
  // <group>::<person>::<device>
  if (type === 'sender-key') return written.replace(/^(.+)--(.+)--(\d+)$/, '$1::$2::$3');
  // base64 has slashes and no underscores; other ids have underscores and no slashes
  if (type === 'app-state-sync-key') return written.replaceAll('__', '/');
  return written;
}

/** Time of the last write, in milliseconds since the epoch. */
async function lastWrite(folder: string, names: readonly string[]): Promise<number> {
  let latest = 0;
  for (const name of names) {
    // the other program may delete the file at this moment
    const written = await stat(join(folder, name)).catch(() => undefined);
    latest = Math.max(latest, written?.mtimeMs ?? 0);
  }
  return latest;
}
