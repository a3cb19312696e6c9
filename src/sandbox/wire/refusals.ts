import { type Stanza, stanza } from './stanza.js';

/** A request that the control API refuses; `message` is shown to the caller. */
export class Refusal extends Error {
  override name = 'Refusal';
  /** HTTP status. */
  readonly status: 400 | 401 | 403 | 404 | 409 | 410 | 413 | 415 | 500 | 503 | 504;

  constructor(status: Refusal['status'], message: string) {
    super(message);
    this.status = status;
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
  501: 'feature-not-implemented',
} as const;

/** An action on a group that the network refuses. */
export class GroupRefusal extends Error {
  override name = 'GroupRefusal';
  /** 401: former member; 403: no right to the action; 404: no such group; 501: not played. */
  readonly code: keyof typeof REASONS;

  constructor(code: GroupRefusal['code']) {
    super(REASONS[code]);
    this.code = code;
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
