import type { DaemonClient } from './client.js';

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
