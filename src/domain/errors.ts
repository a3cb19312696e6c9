import type { RuleName } from './policy/rules.js';
import { type Reason, reason, textOf } from './reasons.js';

/**
 * Every expected failure of the gateway: a stable code and its HTTP status, grouped by section. The messages say what to do
 * next.
 */
export const ERROR_STATUSES = {
  // callers
  invalid_request: 400,
  unauthorized: 401,
  forbidden: 403,
  cross_site: 403,
  host_unknown: 403,
  route_unknown: 404,
  request_timeout: 408,
  request_too_large: 413,
  content_type_unsupported: 415,
  range_unsatisfiable: 416,
  too_many_requests: 429,
  too_many_attempts: 429,
  too_many_streams: 429,
  policy_refused: 429,
  held_sends_full: 429,
  streams_full: 503,
  headers_too_large: 431,
  internal: 500,
  // sessions
  session_unknown: 404,
  session_unpaired: 404,
  session_suspended: 404,
  session_already_paired: 409,
  session_not_connected: 409,
  session_terminal: 409,
  pairing_code_refused: 502,
  passkey_not_asked: 409,
  passkey_malformed: 400,
  passkey_expired: 409,
  passkey_refused: 502,
  pair_link_unknown: 404,
  secret_taken: 409,
  webhook_not_persisted: 500,
  // sends
  recipient_unknown: 400,
  audience_empty: 409,
  send_not_connected: 502,
  send_rejected: 502,
  send_unacknowledged: 502,
  send_cut_off: 502,
  device_query_unanswered: 502,
  target_not_own: 400,
  target_not_editable: 400,
  target_not_forwardable: 400,
  target_author_unknown: 400,
  held_send_unknown: 404,
  held_send_leaving: 409,
  edit_window_over: 400,
  receipt_rejected: 502,
  app_state_rejected: 502,
  // media
  media_unfetchable: 502,
  media_too_large: 413,
  media_unsupported: 400,
  media_busy: 503,
  too_many_uploads: 429,
  media_gone: 502,
  media_phone_silent: 502,
  proxy_failed: 502,
  file_unknown: 404,
  file_not_ready: 503,
  // history
  room_unknown: 404,
  message_unknown: 404,
  message_deleted: 409,
  history_off: 409,
  history_requested: 429,
  history_phone_silent: 502,
  idempotency_conflict: 409,
  // look-ups
  lookup_failed: 502,
  avatars_busy: 409,
  not_found: 404,
  // groups
  group_unknown: 404,
  group_forbidden: 403,
  group_conflict: 409,
  invite_unknown: 404,
  // channels
  channel_unknown: 404,
  channel_forbidden: 403,
  // own account
  account_rejected: 502,
  // deliveries
  delivery_unknown: 404,
  webhook_missing: 409,
  receiver_unknown: 404,
  receivers_full: 409,
  receiver_paused: 409,
  webhook_taken: 409,
  webhook_unreachable: 502,
  // store
  store_unavailable: 503,
  store_damaged: 503,
  store_unsupported: 503,
  store_missing: 503,
  store_in_use: 503,
  store_too_new: 503,
  store_not_empty: 503,
  backup_damaged: 503,
  backup_running: 409,
  encryption_key_wrong: 503,
  // nodes
  session_elsewhere: 503,
  session_unheld: 503,
  node_unreachable: 503,
  node_unknown: 404,
  node_ambiguous: 409,
  nodes_unsupported: 409,
  // daemon
  stopping: 503,
} as const;

export type ErrorCode = keyof typeof ERROR_STATUSES;

/** A refusal by the policy of a session, as the API shows it. */
export interface PolicyRefusal {
  rule: RuleName;
  reason: string;
  /** How often the rule permits it, and how often it still does; absent for a rule that counts nothing. */
  limit?: number;
  left?: number;
  /** RFC 3339; empty when no time will change it. */
  allowedAt: string;
  /** Seconds until then; absent when no time will change it. */
  retryAfter?: number;
}

/** An expected failure. `message` is shown to the caller; `cause` only goes to the log. */
export class GatewayError extends Error {
  readonly code: ErrorCode;
  readonly status: number;
  /** The message as data, where its words depend on who reads it. */
  readonly reason: Reason | undefined;
  /** The message whose send has an unknown outcome. */
  readonly messageId: string | undefined;
  /** How the policy of a session refused a send. */
  readonly policy: PolicyRefusal | undefined;
  /** Seconds after which the request may be repeated, if known. */
  readonly retryAfter: number | undefined;

  constructor(
    code: ErrorCode,
    why: string | Reason,
    options: { cause?: unknown; messageId?: string; policy?: PolicyRefusal; retryAfter?: number } = {},
  ) {
    super(typeof why === 'string' ? why : textOf(why), options);
    this.reason = typeof why === 'string' ? undefined : why;
    this.messageId = options.messageId;
    this.policy = options.policy;
    this.retryAfter = options.policy ? options.policy.retryAfter : options.retryAfter;
    this.name = 'GatewayError';
    this.code = code;
    this.status = ERROR_STATUSES[code];
  }
}

export function unknownSession(clientId: string): GatewayError {
  return new GatewayError('session_unknown', reason('session_unknown', { clientId }));
}

/** True for a GatewayError, with the given code if there is one. */
export function isGatewayError(error: unknown, code?: ErrorCode): error is GatewayError {
  return error instanceof GatewayError && (code === undefined || error.code === code);
}

/** Errors of a send that a repetition would get again. */
const FINAL_OF_SENDS = ['send_rejected', 'recipient_unknown', 'audience_empty', 'policy_refused'] as const;

/** True if a repetition of the send would fail in the same way. */
export function isFinalForSend(error: unknown): boolean {
  // after the next connection the network is asked again
  const isSilent = isGatewayError(error, 'policy_refused') && error.policy?.rule === 'networkSilent';
  return !isSilent && FINAL_OF_SENDS.some((code) => isGatewayError(error, code));
}

/**
 * The store failed while it was in use. The caller may be a tenant, so the message is always the same; the cause, which may name
 * servers and files, goes to the log.
 */
export function storeUnavailable(cause: unknown): GatewayError {
  return new GatewayError('store_unavailable', 'The store is unavailable: try again in a moment.', { cause });
}

/** The first line of a message for the operator, with its cause if the store was unavailable. */
export function messageForOperator(error: unknown): string {
  const message = errorMessage(error);
  if (!isGatewayError(error, 'store_unavailable') || !error.cause) return message;
  // the words of `store_failed` already contain the cause
  if (error.reason?.code === 'store_failed') return message;
  const [line = ''] = errorMessage(error.cause).split('\n', 1);
  return `${withoutPeriod(message)} (${line})`;
}

function withoutPeriod(text: string): string {
  return text.replace(/\.$/, '');
}

/** The message of anything that was thrown. */
export function errorMessage(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
