import { type AuthenticationCreds, jidDecode } from '@whiskeysockets/baileys';
import type { OwnIdentity } from '../link.js';

/**
 * True when a pairing was carried through: the own jid has a device and the phone signed for it. A code pairing that
 * was only asked for sets `me` without a device, and `registered` says nothing (a QR pairing never sets it).
 */
export function isFinishedPairing(creds: AuthenticationCreds | undefined): boolean {
  return Boolean(creds?.account && creds.me && jidDecode(creds.me.id)?.device);
}

/**
 * Who the linked number is. Read from the credentials: the socket's own `user` is a snapshot from before the login.
 */
export function ownIdentity(creds: AuthenticationCreds): OwnIdentity {
  return {
    jid: creds.me?.id ?? '',
    pn: jidDecode(creds.me?.id)?.user ?? '',
    lid: jidDecode(creds.me?.lid)?.user ?? '',
    name: creds.me?.name ?? '',
  };
}
