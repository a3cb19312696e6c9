import { failure } from '../wire/stanza.js';
import type { ClientConnection, Companion } from './account.js';

/** A fault that answers a login with a failure, and ends open connections with it. */
function loginFailure(reason: string, description: string, defaultCount?: number) {
  return {
    description,
    refusesLogin: true,
    ...(defaultCount !== undefined && { defaultCount }),
    strike: (connection: ClientConnection) => connection.close(failure(reason)),
  } as const;
}

/** A failure at a login with which the account loses all its linked devices: a later login is refused with 401. */
function unlinkingFailure(reason: string, description: string) {
  return {
    description: `${description}, and the phone loses its linked devices`,
    refusesLogin: true,
    defaultCount: 1,
    strike(connection: ClientConnection, { companion }: { companion: Companion }) {
      for (const linked of [...companion.account.companions.values()])
        connection.unlink(failure(reason), linked);
    },
  } as const;
}

/**
 * The failures at a login that have no other meaning in the sandbox (whatsmeow `ConnectFailureReason`). whatsmeow, zapo and
 * whatsapp-rust drop the credentials after 403 and 406, connect again after 500, and stop after the others.
 *
 * 403 says that the account is locked. The code alone does not tell a client whether its link has ended: a client that kept its
 * credentials was let in again (imtaqin/waxum #66), and whatsmeow saw 403 where the phone was logged out, after a ban or a move to
 * another phone (`connectFailureReasonMessage`).
 */
export const LOGIN_FAILURES = {
  ban: loginFailure(
    '403',
    'The account is locked: failure 403 at once and at each login, until the fault is cleared',
  ),
  'ban-with-unlink': unlinkingFailure('403', 'The account is locked: failure 403'),
  'login-bad-request': loginFailure('400', 'The network refuses a login as malformed: failure 400', 1),
  'account-banned': loginFailure(
    '406',
    'The account is banned for good: failure 406 at once and at each login, until the fault is cleared',
  ),
  'account-banned-with-unlink': unlinkingFailure('406', 'The account is banned for good: failure 406'),
  'login-user-agent': loginFailure('409', 'The network refuses the user agent of a client: failure 409', 1),
  'login-client-unknown': loginFailure('418', 'The network does not know the client: failure 418', 1),
  'login-server-error': loginFailure('500', 'The network has an error at a login: failure 500', 1),
  'login-experimental': loginFailure('501', 'The network refuses a login of an experiment: failure 501', 1),
};
