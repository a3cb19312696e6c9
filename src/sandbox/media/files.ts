import type { MediaFolder } from './folder.js';
import { type Flow, Shelf, type StoredFile } from './shelf.js';

const FOLDER = 'held';
/** A SHA-256 in hex. */
const NAME = /^[0-9a-f]{64}$/;

/** What the phones hold, as people see it: files by their SHA-256 in hex. Phones that hold the same file share it. */
export class PhoneFiles {
  readonly #shelf: Shelf;

  constructor(folder: MediaFolder) {
    this.#shelf = new Shelf(folder, FOLDER);
  }

  /**
   * Takes a file.
   * @param expected its SHA-256 in hex, if that is known
   * @throws Error when it has another one, Refusal 413 when it is too large
   */
  async put(flow: Flow, expected?: string): Promise<{ sha256: string; size: number }> {
    const { name, size } = await this.#shelf.put(flow, (weighed) => {
      const sha256 = weighed.sha256.toString('hex');
      if (expected !== undefined && sha256 !== expected)
        throw new Error('the decrypted file has another hash');
      return sha256;
    });
    return { sha256: name, size };
  }

  /** Undefined when there is none, or none any more. */
  async get(sha256: string): Promise<StoredFile | undefined> {
    return NAME.test(sha256) ? this.#shelf.get(sha256) : undefined;
  }
}
