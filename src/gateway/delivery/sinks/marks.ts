import { createHash } from 'node:crypto';
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { parseJson } from '../../../domain/json.js';
import { KeyedLock } from '../../../domain/keyed-lock.js';
import type { Logger } from '../../log.js';

/** Characters of a hash: addresses contain passwords. */
const HASH_LENGTH = 32;
const LOCK = 'file';

/**
 * The brokers that this daemon is connected to, in a file that a clean stop removes. If a start finds the file, the
 * previous daemon died while it was connected to these brokers.
 */
export class BrokerMarks {
  readonly #path: string | undefined;
  readonly #log: Logger;
  readonly #now = new Map<string, number>();
  readonly #lock = new KeyedLock();
  #before: Promise<Set<string>> | undefined;

  /** @param path of the file; undefined records nothing */
  constructor(path: string | undefined, log: Logger) {
    this.#path = path;
    this.#log = log;
  }

  /** Whether the previous daemon died while it was connected to this broker. True only at the first call for each broker. */
  async takeLeft(url: string): Promise<boolean> {
    this.#before ??= this.#read();
    return (await this.#before).delete(hashOf(url));
  }

  /** Records the begin of a connection to a broker. */
  async begin(url: string): Promise<void> {
    const hash = hashOf(url);
    const count = this.#now.get(hash) ?? 0;
    this.#now.set(hash, count + 1);
    if (count === 0) await this.#write();
  }

  /** Records the end of a connection to a broker. */
  async end(url: string): Promise<void> {
    const hash = hashOf(url);
    const count = (this.#now.get(hash) ?? 0) - 1;
    if (count > 0) {
      this.#now.set(hash, count);
      return;
    }
    if (this.#now.delete(hash)) await this.#write();
  }

  /** Removes all marks, because the daemon stops cleanly. */
  async clear(): Promise<void> {
    this.#now.clear();
    this.#before = Promise.resolve(new Set());
    await this.#write();
  }

  async #read(): Promise<Set<string>> {
    if (this.#path === undefined) return new Set();
    const found = parseJson(await readFile(this.#path, 'utf8').catch(() => ''));
    return new Set(Array.isArray(found) ? found.filter((one) => typeof one === 'string') : []);
  }

  async #write(): Promise<void> {
    const path = this.#path;
    if (path === undefined) return;
    this.#before ??= this.#read();
    // keep marks of the previous daemon for brokers that were not tried yet: they stay suspects
    const before = await this.#before;
    try {
      await this.#lock.run(LOCK, () => write(path, [...new Set([...this.#now.keys(), ...before])]));
    } catch (err) {
      this.#log.warn({ err, path }, 'the connected brokers could not be written down');
    }
  }
}

async function write(path: string, hashes: readonly string[]): Promise<void> {
  if (hashes.length === 0) return rm(path, { force: true });
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  await writeFile(`${path}.new`, JSON.stringify(hashes), { mode: 0o600 });
  await rename(`${path}.new`, path);
}

function hashOf(url: string): string {
  return createHash('sha256').update(url).digest('hex').slice(0, HASH_LENGTH);
}
