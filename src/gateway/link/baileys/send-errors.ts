import { GatewayError } from '../../../domain/errors.js';
import { LIMITS } from '../../../domain/limits.js';
import type { Restriction } from '../link.js';
import { partsOf } from './reasons.js';

/** The error for a message that the library refused before it left. */
export function refused(error: unknown): GatewayError {
  const { message } = partsOf(error);
  const text = `The message could not be sent: ${message || 'no reason given'}.`;
  return new GatewayError('send_rejected', text, { cause: error });
}

/** The error for a link that is not open. */
export function notConnected(cause?: unknown): GatewayError {
  return new GatewayError(
    'send_not_connected',
    'The session is not connected, so nothing was sent. Try again.',
    {
      cause,
    },
  );
}

export function rejected(code: string): GatewayError {
  return new GatewayError('send_rejected', `The network rejected the message (${code}).`);
}

/** @param lock undefined when the network did not say whether the account is locked */
export function locked(code: string, lock: Restriction | undefined): GatewayError {
  const until = lock?.until ? ` until ${new Date(lock.until).toISOString()}` : '';
  return new GatewayError(
    'send_rejected',
    `The network rejected the message (${code}): it has restricted this account from starting new chats${until}.`,
  );
}

export function withoutToken(code: string): GatewayError {
  return new GatewayError(
    'send_rejected',
    `The network rejected the message (${code}): the account is not restricted, but the network asks for a valid token ` +
      'of this person, and there is none. The person has to write first.',
  );
}

export function cutOff(cause?: unknown): GatewayError {
  return new GatewayError(
    'send_cut_off',
    'The connection ended before there was proof that the message arrived.',
    { cause },
  );
}

export function unacknowledged(): GatewayError {
  return new GatewayError(
    'send_unacknowledged',
    `There was no acknowledgement of the network and no receipt within ${LIMITS.sendAckMs / 1000} s.`,
  );
}
