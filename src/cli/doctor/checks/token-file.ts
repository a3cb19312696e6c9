import { tokenPath } from '../../token.js';
import { fine, type GeneralCheck, skipped, wrong } from '../check.js';
import { exists, isOpenToOthers, isReadable } from '../files.js';

/** The master token that the daemon made: readable for us, and for nobody else. */
export const tokenFile: GeneralCheck = {
  id: 'token-file',
  needs: ['data-dir'],
  async look({ options }) {
    const path = tokenPath(options.dataDir);
    const facts = { path };
    if (!(await exists(path))) return skipped(`there is none: the token is named, or no start has made one`);
    if (!(await isReadable(path))) {
      const advice = 'run it as the user that runs the daemon, or pass --token';
      return wrong('token-file-unreadable', `${path} cannot be read`, advice, facts);
    }
    if (await isOpenToOthers(path)) {
      return wrong('token-file-open', `others may read ${path}`, `chmod 600 ${path}`, facts);
    }
    return fine(path, facts);
  },
};
