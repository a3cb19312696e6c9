import type { SessionSummary } from '../sessions.js';
import { type CheckResult, fail, ok, warn } from './check.js';

/** Is the session of use, and if not, what would make it so? */
export function checkSession(session: SessionSummary): CheckResult {
  const { clientId, status, reason, jid } = session;
  const name = `session ${clientId}`;
  const detail = reason ? `${status}: ${reason}` : status;
  const pairAgain = `pair it again: switchboard pair ${clientId}`;
  switch (status) {
    case 'connected':
      return ok(name, `connected as ${jid}`);
    case 'initializing':
    case 'qr':
      return warn(name, detail, `finish the pairing: switchboard pair ${clientId}`);
    case 'reconnecting':
      return warn(name, detail, 'it comes back by itself; if it does not, look at the network');
    case 'logged_out':
      return fail(name, detail, pairAgain);
    case 'replaced':
      return fail(name, detail, `stop the other client that uses this link, then ${pairAgain}`);
    case 'banned':
      return fail(name, detail, 'the number itself is in trouble: look at the phone');
    case 'elsewhere':
      return ok(name, `held by the node ${session.podName}`);
    default:
      return warn(name, detail, 'this command does not know that status: is it older than the daemon?');
  }
}
