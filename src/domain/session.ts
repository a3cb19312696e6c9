import type { Reason } from './reasons.js';

/** The statuses of a session, as the API shows them. */
export const SESSION_STATUSES = [
  'initializing',
  'qr',
  'connected',
  'reconnecting',
  'logged_out',
  'replaced',
  'banned',
] as const;

export type SessionStatus = (typeof SESSION_STATUSES)[number];

/**
 * Why a link ended. The link's adapter maps the library's codes to these reasons, and `CLOSE_REACTIONS` maps the reasons to
 * reactions; no other code decides by the library's codes or messages.
 */
export type CloseReason =
  | 'restart_required'
  | 'connection_closed'
  | 'connection_lost'
  | 'connection_silent'
  | 'network_unreachable'
  | 'proxy_failed'
  | 'connect_timeout'
  | 'service_unavailable'
  | 'stream_error'
  | 'undecodable_frame'
  | 'library_fault'
  | 'client_outdated'
  | 'logged_out'
  | 'device_mismatch'
  | 'pairing_unfinished'
  | 'pairing_refused'
  | 'certificate_untrusted'
  | 'qr_expired'
  | 'replaced'
  | 'account_restricted'
  | 'account_locked'
  | 'banned'
  | 'store_unavailable'
  | 'data_damaged'
  | 'renewed';
/** A `CloseReason` with the values for its words. */
export type CloseCause = Reason & { code: CloseReason };

/** How a session reacts to the end of its link. */
type CloseReaction =
  /** Reconnect at once: the network asked for it. */
  | 'reconnect_now'
  /** As `reconnect_now`: an operator asked for it. */
  | 'renew'
  /** Reconnect after a capped, jittered delay that grows with each failure. */
  | 'reconnect'
  /** As `reconnect`, with the longest delay from the start: earlier attempts cannot succeed. */
  | 'reconnect_late'
  /** Delete unusable credentials and wait for the next `/start`. */
  | 'reset'
  /** Close everything until the next `/start`. */
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
  proxy_failed: 'reconnect',
  connect_timeout: 'reconnect',
  service_unavailable: 'reconnect',
  stream_error: 'reconnect',
  undecodable_frame: 'reconnect',
  library_fault: 'reconnect',
  store_unavailable: 'reconnect',
  pairing_refused: 'reconnect',
  certificate_untrusted: 'reconnect_late',
  client_outdated: 'reconnect_late',
  logged_out: 'log_out',
  device_mismatch: 'log_out',
  data_damaged: 'log_out',
  pairing_unfinished: 'reset',
  qr_expired: 'park',
  replaced: 'replace',
  account_restricted: 'ban',
  account_locked: 'ban',
  banned: 'ban',
};

/** An event in a session's life. */
export type SessionInput =
  | 'start'
  /** An operator, or the end of a temporary ban, takes up a link whose credentials are kept. */
  | 'resume'
  | 'qr'
  | 'paired'
  | 'open'
  | CloseReaction;

/** The actions of a transition, in order. */
export type SessionEffect =
  /** Open a link unless there is one. */
  | 'connect'
  /** Open a link at once the first time, and after a delay if that fails too. */
  | 'connect_again'
  | 'connect_after_backoff'
  | 'connect_after_longest_backoff'
  /** Connect again without a request once a temporary ban has ended. */
  | 'resume_after_ban'
  | 'drop_link'
  | 'drop_credentials';

interface Transition {
  status: SessionStatus;
  effects: readonly SessionEffect[];
}

type Row = Partial<Record<SessionInput, Transition>>;

const to = (status: SessionStatus, ...effects: SessionEffect[]): Transition => ({ status, effects });

/** Inputs that end a session until an operator acts. */
const TERMINAL_ROW: Row = {
  log_out: to('logged_out', 'drop_link'),
  replace: to('replaced', 'drop_link'),
  ban: to('banned', 'drop_link', 'resume_after_ban'),
};

/** While pairing, every lost link starts a new attempt, at most as often as the backoff allows; expired QR codes end it. */
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
  // a QR code for a linked number means that the network no longer knows this device
  qr: to('logged_out', 'drop_link'),
  reset: to('logged_out', 'drop_link'),
  park: to('reconnecting', 'connect_after_backoff'),
  ...TERMINAL_ROW,
};

/** A session whose link has ended only reacts to `/start`, which pairs again. */
const ENDED_ROW: Row = {
  start: to('initializing', 'drop_credentials', 'connect'),
};

/** The credentials remain valid: the session connects with them again once the cause is removed. */
const HELD_ROW: Row = {
  ...ENDED_ROW,
  resume: to('reconnecting', 'connect'),
};

const TABLE: Readonly<Record<SessionStatus, Row>> = {
  initializing: PAIRING_ROW,
  qr: { ...PAIRING_ROW, start: to('qr') },
  connected: { ...PAIRED_ROW, start: to('connected') },
  reconnecting: { ...PAIRED_ROW, start: to('reconnecting', 'connect') },
  logged_out: ENDED_ROW,
  replaced: HELD_ROW,
  banned: HELD_ROW,
};

/**
 * The next status of a session and the actions on the way. An input without a transition changes nothing: late events of a
 * closed link must not revive a session.
 */
export function transition(status: SessionStatus, input: SessionInput): Transition {
  return TABLE[status][input] ?? { status, effects: [] };
}

/** Paired, but without a working link; one that is being paired is not down. */
export function isDown(status: SessionStatus): boolean {
  return status === 'reconnecting';
}

/** Waiting for an operator. */
export function isTerminal(status: SessionStatus): boolean {
  return status === 'logged_out' || status === 'replaced' || status === 'banned';
}
