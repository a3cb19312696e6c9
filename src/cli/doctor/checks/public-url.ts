import { errorMessage } from '../../../domain/error-message.js';
import { exchange } from '../../transport.js';
import { type Finding, fine, type GeneralCheck, skipped, wrong } from '../check.js';
import { isDaemon } from '../room.js';

const EVERYWHERE = /^(0\.0\.0\.0|::)$/;
const NO_WAY_FROM_OUTSIDE = /^(localhost|127(\.\d{1,3}){3}|0\.0\.0\.0|\[::1?\])$/;

/** Do the links to stored files lead to this daemon? */
export const publicUrl: GeneralCheck = {
  id: 'public-url',
  needs: ['settings', 'daemon'],
  async look(room) {
    const { publicUrl: url, host } = await room.settings();
    const facts = { url, host };
    if (NO_WAY_FROM_OUTSIDE.test(new URL(url).hostname)) {
      if (!EVERYWHERE.test(host)) return skipped('only this machine is served');
      const detail = `the API is open to others, but links to stored files lead to ${url}`;
      const advice = 'name the address under which people reach it: --public-url or SWITCHBOARD_PUBLIC_URL';
      return wrong('public-url-loopback', detail, advice, facts);
    }
    return ask(url, facts, room.options.limits.probeMs);
  },
};

async function ask(url: string, facts: Finding['facts'], timeoutMs: number): Promise<Finding> {
  try {
    const answer = await exchange(new URL(`${url}/health/live`), { timeoutMs });
    if (isDaemon(answer)) return fine(`${url} leads to a daemon`, facts);
    const advice = 'let the proxy at that address lead to the daemon, or correct --public-url';
    return wrong('public-url-stranger', `what answers at ${url} is no Switchboard daemon`, advice, facts);
  } catch (error) {
    const detail = errorMessage(error);
    const advice =
      'correct --public-url, or look at DNS, proxy and certificate; some networks cannot reach their own outside';
    return wrong('public-url-unreachable', detail, advice, facts);
  }
}
