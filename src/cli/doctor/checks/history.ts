import { fine, type SessionCheck, skipped, wrong } from '../check.js';

/** Milliseconds after which a phone in use has sent its past. */
const LONG_MS = 60 * 60_000;

/** Does the past of the number still come in? */
export const history: SessionCheck = {
  id: 'history',
  needs: [],
  async lookAt({ health, orgId }, { options }) {
    const past = health?.history;
    if (!health || !past)
      return skipped(orgId ? 'none has come since the daemon started' : 'no history is kept');
    const { progress, messages } = past;
    const facts = { progress, messages };
    if (progress >= 100) return fine(`all of it: ${messages} messages`, facts);
    const detail = `${progress} % of the past, ${messages} messages`;
    const connectedMs = options.clock.now() - Date.parse(health.connectedAt);
    if (!(connectedMs >= LONG_MS)) return fine(`${detail}, and it goes on`, facts);
    const advice = 'open WhatsApp on the phone and keep it open, on power and Wi-Fi, until the rest has come';
    return wrong('history-stuck', `${detail}, and no more for an hour`, advice, facts);
  },
};
