import { type ConnectionFault, connectionFaultOf } from '../../../../domain/connection-fault.js';
import { errorMessage } from '../../../../domain/errors.js';
import { tokenPath } from '../../client.js';
import { CliError } from '../../errors.js';
import { type Finding, type GeneralCheck, passed, problem, type Troubles } from '../check.js';
import { isDaemon } from '../context.js';
import { faultFact } from '../reach.js';

const START = 'start the daemon: switchboard start; or set --url or SWITCHBOARD_URL';

const UNREACHABLE: Troubles<ConnectionFault> = {
  refused: ['daemon-refused', START],
  timeout: ['daemon-timeout', 'restart the daemon if it hangs; otherwise check the firewall'],
  unknown_host: ['daemon-unknown-host', 'correct the host in --url or SWITCHBOARD_URL'],
  tls: ['daemon-tls', 'use http:// for a daemon without a proxy, or fix the certificate of the proxy'],
  unreachable: ['daemon-unreachable', START],
};

export const daemon: GeneralCheck = {
  id: 'daemon',
  needs: [],
  async run(context) {
    const { url } = context.options.client;
    try {
      const { answer, ms } = await context.live();
      const facts = { url, status: answer.status, ms: Math.round(ms) };
      if (isDaemon(answer)) return passed(`answers at ${url}`, facts);
      const advice = 'correct --url or SWITCHBOARD_URL, or let the proxy forward to the daemon';
      return problem('daemon-stranger', `the server at ${url} is not a Switchboard daemon`, advice, facts);
    } catch (error) {
      return explain(error, url);
    }
  },
};

function explain(error: unknown, url: string): Finding {
  const fault = connectionFaultOf(error);
  const [trouble, advice] = UNREACHABLE[fault];
  return problem(trouble, errorMessage(error), advice, { url, fault: faultFact(fault) });
}

/** Milliseconds. Receivers reject signatures that are minutes old or from the future. */
const WARN_MS = 5_000;
const FAIL_MS = 60_000;
/** The Date header has whole seconds. */
const ROUNDING_MS = 1_000;

export const clock: GeneralCheck = {
  id: 'clock',
  needs: ['daemon'],
  async run(context) {
    const { answer, at } = await context.live();
    const theirs = Date.parse(answer.headers.date ?? '');
    if (Number.isNaN(theirs)) {
      return problem('clock-untold', 'the answer has no Date header', 'let the proxy pass the Date header');
    }
    const skewMs = Math.max(0, Math.abs(at - theirs) - ROUNDING_MS);
    const facts = { skewMs };
    const detail = `the clocks of the daemon and of this machine differ by ${Math.round(skewMs / 1000)} s`;
    const advice = 'synchronise both clocks by NTP: timedatectl set-ntp true';
    if (skewMs >= FAIL_MS) return problem('clock-far-off', detail, advice, facts);
    if (skewMs >= WARN_MS) return problem('clock-off', detail, advice, facts);
    return passed('in sync with this machine', facts);
  },
};

export const token: GeneralCheck = {
  id: 'token',
  needs: ['daemon'],
  async run(context) {
    const { hasToken, dataDir } = context.options;
    if (!hasToken) {
      const where = context.isLocal ? `, and there is none in ${tokenPath(dataDir)}` : '';
      const advice = "set --token or SWITCHBOARD_TOKEN, or set --data-dir to the daemon's data directory";
      return problem('token-missing', `no token is set${where}`, advice);
    }
    try {
      const { podName, environment } = await context.config();
      return passed(`accepted by ${podName}`, { podName, environment });
    } catch (error) {
      const detail = errorMessage(error);
      if (error instanceof CliError && error.failure === 'unauthorized') {
        const advice = 'use the token that the daemon was started with, or the one in its data directory';
        return problem('token-wrong', `the daemon refuses the token: ${detail}`, advice);
      }
      return problem('token-unchecked', detail, "see the daemon's log");
    }
  },
};

export const version: GeneralCheck = {
  id: 'version',
  needs: ['token'],
  async run(context) {
    const { release } = context.options.program;
    const { version: daemon } = await context.config();
    const facts = { daemon, command: release };
    if (daemon === release) return passed(`both are ${release}`, facts);
    const detail = `the daemon is ${daemon}, this command is ${release}`;
    const advice = 'use one version on both sides; restart the daemon if it was updated while running';
    return problem('version-mismatch', detail, advice, facts);
  },
};
