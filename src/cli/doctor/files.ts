import { constants } from 'node:fs';
import { access, stat } from 'node:fs/promises';

/** Permissions of anybody but the owner. */
const OTHERS = 0o077;

/** False only when nothing is there, not when it cannot be looked at. */
export async function exists(path: string): Promise<boolean> {
  try {
    await stat(path);
    return true;
  } catch (error) {
    return !(error instanceof Error && 'code' in error && /^(ENOENT|ENOTDIR)$/.test(String(error.code)));
  }
}

/** True when users other than the owner have any right to it. Windows has no such bits. */
export async function isOpenToOthers(path: string): Promise<boolean> {
  const { mode } = await stat(path);
  return process.platform !== 'win32' && (mode & OTHERS) !== 0;
}

/** Whether this process may write into a folder. */
export function isWritableFolder(path: string): Promise<boolean> {
  return isAllowed(path, constants.W_OK | constants.X_OK);
}

export function isReadable(path: string): Promise<boolean> {
  return isAllowed(path, constants.R_OK);
}

async function isAllowed(path: string, mode: number): Promise<boolean> {
  try {
    await access(path, mode);
    return true;
  } catch {
    return false;
  }
}
