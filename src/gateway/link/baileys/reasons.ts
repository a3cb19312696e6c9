import { DisconnectReason } from '@whiskeysockets/baileys';
import { GatewayError } from '../../../domain/errors.js';
import { reason } from '../../../domain/reasons.js';
import type { CloseCause } from '../../../domain/session.js';
import { proxyFailureIn } from './tunnel.js';

/** Why a link ended. */
export interface Verdict {
  reason: CloseCause;
  /** Milliseconds until the cause ends, if the network says so. */
  retryAfterMs?: number;
}

interface Row extends Verdict {
  /** Code of the library's error. */
  code?: number;
  /** A pattern for the error's message, if one code has several meanings. */
  says?: RegExp;
  /** Type of the `conflict` inside a stream error. */
  conflict?: string;
  /** The row counts only while the number is not linked. */
  unpaired?: true;
}

/**
 * The library's reports of a lost connection; the first match wins. Codes of `failure` nodes after whatsmeow; 500 is
 * named "bad session" by the library, but it also covers every stream error without a code, so it is no logout.
 */
const ROWS: readonly Row[] = [
  {
    code: DisconnectReason.timedOut,
    says: /QR refs/,
    reason: reason('qr_expired'),
  },
  {
    says: /handshake has timed out|ETIMEDOUT/,
    reason: reason('connect_timeout', { kind: 'answer' }),
  },
  { says: /^WebSocket Error/, reason: reason('network_unreachable', { kind: 'unreachable' }) },
  {
    code: DisconnectReason.connectionLost,
    says: /Connection was lost/,
    reason: reason('connection_lost'),
  },
  {
    code: DisconnectReason.timedOut,
    reason: reason('connect_timeout', { kind: 'handshake' }),
  },
  {
    conflict: 'device_removed',
    reason: reason('logged_out', { kind: 'removed' }),
  },
  {
    code: DisconnectReason.loggedOut,
    unpaired: true,
    reason: reason('pairing_unfinished'),
  },
  {
    code: DisconnectReason.loggedOut,
    reason: reason('logged_out', { kind: 'unknown' }),
  },
  {
    code: 402,
    reason: reason('account_restricted', { kind: 'open' }),
  },
  {
    code: DisconnectReason.forbidden,
    reason: reason('account_locked'),
  },
  {
    code: 405,
    reason: reason('client_outdated', { kind: 'refused' }),
  },
  { code: 406, reason: reason('banned') },
  { code: 409, reason: reason('client_outdated', { kind: 'not_accepted' }) },
  {
    code: DisconnectReason.multideviceMismatch,
    reason: reason('device_mismatch'),
  },
  { code: 418, reason: reason('client_outdated', { kind: 'unknown' }) },
  {
    code: DisconnectReason.connectionClosed,
    reason: reason('connection_closed'),
  },
  {
    code: DisconnectReason.connectionReplaced,
    reason: reason('replaced', { kind: 'taken' }),
  },
  {
    code: DisconnectReason.unavailableService,
    reason: reason('service_unavailable'),
  },
  {
    code: DisconnectReason.restartRequired,
    reason: reason('restart_required'),
  },
];

/** Maps the library's error to the reason why the link ended. */
export function verdictOn(error: unknown, paired: boolean): Verdict {
  const proxyFailure = proxyFailureIn(error);
  if (proxyFailure) return { reason: proxyFailure.reason };
  const { code, message } = partsOf(error);
  const attrs = attributesOf(error);
  const row = ROWS.find(
    (candidate) =>
      (candidate.code === undefined || candidate.code === code) &&
      (candidate.says === undefined || candidate.says.test(message)) &&
      (candidate.conflict === undefined || candidate.conflict === attrs('type')) &&
      !(candidate.unpaired && paired),
  );
  if (row) {
    // `expire` of a temporary ban: seconds from now (whatsmeow, `TemporaryBan`)
    const seconds = row.reason.code === 'account_restricted' ? Number(attrs('expire')) : 0;
    const retry = seconds > 0 && { retryAfterMs: seconds * 1_000 };
    return { reason: row.reason, ...retry };
  }
  const name = code === undefined ? message : `code ${code}: ${message}`;
  return { reason: reason('stream_error', { answer: name || 'no reason given' }) };
}

/** Reads the attributes of the network's `failure` element, or of the element inside its stream error. */
function attributesOf(error: unknown): (name: string) => unknown {
  const data = field(error, 'data');
  const attrs = field(data, 'attrs') ?? data;
  return (name) => field(attrs, name);
}

/** The status code and the message of an error of the library, which has its own copy of Boom. */
export function partsOf(error: unknown): { code?: number; message: string } {
  if (typeof error === 'number') return { code: error, message: `socket closed with ${error}` };
  if (!(error instanceof Error)) return { message: '' };
  const code = field(field(error, 'output'), 'statusCode');
  return { message: error.message, ...(typeof code === 'number' && { code }) };
}

/** A field of a value of unknown shape; undefined when there is none. */
export function field(value: unknown, name: string): unknown {
  return value instanceof Object ? new Map<string, unknown>(Object.entries(value)).get(name) : undefined;
}

/** The text of a field of a value of unknown shape; empty when there is none. */
export function textIn(value: unknown, name: string): string {
  const text = field(value, name);
  return typeof text === 'string' ? text : '';
}

/** The network's code and text in an error answer to a query; undefined when no answer came. */
export function answerIn(error: unknown): string | undefined {
  const code = refusalCode(error);
  if (code === undefined) return undefined;
  return [code, error instanceof Error ? error.message : ''].filter(Boolean).join(', ');
}

/** The network's code in an error answer to a query; undefined when no answer came at all. */
export function refusalCode(error: unknown): number | undefined {
  if (!(error instanceof Error) || !('data' in error)) return undefined;
  const { data } = error;
  if (typeof data === 'number') return data;
  // some queries carry the whole error node
  const code = field(field(data, 'attrs'), 'code');
  return typeof code === 'string' && /^\d+$/.test(code) ? Number(code) : undefined;
}

/** The error for a query without an answer, or with a refusal whose code has no specific meaning. */
export function lookupFailed(cause: unknown): GatewayError {
  const code = refusalCode(cause);
  const why = code === undefined ? 'did not answer' : `refused (${code})`;
  return new GatewayError('lookup_failed', `The network ${why}. Try again.`, { cause });
}
