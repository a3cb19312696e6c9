import { chmodSync, closeSync, mkdirSync, openSync } from 'node:fs';

export const PRIVATE_FILE = 0o600;
export const PRIVATE_DIR = 0o700;

/** Makes the folder with mode 0700 when it is not there; an existing one, perhaps shared on purpose, stays as it is. */
export function makePrivateDir(path: string): void {
  mkdirSync(path, { recursive: true, mode: PRIVATE_DIR });
}

/** Makes the file when it is not there and gives it mode 0600. SQLite's side files (-wal, -shm) take its mode over. */
export function makePrivateFile(path: string): void {
  closeSync(openSync(path, 'a', PRIVATE_FILE));
  chmodSync(path, PRIVATE_FILE);
}
