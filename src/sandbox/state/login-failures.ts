import { stanza } from '../wire/stanza.js';
import type { ClientConnection } from './account.js';

/** A fault that answers a login with a failure, and ends open connections with it. */
function loginFailure(reason: string, description: string, defaultCount?: number) {
  return {
    description,
    refusesLogin: true,
    ...(defaultCount !== undefined && { defaultCount }),
    strike: (connection: ClientConnection) =>
      connection.close(stanza('failure', { reason, location: 'frc' })),
  } as const;
}

/**
 * The failures at a login that have no other meaning in the sandbox (whatsmeow `ConnectFailureReason`). whatsmeow, zapo and
 * whatsapp-rust drop the credentials after 406, connect again after 500, and stop after the others.
 */
export const LOGIN_FAILURES = {
  'login-bad-request': loginFailure('400', 'The network refuses a login as malformed: failure 400', 1),
  'account-banned': loginFailure(
    '406',
    'The account is banned for good: failure 406 at once and at each login, until the fault is cleared',
  ),
  'login-user-agent': loginFailure('409', 'The network refuses the user agent of a client: failure 409', 1),
  'login-client-unknown': loginFailure('418', 'The network does not know the client: failure 418', 1),
  'login-server-error': loginFailure('500', 'The network has an error at a login: failure 500', 1),
  'login-experimental': loginFailure('501', 'The network refuses a login of an experiment: failure 501', 1),
};
