import { fine, type GeneralCheck, skipped, wrong } from '../check.js';
import { exists, isOpenToOthers, isWritableFolder } from '../files.js';

/** Is the data directory there, writable for us, and closed to others? */
export const dataDir: GeneralCheck = {
  id: 'data-dir',
  needs: [],
  async look({ isLocal, options }) {
    if (!isLocal) return skipped('the daemon is on another machine');
    const path = options.dataDir;
    const facts = { path };
    if (!(await exists(path))) {
      const advice = 'the first `switchboard start` makes it; if there was one, name the right --data-dir';
      return wrong('data-dir-missing', `${path} does not exist`, advice, facts);
    }
    if (!(await isWritableFolder(path))) {
      const advice = `run the daemon as the owner of this directory, or give it to the daemon's user`;
      return wrong('data-dir-not-writable', `${path} cannot be written`, advice, facts);
    }
    if (await isOpenToOthers(path)) {
      return wrong('data-dir-open', `others may look into ${path}`, `chmod 700 ${path}`, facts);
    }
    return fine(path, facts);
  },
};
