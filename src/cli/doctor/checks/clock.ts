import { fine, type GeneralCheck, wrong } from '../check.js';

/** Milliseconds. Receivers refuse signatures that are minutes old or from the future. */
const WARN_MS = 5_000;
const FAIL_MS = 60_000;
/** The header has whole seconds only. */
const ROUNDING_MS = 1_000;

/** Does the daemon's clock go with ours? */
export const clock: GeneralCheck = {
  id: 'clock',
  needs: ['daemon'],
  async look(room) {
    const { answer, at } = await room.live();
    const theirs = Date.parse(answer.headers.date ?? '');
    if (Number.isNaN(theirs)) {
      return wrong('clock-untold', 'the daemon does not tell its time', 'let the proxy pass the header Date');
    }
    const skewMs = Math.max(0, Math.abs(at - theirs) - ROUNDING_MS);
    const facts = { skewMs };
    const detail = `the clocks of the daemon and of this machine differ by ${Math.round(skewMs / 1000)} s`;
    const advice = 'set both clocks by NTP: timedatectl set-ntp true';
    if (skewMs >= FAIL_MS) return wrong('clock-far-off', detail, advice, facts);
    if (skewMs >= WARN_MS) return wrong('clock-off', detail, advice, facts);
    return fine('goes with ours', facts);
  },
};
