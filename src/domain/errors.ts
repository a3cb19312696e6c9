/**
 * Every expected failure of the gateway has one row here: a stable code, the HTTP status it becomes at the API's
 * edge, and what it means. Grouped by section; messages say what to do next.
 */
const CODES = {
  // callers
  invalid_request: 400,
  unauthorized: 401,
  forbidden: 403,
  // sessions
  session_unknown: 404,
  session_unpaired: 404,
  session_already_paired: 409,
  session_not_connected: 409,
  session_terminal: 409,
  pairing_code_refused: 502,
  webhook_not_persisted: 500,
  // sends
  recipient_unknown: 400,
  send_not_connected: 502,
  send_rejected: 502,
  send_unacknowledged: 502,
  send_cut_off: 502,
  device_query_unanswered: 502,
  target_not_own: 400,
  target_not_editable: 400,
  target_author_unknown: 400,
  edit_window_over: 400,
  receipt_rejected: 502,
  app_state_rejected: 502,
  // media
  media_unfetchable: 502,
  media_too_large: 413,
  media_unsupported: 400,
  media_gone: 502,
  media_phone_silent: 502,
  file_unknown: 404,
  file_not_ready: 503,
  // history
  room_unknown: 404,
  message_unknown: 404,
  idempotency_conflict: 409,
  // look-ups
  lookup_failed: 502,
  avatars_busy: 409,
  not_found: 404,
  // groups
  group_unknown: 404,
  group_forbidden: 403,
  // deliveries
  delivery_unknown: 404,
  webhook_missing: 409,
  webhook_taken: 409,
  webhook_unreachable: 502,
  // store
  store_unavailable: 503,
  store_unsupported: 503,
  store_missing: 503,
  store_in_use: 503,
  store_too_new: 503,
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

export type ErrorCode = keyof typeof CODES;

/** A failure that was foreseen. `message` is shown to the caller as it is; `cause` only goes to the log. */
export class GatewayError extends Error {
  readonly code: ErrorCode;
  readonly status: number;

  constructor(code: ErrorCode, message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.name = 'GatewayError';
    this.code = code;
    this.status = CODES[code];
  }
}

/** True for a GatewayError, of the given code when one is named. */
export function isGatewayError(error: unknown, code?: ErrorCode): error is GatewayError {
  return error instanceof GatewayError && (code === undefined || error.code === code);
}
