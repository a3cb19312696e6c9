import type { BinaryNode, WASocket } from '@whiskeysockets/baileys';
import type { Clock } from '../../domain/clock.js';
import { GatewayError } from '../../domain/errors.js';

/** Milliseconds that the network has to answer a request for a code. */
const ANSWER_MS = 15_000;
const REFUSED = 'CB:iq,type:error';
const GRANTED = 'CB:iq,type:result,link_code_companion_reg';

/**
 * Asks for a pairing code and waits until the network has accepted the request: the library itself does not.
 * @param phone digits with country code
 * @throws GatewayError `pairing_code_refused`
 */
export async function requestPairingCode(sock: WASocket, clock: Clock, phone: string): Promise<string> {
  const answer = new Promise<void>((resolve, reject) => {
    const settle = (error?: GatewayError) => {
      cancel();
      sock.ws.off(REFUSED, onRefused);
      sock.ws.off(GRANTED, onGranted);
      sock.ws.off('close', onClosed);
      if (error) reject(error);
      else resolve();
    };
    const onRefused = (node: BinaryNode) => settle(refused(node));
    const onGranted = () => settle();
    const onClosed = () => settle(failure('The connection ended before the network answered.'));
    const cancel = clock.after(ANSWER_MS, () => settle(failure('The network did not answer the request.')));
    sock.ws.on(REFUSED, onRefused);
    sock.ws.on(GRANTED, onGranted);
    sock.ws.on('close', onClosed);
  });
  const [code] = await Promise.all([sock.requestPairingCode(phone).catch(notAsked), answer]);
  return code;
}

function notAsked(cause: unknown): never {
  throw new GatewayError(
    'pairing_code_refused',
    'The connection is not ready to ask for a code. Try again.',
    {
      cause,
    },
  );
}

function refused({ content }: BinaryNode): GatewayError {
  const error = Array.isArray(content) ? content.find(({ tag }) => tag === 'error') : undefined;
  const reason = [error?.attrs.code, error?.attrs.text].filter(Boolean).join(', ');
  return failure(`The network refuses a pairing code for this number${reason && ` (${reason})`}.`);
}

function failure(message: string): GatewayError {
  return new GatewayError('pairing_code_refused', message);
}
