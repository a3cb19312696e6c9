import type { CloseReason } from '../../domain/session.js';

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
