import { DisconnectReason } from '@whiskeysockets/baileys';
import type { CloseReason } from '../../domain/session.js';

/** Why a link ended: the word that decides, and a sentence for people. */
export interface Verdict {
  reason: CloseReason;
  detail: string;
}

interface Row extends Verdict {
  /** Code of the library's error. */
  code?: number;
  /** What the error's message must say, where one code means several things. */
  says?: RegExp;
  /** The row counts only while the number is not linked. */
  unpaired?: true;
}

/**
 * Every way in which the library reports an end, first match wins. Codes of `failure` nodes after whatsmeow; 500 is
 * named "bad session" by the library but also stands for every stream error without a code, so it is no logout.
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
    detail: 'The network no longer accepts this client version; update Switchboard.',
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

/** The reason of an end that the library reported. */
export function verdictOn(error: unknown, paired: boolean): Verdict {
  const { code, message } = partsOf(error);
  const row = ROWS.find(
    (candidate) =>
      (candidate.code === undefined || candidate.code === code) &&
      (candidate.says === undefined || candidate.says.test(message)) &&
      !(candidate.unpaired && paired),
  );
  if (row) return { reason: row.reason, detail: row.detail };
  const name = code === undefined ? message : `code ${code}: ${message}`;
  return {
    reason: 'stream_error',
    detail: `The network ended the connection (${name || 'no reason given'}).`,
  };
}

/** The status code and the message of an error of the library, which brings its own copy of Boom. */
export function partsOf(error: unknown): { code?: number; message: string } {
  if (typeof error === 'number') return { code: error, message: `socket closed with ${error}` };
  if (!(error instanceof Error)) return { message: '' };
  const output: unknown = Reflect.get(error, 'output');
  const code: unknown = output instanceof Object ? Reflect.get(output, 'statusCode') : undefined;
  return { message: error.message, ...(typeof code === 'number' && { code }) };
}
