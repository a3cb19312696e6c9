import { errorMessage } from '../../../domain/error-message.js';
import { fine, type GeneralCheck, skipped, wrong } from '../check.js';

/** Would a start take the settings? Reads environment and settings file, and makes no secrets. */
export const settings: GeneralCheck = {
  id: 'settings',
  needs: [],
  async look(room) {
    if (!room.isLocal) return skipped('the daemon is on another machine');
    try {
      await room.settings();
      return fine('environment and settings file are valid');
    } catch (error) {
      const detail = errorMessage(error);
      return wrong('settings-invalid', detail, 'correct that setting: the next start would refuse it');
    }
  },
};
