/**
 * Every expected refusal of the simulated network's HTTP servers: a stable code and its HTTP status. The body of an error
 * is `{error, code}`.
 */
export const SANDBOX_ERRORS = {
  // callers
  invalid_request: 400,
  cross_site: 403,
  host_unknown: 403,
  route_unknown: 404,
  request_timeout: 408,
  request_too_large: 413,
  content_type_unsupported: 415,
  internal: 500,
  not_played: 501,
  // phones
  phone_unknown: 404,
  phone_taken: 409,
  device_unknown: 404,
  device_not_connected: 409,
  picture_invalid: 400,
  privacy_invalid: 400,
  // linking
  qr_invalid: 400,
  qr_expired: 400,
  code_not_awaited: 400,
  code_expired: 400,
  code_wrong: 400,
  code_busy: 409,
  link_refused: 400,
  link_busy: 409,
  device_gone: 409,
  device_silent: 504,
  passkey_missing: 409,
  passkey_not_asked: 409,
  passkey_code_wrong: 400,
  passkey_declined: 403,
  passkey_options_invalid: 400,
  passkey_not_allowed: 400,
  // messages and files
  message_unknown: 404,
  message_elsewhere: 400,
  message_deleted: 400,
  message_not_own: 403,
  message_not_editable: 400,
  vote_invalid: 400,
  file_unknown: 404,
  file_too_large: 413,
  // groups
  group_unknown: 404,
  group_forbidden: 403,
  group_invalid: 400,
  group_conflict: 409,
  // channels
  channel_unknown: 404,
  channel_forbidden: 403,
  // calls
  call_unknown: 404,
  call_forbidden: 403,
  call_conflict: 409,
  // the network
  clock_too_far: 400,
  // servers that clients of WhatsApp use
  media_token_unknown: 401,
  media_host_down: 503,
  media_rejected: 500,
  media_hash_wrong: 400,
  media_expired: 410,
  media_unknown: 404,
  url_not_signed: 403,
  page_unavailable: 503,
} as const;

export type SandboxErrorCode = keyof typeof SANDBOX_ERRORS;
