import { type BinaryNode, S_WHATSAPP_NET, type WASocket } from '@whiskeysockets/baileys';
import type { Clock } from '../../../domain/clock.js';
import type { Logger } from '../../log.js';
import type { LinkEvent } from '../link.js';
import type { Verdict } from './reasons.js';

/** Dependencies of the parts of a pairing. */
export interface PairingContext {
  sock: WASocket;
  clock: Clock;
  log: Logger;
  emit(event: LinkEvent): void;
  /** Ends the link with a closing handshake. */
  end(verdict: Verdict): void;
  /** Replaces the secret of the pairing. Resolves when the new one is stored; false when the link has ended instead. */
  rotate(): Promise<boolean>;
  /** Stores a derived secret. */
  adopt(secret: Uint8Array): Promise<boolean>;
}

/** Acknowledges a notification. */
export async function acknowledge(sock: WASocket, { attrs }: BinaryNode): Promise<void> {
  const { id = '', from = S_WHATSAPP_NET, type } = attrs;
  await sock.sendNode({ tag: 'ack', attrs: { id, to: from, class: 'notification', ...(type && { type }) } });
}
