import { fine, type GeneralCheck, wrong } from '../check.js';

/** Are this command and the daemon of one version? */
export const version: GeneralCheck = {
  id: 'version',
  needs: ['token'],
  async look(room) {
    const { release } = room.options.program;
    const { version: daemon } = await room.config();
    const facts = { daemon, command: release };
    if (daemon === release) return fine(`both are of ${release}`, facts);
    const detail = `the daemon is of ${daemon}, this command of ${release}`;
    const advice = 'use one version on both sides; restart the daemon if it was updated while it ran';
    return wrong('version-mismatch', detail, advice, facts);
  },
};
