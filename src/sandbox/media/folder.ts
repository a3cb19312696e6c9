import { randomUUID } from 'node:crypto';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const FOLDER = 'media';
const INCOMING = 'incoming';

/** Where the network and its phones keep files. It is made when it is first needed: most networks never carry media. */
export class MediaFolder {
  readonly #dataDir: string | undefined;
  #path: Promise<string> | undefined;

  /** @param dataDir keeps the files below this folder; without it they live in a temporary one until `close` */
  constructor(dataDir?: string) {
    this.#dataDir = dataDir;
  }

  /** A folder of that name, or the root. */
  async open(name = ''): Promise<string> {
    this.#path ??= openFolder(this.#dataDir);
    const path = join(await this.#path, name);
    await mkdir(path, { recursive: true });
    return path;
  }

  /** A path for a file that is not complete yet. */
  async part(): Promise<string> {
    return join(await this.open(INCOMING), randomUUID());
  }

  /** Removes the files, unless they are kept. */
  async close(): Promise<void> {
    const path = await this.#path?.catch(() => undefined);
    this.#path = undefined;
    if (path && this.#dataDir === undefined) await rm(path, { recursive: true, force: true });
  }
}

async function openFolder(dataDir: string | undefined): Promise<string> {
  if (dataDir === undefined) return mkdtemp(join(tmpdir(), 'sandbox-media-'));
  const folder = join(dataDir, FOLDER);
  // what a crash broke off
  await rm(join(folder, INCOMING), { recursive: true, force: true });
  return folder;
}
