import type { WASocket } from '@whiskeysockets/baileys';

/** Milliseconds to wait for the confirmation; the local session is removed in any case. */
const CONFIRM_MS = 5_000;

/**
 * Asks the network to remove this device. The library's own `logout` does not wait for the answer.
 * @param gone resolves when the connection has ended
 * @returns true when the network confirmed it
 */
export async function unlink(sock: WASocket, gone: Promise<void>): Promise<boolean> {
  const jid = sock.authState.creds.me?.id;
  if (!jid) return false;
  const request = {
    tag: 'iq',
    attrs: { to: '@s.whatsapp.net', type: 'set', xmlns: 'md' },
    content: [{ tag: 'remove-companion-device', attrs: { jid, reason: 'user_initiated' } }],
  };
  const answer: Promise<unknown> = sock.query(request, CONFIRM_MS);
  return Boolean(await Promise.race([answer.catch(() => undefined), gone]));
}
