import { readdir } from 'node:fs/promises';
import { encryptionKeyPath, readEncryptionKey } from '../../../config/secrets.js';
import { type Finding, fine, type GeneralCheck, skipped, wrong } from '../check.js';
import { exists, isOpenToOthers, isReadable } from '../files.js';
import type { Room } from '../room.js';

/** What a change of the key leaves behind when it is broken off. */
const NEXT = /^encryption-key\.next$/;
/** The database that the key belongs to. */
const DATABASE = /\.db$/;

/** The key that everything secret in the store is encrypted with: there, readable for us, and for nobody else. */
export const encryptionKey: GeneralCheck = {
  id: 'encryption-key',
  needs: ['settings', 'data-dir'],
  async look(room) {
    const { dataDir } = room.options;
    if (!(await exists(dataDir))) return skipped('there is no data directory');
    const names = await readdir(dataDir);
    if (names.some((name) => NEXT.test(name))) {
      const detail = 'a change of the encryption key was begun and not ended';
      return wrong('key-change-unfinished', detail, 'complete it: switchboard store rotate-key');
    }
    const { encryptionKey: named } = await room.settings();
    if (named !== undefined) return fine('named by a setting');
    return lookAtFile(
      encryptionKeyPath(dataDir),
      room,
      names.some((name) => DATABASE.test(name)),
    );
  },
};

async function lookAtFile(path: string, room: Room, hasDatabase: boolean): Promise<Finding> {
  const facts = { path };
  if (!(await exists(path))) {
    if (!hasDatabase) return skipped('there is none yet: the first start makes it');
    const advice = 'put the key back from your backup, or name it: SWITCHBOARD_ENCRYPTION_KEY';
    return wrong('key-file-missing', `there is a database but no ${path}`, advice, facts);
  }
  if (!(await isReadable(path))) {
    const advice = 'run the daemon as the owner of this file';
    return wrong('key-file-unreadable', `${path} cannot be read`, advice, facts);
  }
  if (await isOpenToOthers(path)) {
    return wrong('key-file-open', `others may read ${path}`, `chmod 600 ${path}`, facts);
  }
  await readEncryptionKey(room.options.dataDir);
  return fine(path, facts);
}
