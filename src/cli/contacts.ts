import type { DaemonClient } from './client.js';

/** Enough for 10,000 rooms. */
const REFRESH_TIMEOUT_MS = 30 * 60_000;

/** Who a person is. */
export interface ContactDetails {
  jid: string;
  username: string;
  status: string;
  pictureId: string;
  devices: number;
  verifiedName: string;
}

/** A profile picture; `reason` says why there is none. */
export interface PictureDetails {
  jid: string;
  url: string;
  id?: string;
  type?: string;
  storedUrl?: string;
  mirrored?: boolean;
  reason?: string;
}

export function showContact(client: DaemonClient, clientId: string, jid: string): Promise<ContactDetails> {
  return client.call('POST', '/user-info', { body: { clientId, jid } });
}

export function showPicture(
  client: DaemonClient,
  query: { clientId: string; jid: string; full: boolean; refresh: boolean },
): Promise<PictureDetails> {
  const { clientId, jid, full, refresh } = query;
  const flags = { preview: String(!full), refresh: String(refresh) };
  return client.call('GET', '/profile-picture', { query: { clientId, jid, ...flags } });
}

/** The session's own addresses, and those of a number. */
export interface LidDetails {
  myLid: string;
  myJid: string;
  number: string;
  isOnWhatsApp: boolean;
  numberJid: string;
  numberLid: string;
  username: string;
}

/** What became of the rooms of a session whose pictures were looked for. */
export interface AvatarCounts {
  rooms: number;
  updated: number;
  skipped: number;
  noPhoto: number;
  failed: number;
}

/** @param number a phone number; empty asks for the own addresses only */
export function lookUpLid(client: DaemonClient, clientId: string, number: string): Promise<LidDetails> {
  return client.call('POST', '/check-owner-lid', { body: { clientId, number } });
}

/** Ends when every room has been looked at: about seven are in a second. */
export function refreshAvatars(
  client: DaemonClient,
  clientId: string,
  force: boolean,
): Promise<AvatarCounts> {
  const body = { clientId, force };
  return client.call('POST', '/refresh-avatars', { body, timeoutMs: REFRESH_TIMEOUT_MS });
}
