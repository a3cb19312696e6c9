import { randomBytes } from 'node:crypto';
import { Refusal } from '../refusal.js';
import type { MediaFolder } from './folder.js';
import { type Flow, Shelf, type StoredFile } from './shelf.js';

const HASH_CHARS = 43;
const SUFFIX_BYTES = 4;
/** A SHA-256, base64url without padding; with a suffix when the file was there before and had expired. */
const NAME = /^[\w-]{43}(~[0-9a-f]{8})?$/;

/** Encrypted media files by the hash of their bytes, on disk: the network cannot read them either. */
export class Blobs {
  readonly #shelf: Shelf;
  readonly #expired = new Set<string>();

  constructor(folder: MediaFolder) {
    this.#shelf = new Shelf(folder, '');
  }

  /**
   * Takes a file; bytes that turn out wrong leave nothing behind.
   * @param hash SHA-256 of the bytes, base64url without padding; whatever it is when it is not given
   * @returns the name under which it can be had
   * @throws Refusal 400 when the bytes have another hash, 413 when there are too many
   */
  async put(flow: Flow, hash?: string): Promise<{ name: string; sha256: Buffer }> {
    return this.#shelf.put(flow, ({ sha256 }) => {
      const name = sha256.toString('base64url');
      if (hash !== undefined && name !== hash)
        throw new Refusal(400, 'the bytes do not have the hash that the path names');
      // what has expired under a name stays so
      return this.#expired.has(name) ? `${name}~${randomBytes(SUFFIX_BYTES).toString('hex')}` : name;
    });
  }

  /** Opens a file; undefined when there is none of that name. */
  async get(name: string): Promise<StoredFile | undefined> {
    return NAME.test(name) ? this.#shelf.get(name) : undefined;
  }

  /** True when a file was there under that name. */
  isExpired(name: string): boolean {
    return this.#expired.has(name);
  }

  /**
   * Drops a file, also if it was put again since, or all files.
   * @returns how many there were
   */
  async expire(hash?: string): Promise<number> {
    const names = (await this.#shelf.names()).filter(
      (name) => hash === undefined || name.slice(0, HASH_CHARS) === hash.slice(0, HASH_CHARS),
    );
    for (const name of names) {
      this.#expired.add(name);
      await this.#shelf.remove(name);
    }
    return names.length;
  }
}
