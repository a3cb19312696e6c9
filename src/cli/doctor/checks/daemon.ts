import { errorMessage } from '../../../domain/error-message.js';
import { type Finding, fine, type GeneralCheck, wrong } from '../check.js';
import { type Fault, faultOf } from '../fault.js';
import { isDaemon } from '../room.js';
import type { Troubles } from '../troubles.js';

const START = 'start the daemon: switchboard start; or name another one: --url or SWITCHBOARD_URL';

const UNREACHABLE: Troubles<Fault> = {
  refused: ['daemon-refused', START],
  timeout: ['daemon-timeout', 'restart the daemon if it hangs; otherwise look at the firewall in between'],
  'unknown-host': ['daemon-unknown-host', 'correct the host in --url or SWITCHBOARD_URL'],
  tls: ['daemon-tls', 'use http:// for a daemon without a proxy; else correct the certificate of the proxy'],
  unreachable: ['daemon-unreachable', START],
};

/** Is a daemon there? */
export const daemon: GeneralCheck = {
  id: 'daemon',
  needs: [],
  async look(room) {
    const { url } = room.options.client;
    try {
      const { answer, ms } = await room.live();
      const facts = { url, status: answer.status, ms: Math.round(ms) };
      if (isDaemon(answer)) return fine(`answers at ${url}`, facts);
      const advice = 'correct --url or SWITCHBOARD_URL; or let the proxy in between lead to the daemon';
      return wrong('daemon-stranger', `what answers at ${url} is no Switchboard daemon`, advice, facts);
    } catch (error) {
      return explain(error, url);
    }
  },
};

function explain(error: unknown, url: string): Finding {
  const fault = faultOf(error);
  const [trouble, advice] = UNREACHABLE[fault];
  return wrong(trouble, errorMessage(error), advice, { url, fault });
}
