import { constants } from 'node:fs';
import { access, readdir, stat, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { ENCRYPTION_KEY_FILE } from '../../../../domain/data-dir.js';
import { isGatewayError, messageForOperator } from '../../../../domain/errors.js';
import { parseObject } from '../../../../domain/json.js';
import { tokenPath } from '../../client.js';
import { type Finding, type GeneralCheck, passed, problem, skipped, type Trouble } from '../check.js';
import { type DoctorContext, ownNode } from '../context.js';

export const dataDir: GeneralCheck = {
  id: 'data-dir',
  needs: [],
  async run({ isLocal, options }) {
    if (!isLocal) return skipped('the daemon is on another machine');
    const path = options.dataDir;
    const facts = { path };
    if (!(await exists(path))) {
      const advice = 'the first `switchboard start` creates it; if it exists elsewhere, set --data-dir';
      return problem('data-dir-missing', `${path} does not exist`, advice, facts);
    }
    if (!(await isWritableFolder(path))) {
      const advice = `run the daemon as the owner of this directory, or change its owner`;
      return problem('data-dir-not-writable', `${path} is not writable`, advice, facts);
    }
    if (await isOpenToOthers(path)) {
      return problem('data-dir-open', `other users can read ${path}`, `chmod 700 ${path}`, facts);
    }
    return passed(path, facts);
  },
};

const MEGABYTE = 1024 * 1024;

export const disk: GeneralCheck = {
  id: 'disk',
  needs: ['data-dir'],
  async run({ options: { dataDir, limits } }) {
    if (!(await exists(dataDir))) return skipped('there is no data directory');
    const { bavail, bsize, blocks } = await statfs(dataDir);
    const free = bavail * bsize;
    const facts = { freeBytes: free, totalBytes: blocks * bsize };
    const detail = `${Math.floor(free / MEGABYTE)} MB free at ${dataDir}`;
    if (free < limits.fullBytes) {
      const advice = 'free disk space now: the daemon accepts no messages that it cannot store';
      return problem('disk-full', detail, advice, facts);
    }
    if (free < limits.nearlyFullBytes) {
      const advice = 'free disk space soon; delete old messages and files: switchboard store prune';
      return problem('disk-nearly-full', detail, advice, facts);
    }
    return passed(detail, facts);
  },
};

export const tokenFile: GeneralCheck = {
  id: 'token-file',
  needs: ['data-dir'],
  async run({ options }) {
    const path = tokenPath(options.dataDir);
    const facts = { path };
    if (!(await exists(path)))
      return skipped(`no token file: the token is set, or the daemon was never started`);
    if (!(await isReadable(path))) {
      const advice = 'run this command as the user of the daemon, or set --token';
      return problem('token-file-unreadable', `${path} cannot be read`, advice, facts);
    }
    if (await isOpenToOthers(path)) {
      return problem('token-file-open', `other users can read ${path}`, `chmod 600 ${path}`, facts);
    }
    return passed(path, facts);
  },
};

/** Left by an interrupted change of the key. */
const NEXT = /^encryption-key\.next$/;
const DATABASE = /\.db$/;

export const encryptionKey: GeneralCheck = {
  id: 'encryption-key',
  needs: ['settings', 'data-dir'],
  async run(context) {
    const { dataDir } = context.options;
    if (!(await exists(dataDir))) return skipped('there is no data directory');
    const names = await readdir(dataDir);
    if (names.some((name) => NEXT.test(name))) {
      const detail = 'a change of the encryption key was interrupted';
      return problem('key-change-unfinished', detail, 'complete it: switchboard store rotate-key');
    }
    const { encryptionKey: named } = await context.settings();
    if (named !== undefined) return passed('set by a setting');
    return checkKeyFile(
      join(dataDir, ENCRYPTION_KEY_FILE),
      context,
      names.some((name) => DATABASE.test(name)),
    );
  },
};

async function checkKeyFile(path: string, context: DoctorContext, hasDatabase: boolean): Promise<Finding> {
  const facts = { path };
  if (!(await exists(path))) {
    if (!hasDatabase) return skipped('no key yet: the first start creates it');
    const advice = 'restore the key from your backup, or set SWITCHBOARD_ENCRYPTION_KEY';
    return problem('key-file-missing', `the database exists but ${path} does not`, advice, facts);
  }
  if (!(await isReadable(path))) {
    const advice = 'run the daemon as the owner of this file';
    return problem('key-file-unreadable', `${path} cannot be read`, advice, facts);
  }
  if (await isOpenToOthers(path)) {
    return problem('key-file-open', `other users can read ${path}`, `chmod 600 ${path}`, facts);
  }
  await context.options.readEncryptionKey(context.options.dataDir);
  return passed(path, facts);
}

const BY_CODE: Readonly<Record<string, readonly [trouble: Trouble, advice: string]>> = {
  store_in_use: ['store-locked', 'stop that process; if it is your daemon, set --url to its address'],
  encryption_key_wrong: [
    'key-wrong',
    'restore the key of this store: from your backup to the file encryption-key, or as ' +
      'SWITCHBOARD_ENCRYPTION_KEY',
  ],
  store_too_new: ['store-too-new', 'use the newer version of Switchboard that wrote the store'],
};
const BROKEN = ['store-broken', 'check the disk; restore the data directory from your backup'] as const;

const LOOK_AGAIN = 'check the disk, its permissions and the memory of the machine; then run it again';
const MEND = 'check the disk, stop the daemon and restore a backup: switchboard store restore';

/** Only while no daemon runs. */
export const storeFile: GeneralCheck = {
  id: 'store-file',
  needs: ['settings', 'data-dir', 'encryption-key'],
  async run(context) {
    const { dataDir, readEncryptionKey, tryStore } = context.options;
    if (await context.isDaemonUp()) return skipped('in use by the daemon');
    const { store, encryptionKey } = await context.settings();
    if (store !== 'sqlite') return skipped('only for SQLite');
    const key = encryptionKey ?? (await readEncryptionKey(dataDir));
    if (key === undefined) return skipped('there is no store yet');
    try {
      await tryStore({ dataDir, encryptionKey: key });
      return passed('opens with the encryption key');
    } catch (error) {
      return explain(error);
    }
  },
};

/** Also while a daemon runs. */
export const storeDamage: GeneralCheck = {
  id: 'store-damage',
  needs: ['settings', 'data-dir'],
  async run(context) {
    const { isLocal, options } = context;
    if (!isLocal) return skipped('the daemon is on another machine');
    const { dataDir, limits } = options;
    const { store: url } = await context.settings();
    try {
      const damage = await options.findDamage({ url, dataDir }, limits.damageMs);
      if (!damage) return skipped('MongoDB checks its files itself');
      const { lines, checked, tables } = damage;
      const facts = { checked, tables };
      if (lines.length > 0)
        return problem('store-damaged', `the database is damaged: ${lines[0]}`, MEND, facts);
      const rest = checked < tables ? ', the rest takes longer: switchboard store check' : '';
      return passed(`no damage in ${checked} of ${tables} tables${rest}`, facts);
    } catch (error) {
      if (isGatewayError(error)) return explain(error);
      const detail = `the database could not be checked for damage: ${messageForOperator(error)}`;
      return problem('store-unchecked', detail, LOOK_AGAIN);
    }
  },
};

function explain(error: unknown): Finding {
  if (isGatewayError(error) && error.code === 'store_missing') return skipped('there is no store yet');
  const detail = messageForOperator(error);
  const [trouble, advice] = (isGatewayError(error) && BY_CODE[error.code]) || BROKEN;
  return problem(trouble, detail, advice);
}

/** A single slow answer may be chance. */
const ROUNDS = 3;

export const store: GeneralCheck = {
  id: 'store',
  needs: ['daemon'],
  async run(context) {
    const { answer } = await context.probe('/health/ready');
    if (!parseObject(answer.text)?.database) {
      const advice =
        'with MongoDB, check that the server runs and accepts the daemon; with SQLite, check the disk; ' +
        "see the daemon's log";
      const facts = { status: answer.status };
      return problem('store-unreachable', 'the daemon cannot reach its store', advice, facts);
    }
    const ms = await quickest(context);
    if (ms === undefined) return passed('answers; only the master token sees the latency');
    const facts = { ms };
    if (ms > context.options.limits.slowStoreMs) {
      const advice = 'move the store closer to the daemon, or reduce the load of its server or disk';
      return problem('store-slow', `answers slowly, in ${ms} ms`, advice, facts);
    }
    return passed(`answers in ${ms} ms`, facts);
  },
};

/** Latency of the store in milliseconds, measured by the daemon; undefined if the token may not see it. */
async function quickest(context: DoctorContext): Promise<number | undefined> {
  let best: number | undefined;
  for (let round = 0; round < ROUNDS; round++) {
    const ms = await storeMs(context);
    if (ms === undefined) return best;
    best = Math.min(best ?? ms, ms);
    if (best <= context.options.limits.slowStoreMs) return best;
  }
  return best;
}

async function storeMs(context: DoctorContext): Promise<number | undefined> {
  return context.askFleet().then(
    (fleet) => ownNode(fleet)?.store?.ms,
    () => undefined,
  );
}

/** Permission bits of group and others. */
const OTHERS = 0o077;

/** False only if the path is missing, not if it is unreadable. */
async function exists(path: string): Promise<boolean> {
  try {
    await stat(path);
    return true;
  } catch (error) {
    return !(error instanceof Error && 'code' in error && /^(ENOENT|ENOTDIR)$/.test(String(error.code)));
  }
}

/** Group or others have any permission. Always false on Windows. */
async function isOpenToOthers(path: string): Promise<boolean> {
  const { mode } = await stat(path);
  return process.platform !== 'win32' && (mode & OTHERS) !== 0;
}

function isWritableFolder(path: string): Promise<boolean> {
  return isAllowed(path, constants.W_OK | constants.X_OK);
}

function isReadable(path: string): Promise<boolean> {
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
