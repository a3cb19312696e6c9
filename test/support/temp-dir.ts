import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A fresh folder of a test's own. */
export interface TempDir {
  path: string;
  /** Deletes it with everything in it. */
  remove(): Promise<void>;
}

/** Makes an empty folder (mode 0700) below the machine's temp folder. */
export async function makeTempDir(): Promise<TempDir> {
  const path = await mkdtemp(join(tmpdir(), 'switchboard-test-'));
  return { path, remove: () => rm(path, { recursive: true, force: true }) };
}
