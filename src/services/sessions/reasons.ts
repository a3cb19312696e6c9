import { GatewayError } from '../../domain/errors.js';
import { type CloseReason, isTerminal } from '../../domain/session.js';
import type { SessionRecord } from '../../store/store.js';

/** What an operator can do about an ended link; where nothing stands, the session helps itself. */
const ADVICE: Readonly<Partial<Record<CloseReason, string>>> = {
  client_outdated: 'Upgrade the gateway.',
  logged_out: 'Call /start to pair again.',
  device_mismatch: 'Call /start to pair again.',
  pairing_unfinished: 'Call /start to begin again.',
  qr_expired: 'Call /start for new QR codes.',
  replaced: 'Stop the other client, then call /start to pair again.',
  account_restricted: 'Look at the phone, wait until the restriction ends, then call /start to pair again.',
  account_locked: 'Look at the phone; once the account works there, call /start to pair again.',
  banned: 'Look at the phone: only the network can lift a ban.',
};

/**
 * One line that operators read in health, `sessions show` and `session_status`.
 * @param detail what happened, as a sentence of the link.
 */
export function describeReason(reason: CloseReason, detail: string): string {
  const advice = ADVICE[reason];
  return advice ? `${detail} ${advice}` : detail;
}

/** @throws GatewayError session_terminal, session_unpaired for a session whose link cannot be made anew */
export function requireReconnectable(
  record: Pick<SessionRecord, 'clientId' | 'status' | 'statusReason' | 'jid'>,
): void {
  const { clientId, status, statusReason, jid } = record;
  if (isTerminal(status)) {
    const why = statusReason || 'Call /start to pair again.';
    throw new GatewayError('session_terminal', `session ${clientId} is ${status}: ${why}`);
  }
  if (jid === '') {
    throw new GatewayError('session_unpaired', `session ${clientId} is not paired; call /start`);
  }
}
