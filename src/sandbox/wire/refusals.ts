import { SANDBOX_ERRORS, type SandboxErrorCode } from '../../contract/sandbox/errors.js';
import { type Stanza, stanza } from './stanza.js';

/** A request that the control API refuses; `message` is shown to the caller. */
export class Refusal extends Error {
  override name = 'Refusal';
  readonly code: SandboxErrorCode;
  /** HTTP status. */
  readonly status: number;

  constructor(code: SandboxErrorCode, message: string) {
    super(message);
    this.code = code;
    this.status = SANDBOX_ERRORS[code];
  }
}

/** The wire text of each refusal code. */
const REASONS = {
  400: 'bad-request',
  401: 'not-authorized',
  403: 'forbidden',
  404: 'item-not-found',
  406: 'not-acceptable',
  409: 'conflict',
  410: 'gone',
  501: 'feature-not-implemented',
} as const;

/** The code of each refusal in the control API, where unacceptable input is a bad request. */
const CONTROL_CODES = {
  400: 'group_invalid',
  401: 'group_forbidden',
  403: 'group_forbidden',
  404: 'group_unknown',
  406: 'group_invalid',
  409: 'group_conflict',
  410: 'group_invalid',
  501: 'not_played',
} as const satisfies Record<keyof typeof REASONS, SandboxErrorCode>;

/** An action on a group that the network refuses. */
export class GroupRefusal extends Refusal {
  override name = 'GroupRefusal';
  /** 401: former member; 403: no right to the action; 404: no such group; 501: not played. */
  readonly wireCode: keyof typeof REASONS;

  constructor(wireCode: GroupRefusal['wireCode']) {
    super(CONTROL_CODES[wireCode], REASONS[wireCode]);
    this.wireCode = wireCode;
  }
}

/** An action on a channel that the network refuses. */
export class ChannelRefusal extends Refusal {
  override name = 'ChannelRefusal';
  readonly wireCode: 403 | 404;

  constructor(wireCode: ChannelRefusal['wireCode']) {
    super(wireCode === 404 ? 'channel_unknown' : 'channel_forbidden', REASONS[wireCode]);
    this.wireCode = wireCode;
  }
}

/** A query that the network refuses. */
export class IqError extends Error {
  override name = 'IqError';
  readonly code: number;

  constructor(code: number, text: string) {
    super(text);
    this.code = code;
  }
}

/** The answer to everything that the sandbox does not play. */
export const NOT_PLAYED = new IqError(501, 'feature-not-implemented');

/** The element of that answer in acknowledgements, by which clients that wait for a content see the refusal. */
export function notPlayed(): Stanza {
  return stanza('error', { code: String(NOT_PLAYED.code), text: NOT_PLAYED.message });
}
