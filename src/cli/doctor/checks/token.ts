import { errorMessage } from '../../../domain/error-message.js';
import { CliError } from '../../cli-error.js';
import { tokenPath } from '../../token.js';
import { fine, type GeneralCheck, wrong } from '../check.js';

/** Does the daemon take our token? */
export const token: GeneralCheck = {
  id: 'token',
  needs: ['daemon'],
  async look(room) {
    const { hasToken, dataDir } = room.options;
    if (!hasToken) {
      const where = room.isLocal ? `, and there is none in ${tokenPath(dataDir)}` : '';
      const advice = "pass --token or set SWITCHBOARD_TOKEN, or point --data-dir to the daemon's directory";
      return wrong('token-missing', `no token is named${where}`, advice);
    }
    try {
      const { podName, environment } = await room.config();
      return fine(`accepted by ${podName}`, { podName, environment });
    } catch (error) {
      const detail = errorMessage(error);
      if (error instanceof CliError && error.failure === 'unauthorized') {
        const advice =
          'use the token of this daemon: the one it was started with, or that in its data directory';
        return wrong('token-wrong', `the daemon refuses the token: ${detail}`, advice);
      }
      return wrong('token-unchecked', detail, "look at the daemon's log");
    }
  },
};
