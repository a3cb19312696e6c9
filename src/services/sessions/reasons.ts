import type { CloseReason } from '../../domain/session.js';

/** What operators read in health, `sessions show` and `session_status`: what happened, and what to do if anything. */
const SENTENCES: Readonly<Record<CloseReason, string>> = {
  restart_required: 'the network asked for a new connection',
  connection_closed: 'the network closed the connection',
  connection_lost: 'the connection was lost',
  connection_silent: 'the network stopped answering',
  network_unreachable: 'the network cannot be reached',
  connect_timeout: 'the network did not answer while connecting',
  service_unavailable: 'the network is unavailable at the moment',
  stream_error: 'the network ended the stream with an error',
  undecodable_frame: 'a frame from the network could not be decoded',
  library_fault: 'the protocol library failed',
  client_outdated: 'the network asks for a newer client: upgrade the gateway',
  logged_out: 'the device was unlinked on the phone: call /start to pair again',
  device_mismatch: 'the network no longer accepts this device: call /start to pair again',
  pairing_unfinished: 'the pairing was not finished: call /start to begin again',
  qr_expired: 'nobody scanned the QR codes in time: call /start for new ones',
  replaced: 'another client took over the link: stop it, then call /start to pair again',
  account_restricted: 'the network restricts this account for a time',
  account_locked: 'the network has locked this account',
  banned: 'the network has banned this number',
  store_unavailable: 'the store could not be reached',
};

/** One line for people; the adapter's detail in brackets where it adds something. */
export function describeReason(reason: CloseReason, detail: string): string {
  return detail ? `${SENTENCES[reason]} (${detail})` : SENTENCES[reason];
}
