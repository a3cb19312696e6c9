import { constants } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Config } from '../../config/schema.js';
import { type CheckResult, fail, ok, warn } from './check.js';

/** Files of the data directory that only the daemon's user may read. */
const PRIVATE_FILES = ['token', 'encryption-key'];
const OTHERS = 0o077;

/** The settings as a daemon started here and now would find them; undefined when it would refuse them. */
export interface FoundSettings {
  result: CheckResult;
  config: Config | undefined;
}

/** Validates environment and settings file without making the secrets that a start would make. */
export async function checkSettings(dataDir: string, env: NodeJS.ProcessEnv): Promise<FoundSettings> {
  if (!(await modeOf(dataDir))) {
    const detail = `${dataDir} does not exist yet`;
    return { result: warn('settings', detail, 'the first `switchboard start` makes it'), config: undefined };
  }
  const { loadConfig } = await import('../../config/load.js');
  const flags = {
    dataDir,
    ...(!env.SWITCHBOARD_TOKEN && { token: '-'.repeat(32) }),
    ...(!env.SWITCHBOARD_ENCRYPTION_KEY && { encryptionKey: '0'.repeat(64) }),
  };
  try {
    const config = await loadConfig({ flags, env, defaultDataDir: dataDir });
    return { result: ok('settings', 'environment and settings file are valid'), config };
  } catch (error) {
    const detail = error instanceof Error ? error.message : String(error);
    return { result: fail('settings', detail, 'correct that setting'), config: undefined };
  }
}

/** The data directory: writable for us, and closed to others. */
export async function checkDataDirectory(dataDir: string): Promise<CheckResult> {
  const mode = await modeOf(dataDir);
  if (mode === undefined) return warn('data directory', `${dataDir} is missing`, 'start the daemon once');
  if (!(await isWritable(dataDir))) {
    return fail(
      'data directory',
      `${dataDir} cannot be written`,
      'run the daemon as the owner of this directory',
    );
  }
  for (const name of PRIVATE_FILES) {
    const path = join(dataDir, name);
    const fileMode = (await modeOf(path)) ?? 0;
    if (fileMode & OTHERS) return fail('data directory', `others may read ${path}`, `chmod 600 ${path}`);
  }
  if (mode & OTHERS) return warn('data directory', `others may look into ${dataDir}`, `chmod 700 ${dataDir}`);
  return ok('data directory', dataDir);
}

/** Permission bits; undefined when there is nothing. */
async function modeOf(path: string): Promise<number | undefined> {
  try {
    return (await stat(path)).mode & 0o777;
  } catch {
    return undefined;
  }
}

async function isWritable(path: string): Promise<boolean> {
  try {
    await access(path, constants.W_OK | constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
