import { DisconnectReason } from '@whiskeysockets/baileys';
import { GatewayError } from '../../domain/errors.js';
import type { CloseReason } from '../../domain/session.js';
import { proxyFailureIn } from './tunnel.js';

/** Why a link ended: a reason for programs, and a sentence for people. */
export interface Verdict {
  reason: CloseReason;
  detail: string;
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
    reason: 'qr_expired',
    detail: 'No phone scanned the QR code in time.',
  },
  {
    says: /handshake has timed out|ETIMEDOUT/,
    reason: 'connect_timeout',
    detail: 'The network did not answer the connection in time.',
  },
  { says: /^WebSocket Error/, reason: 'network_unreachable', detail: 'The network cannot be reached.' },
  {
    code: DisconnectReason.connectionLost,
    says: /Connection was lost/,
    reason: 'connection_lost',
    detail: 'Nothing came from the network for too long.',
  },
  {
    code: DisconnectReason.timedOut,
    reason: 'connect_timeout',
    detail: 'The network did not finish the handshake in time.',
  },
  {
    conflict: 'device_removed',
    reason: 'logged_out',
    detail: 'The phone removed this linked device.',
  },
  {
    code: DisconnectReason.loggedOut,
    unpaired: true,
    reason: 'pairing_unfinished',
    detail: 'The network refused the credentials of an unfinished pairing.',
  },
  {
    code: DisconnectReason.loggedOut,
    reason: 'logged_out',
    detail: 'The phone removed this linked device, or the network no longer knows it.',
  },
  {
    code: 402,
    reason: 'account_restricted',
    detail: 'The network has restricted this account for a time.',
  },
  {
    code: DisconnectReason.forbidden,
    reason: 'account_locked',
    detail: 'The account is locked, or its phone is gone.',
  },
  {
    code: 405,
    reason: 'client_outdated',
    detail: 'The network no longer accepts this client version.',
  },
  { code: 406, reason: 'banned', detail: 'The network has banned this account.' },
  { code: 409, reason: 'client_outdated', detail: 'The network does not accept this client.' },
  {
    code: DisconnectReason.multideviceMismatch,
    reason: 'device_mismatch',
    detail: 'The account does not take linked devices of this kind; link it again.',
  },
  { code: 418, reason: 'client_outdated', detail: 'The network does not know this client.' },
  {
    code: DisconnectReason.connectionClosed,
    reason: 'connection_closed',
    detail: 'The connection was closed.',
  },
  {
    code: DisconnectReason.connectionReplaced,
    reason: 'replaced',
    detail: 'Another client took over this link.',
  },
  {
    code: DisconnectReason.unavailableService,
    reason: 'service_unavailable',
    detail: 'The network is unavailable for the moment.',
  },
  {
    code: DisconnectReason.restartRequired,
    reason: 'restart_required',
    detail: 'The network asked for a new connection.',
  },
];

/** Maps the library's error to the reason why the link ended. */
export function verdictOn(error: unknown, paired: boolean): Verdict {
  const proxyFailure = proxyFailureIn(error);
  if (proxyFailure) return { reason: 'proxy_failed', detail: proxyFailure.message };
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
    const seconds = row.reason === 'account_restricted' ? Number(attrs('expire')) : 0;
    const retry = seconds > 0 && { retryAfterMs: seconds * 1_000 };
    return { reason: row.reason, detail: row.detail, ...retry };
  }
  const name = code === undefined ? message : `code ${code}: ${message}`;
  return {
    reason: 'stream_error',
    detail: `The network ended the connection (${name || 'no reason given'}).`,
  };
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
