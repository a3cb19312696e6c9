import { errorMessage } from '../../../domain/error-message.js';
import { fine, type GeneralCheck, wrong } from '../check.js';

/** Which sessions are there? */
export const sessions: GeneralCheck = {
  id: 'sessions',
  needs: ['token'],
  async look(room) {
    const { session } = room.options;
    try {
      const found = await room.sessions();
      const facts = { count: found.length };
      if (session !== undefined && found.length === 0) {
        const advice = `see which there are: switchboard sessions list; or pair it: switchboard pair ${session}`;
        return wrong('session-unknown', `there is no session ${session}`, advice, facts);
      }
      if (found.length === 0) return fine('none yet: switchboard pair <name> links a number', facts);
      return fine(found.length === 1 ? '1 session' : `${found.length} sessions`, facts);
    } catch (error) {
      const detail = errorMessage(error);
      return wrong('sessions-unreadable', detail, "look at the daemon's log");
    }
  },
};
