import { isJidBroadcast, isJidNewsletter } from '@whiskeysockets/baileys';
import { STATUS_JID } from '../../../domain/address.js';

/** True for a jid from which nothing is read: broadcast lists and channels. */
export function isIgnoredJid(jid: string | undefined): boolean {
  return jid !== STATUS_JID && Boolean(isJidBroadcast(jid) || isJidNewsletter(jid));
}
