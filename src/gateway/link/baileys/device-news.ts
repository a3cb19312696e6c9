import { createHash } from 'node:crypto';
import {
  type BinaryNode,
  type extractDeviceJids,
  getBinaryNodeChild,
  getBinaryNodeChildren,
  jidDecode,
  jidEncode,
} from '@whiskeysockets/baileys';

/** A device as the library lists it. */
export type ListedDevice = ReturnType<typeof extractDeviceJids>[number];

/** Bytes of the SHA-256 in the hash of a list of devices. */
const HASH_BYTES = 6;

/** What the network tells of the devices of a person, for one of the person's addresses. */
export interface DeviceNews {
  user: string;
  /** The list that follows from the one before. */
  next(before: readonly ListedDevice[]): ListedDevice[];
  /** The network's hash of the list that follows; absent if the network sent the whole list. */
  hash?: string;
}

/**
 * Reads a notification of the type `devices`: a device was linked or unlinked (whatsmeow `handleDeviceNotification`).
 * @returns the news for number and LID; undefined if the notification does not say what changed
 */
export function deviceNewsIn(node: BinaryNode): DeviceNews[] | undefined {
  const [change, ...others] = Array.isArray(node.content) ? node.content : [];
  if (!change || others.length > 0 || !['add', 'remove'].includes(change.tag)) return undefined;
  const { device_hash, device_lid_hash } = change.attrs;
  const changed = getBinaryNodeChildren(change, 'device');
  return [
    newsOf(
      change.tag,
      node.attrs.from,
      device_hash,
      changed.map(({ attrs }) => attrs.jid),
    ),
    newsOf(
      change.tag,
      node.attrs.lid,
      device_lid_hash,
      changed.map(({ attrs }) => attrs.lid),
    ),
  ].flatMap((news) => news ?? []);
}

function newsOf(
  tag: string,
  owner: string | undefined,
  hash: string | undefined,
  jids: readonly (string | undefined)[],
): DeviceNews | undefined {
  const user = jidDecode(owner)?.user;
  if (!user) return undefined;
  const changed = jids.flatMap((jid) => jidDecode(jid) ?? []).filter((device) => device.user === user);
  const ids = new Set(changed.map(({ device }) => device ?? 0));
  const added = tag === 'add' ? changed : [];
  const next = (before: readonly ListedDevice[]) => [
    ...before.filter(({ device }) => !ids.has(device ?? 0)),
    ...added,
  ];
  // without a hash nothing confirms the change
  return { user, next, hash: hash ?? '' };
}

/**
 * Reads a notification of the type `account_sync` with the whole list of the own devices (whatsmeow
 * `handleOwnDevicesNotification`).
 * @param own the jids of this device, by number and by LID
 * @returns the news for both addresses; undefined if the notification has no list, or one with another hash
 */
export function ownDevicesIn(
  node: BinaryNode,
  own: readonly (string | undefined)[],
): DeviceNews[] | undefined {
  const list = getBinaryNodeChild(node, 'devices');
  const jids = getBinaryNodeChildren(list, 'device').flatMap(({ attrs }) => attrs.jid ?? []);
  if (!list || participantHash(jids) !== list.attrs.dhash) return undefined;
  const self = own.map((jid) => jidDecode(jid)?.device).find((device) => device);
  // the list of the own devices is kept without this one
  const others = jids.map((jid) => jidDecode(jid)?.device ?? 0).filter((device) => device !== self);
  return own.flatMap((jid) => {
    const me = jidDecode(jid);
    return me ? [{ user: me.user, next: () => others.map((device) => ({ ...me, device })) }] : [];
  });
}

/** The jid of a device. */
export function jidOf({ user, device, server }: ListedDevice): string {
  return jidEncode(user, server ?? 's.whatsapp.net', device);
}

/**
 * The network's hash of a list of devices: SHA-256 of the sorted jids in the form `user.0:device@server`, its first six
 * bytes (whatsmeow `participantListHashV2`, zapo `phash.ts`). The library's own function truncates the text, so its hash
 * never matches.
 */
export function participantHash(devices: readonly string[]): string {
  const names = devices.map((jid) => {
    const { user = '', device = 0, server = '' } = jidDecode(jid) ?? {};
    return `${user}.0:${device}@${server}`;
  });
  const digest = createHash('sha256').update(names.sort().join('')).digest();
  return `2:${digest.subarray(0, HASH_BYTES).toString('base64').replace(/=+$/, '')}`;
}
