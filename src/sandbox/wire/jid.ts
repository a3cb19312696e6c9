import { LID_SERVER, PN_SERVER } from '../../domain/address.js';

/** What the network itself is called in `from` and `to`. */
export const NETWORK_JID = '@s.whatsapp.net';

/** A jid with its device: 0 is the phone, 1 and up are companions. */
export interface DeviceJid {
  user: string;
  device: number;
  server: string;
}

const DEVICE_JID = /^([0-9]+)(?:_[0-9]+)?(?::([0-9]{1,3}))?@([a-z.]+)$/;

/** Reads the jid of a person's device; undefined for groups, the network itself and malformed text. */
export function parseDeviceJid(jid: string | undefined): DeviceJid | undefined {
  const match = DEVICE_JID.exec(jid ?? '');
  const [, user, device, server] = match ?? [];
  if (!user || (server !== LID_SERVER && server !== PN_SERVER)) return undefined;
  return { user, device: Number(device ?? 0), server };
}

/** Writes a jid; device 0 is left out, as `x:0@…` and `x@…` differ on the wire. */
export function deviceJid(user: string, server: string, device = 0): string {
  return device === 0 ? `${user}@${server}` : `${user}:${device}@${server}`;
}
