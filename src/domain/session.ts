/** What a session is doing, as the API shows it. */
export type SessionStatus =
  | 'initializing'
  | 'qr'
  | 'connected'
  | 'reconnecting'
  | 'logged_out'
  | 'replaced'
  | 'banned';

/**
 * Why a link ended, in our words. The link's adapter maps the library's codes to these; `CLOSE_REACTIONS` says what
 * each one leads to, and nothing else in the code decides by a code or a message.
 */
export type CloseReason =
  | 'restart_required'
  | 'connection_closed'
  | 'connection_lost'
  | 'connection_silent'
  | 'network_unreachable'
  | 'connect_timeout'
  | 'service_unavailable'
  | 'stream_error'
  | 'undecodable_frame'
  | 'library_fault'
  | 'client_outdated'
  | 'logged_out'
  | 'device_mismatch'
  | 'pairing_unfinished'
  | 'qr_expired'
  | 'replaced'
  | 'account_restricted'
  | 'account_locked'
  | 'banned'
  | 'store_unavailable'
  | 'renewed';

/** What the session does about an ended link. */
export type CloseReaction =
  /** Connect again at once: the network asked for it. */
  | 'reconnect_now'
  /** As `reconnect_now`: an operator asked for it. */
  | 'renew'
  /** Connect again after a capped, jittered delay that grows with each failure. */
  | 'reconnect'
  /** As `reconnect`, starting from the longest delay: sooner cannot help. */
  | 'reconnect_late'
  /** Throw unusable credentials away and wait for the next `/start`. */
  | 'reset'
  /** Keep nothing running until the next `/start`. */
  | 'park'
  /** Terminal: an operator must act. */
  | 'log_out'
  | 'replace'
  | 'ban';

export const CLOSE_REACTIONS: Readonly<Record<CloseReason, CloseReaction>> = {
  restart_required: 'reconnect_now',
  renewed: 'renew',
  connection_closed: 'reconnect',
  connection_lost: 'reconnect',
  connection_silent: 'reconnect',
  network_unreachable: 'reconnect',
  connect_timeout: 'reconnect',
  service_unavailable: 'reconnect',
  stream_error: 'reconnect',
  undecodable_frame: 'reconnect',
  library_fault: 'reconnect',
  store_unavailable: 'reconnect',
  client_outdated: 'reconnect_late',
  logged_out: 'log_out',
  device_mismatch: 'log_out',
  pairing_unfinished: 'reset',
  qr_expired: 'park',
  replaced: 'replace',
  account_restricted: 'ban',
  account_locked: 'ban',
  banned: 'ban',
};

/** What happens to a session. */
export type SessionInput = 'start' | 'qr' | 'paired' | 'open' | CloseReaction;

/** What must be done when a transition is taken, in order. */
export type SessionEffect =
  /** Open a link unless there is one. */
  | 'connect'
  /** Open a link at once, the first time; when that ends badly too, after a delay. */
  | 'connect_again'
  | 'connect_after_backoff'
  | 'connect_after_longest_backoff'
  | 'drop_link'
  | 'drop_credentials';

export interface Transition {
  status: SessionStatus;
  effects: readonly SessionEffect[];
}

type Row = Partial<Record<SessionInput, Transition>>;

const to = (status: SessionStatus, ...effects: SessionEffect[]): Transition => ({ status, effects });

/** The ways a live session ends for good until an operator acts. */
const TERMINAL_ROW: Row = {
  log_out: to('logged_out', 'drop_link'),
  replace: to('replaced', 'drop_link'),
  ban: to('banned', 'drop_link'),
};

/** While pairing, every loss but the end of the QR codes starts the attempt again, never faster than the backoff. */
const PAIRING_ROW: Row = {
  start: to('initializing', 'connect'),
  qr: to('qr'),
  paired: to('initializing'),
  open: to('connected'),
  reconnect_now: to('initializing', 'connect_again'),
  renew: to('initializing', 'connect_again'),
  reconnect: to('initializing', 'connect_after_backoff'),
  reconnect_late: to('initializing', 'connect_after_longest_backoff'),
  reset: to('initializing', 'drop_link', 'drop_credentials'),
  park: to('initializing', 'drop_link', 'drop_credentials'),
  ...TERMINAL_ROW,
};

const PAIRED_ROW: Row = {
  open: to('connected'),
  reconnect_now: to('reconnecting', 'connect_again'),
  renew: to('reconnecting', 'connect_again'),
  reconnect: to('reconnecting', 'connect_after_backoff'),
  reconnect_late: to('reconnecting', 'connect_after_longest_backoff'),
  // a linked number never shows a QR again by itself: the network no longer knows this device
  qr: to('logged_out', 'drop_link'),
  reset: to('logged_out', 'drop_link'),
  park: to('reconnecting', 'connect_after_backoff'),
  ...TERMINAL_ROW,
};

/** A terminal session only listens to an operator: `/start` pairs fresh. */
const STOPPED_ROW: Row = {
  start: to('initializing', 'drop_credentials', 'connect'),
};

const TABLE: Readonly<Record<SessionStatus, Row>> = {
  initializing: PAIRING_ROW,
  qr: { ...PAIRING_ROW, start: to('qr') },
  connected: { ...PAIRED_ROW, start: to('connected') },
  reconnecting: { ...PAIRED_ROW, start: to('reconnecting', 'connect') },
  logged_out: STOPPED_ROW,
  replaced: STOPPED_ROW,
  banned: STOPPED_ROW,
};

/**
 * The next status of a session and what to do on the way. An input that means nothing in a status changes nothing:
 * late events of a link that is already gone must not revive a session.
 */
export function transition(status: SessionStatus, input: SessionInput): Transition {
  return TABLE[status][input] ?? { status, effects: [] };
}

/** Paired or pairing, but without a working link now. */
export function isDown(status: SessionStatus): boolean {
  return status !== 'connected' && !isTerminal(status);
}

/** Waiting for an operator. */
export function isTerminal(status: SessionStatus): boolean {
  return status === 'logged_out' || status === 'replaced' || status === 'banned';
}
