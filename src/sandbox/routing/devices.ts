import { createHash } from 'node:crypto';
import { type Account, type AddressingMode, type Companion, deviceId, devicesOf } from '../state/account.js';
import type { Network } from '../state/network.js';
import { deviceRemoved, type Stanza, stanza } from '../wire/stanza.js';
import { keyIndexList } from './key-index.js';

/**
 * Notifies the linked devices of a person and of all contacts that a device was linked or unlinked, so that their next
 * message is encrypted for the right devices: contacts with the change and the hashes of the list that follows, own devices
 * with the whole list (whatsmeow `handleDeviceNotification`, `handleOwnDevicesNotification`).
 */
export function announceDevices(
  network: Network,
  account: Account,
  change: 'add' | 'remove',
  changed: Companion,
): void {
  if (network.faults.take('no-device-news', account)) return;
  const { hideLid } = account.record;
  const device = stanza('device', {
    jid: account.jid('pn', changed.id),
    lid: hideLid ? undefined : account.jid('lid', changed.id),
    'key-index': String(changed.id),
  });
  const hashes = {
    device_hash: participantHash([account], 'pn'),
    device_lid_hash: hideLid ? undefined : participantHash([account], 'lid'),
  };
  // the list is signed anew for a new device only (whatsapp-rust `stanza/devices.rs`)
  const keys =
    change === 'add'
      ? keyIndexList(network, account)
      : stanza('key-index-list', { ts: String(network.now()) });
  const news = stanza(change, hashes, [device, keys]);
  const attrs = {
    from: account.jid('pn'),
    ...(!hideLid && { lid: account.jid('lid') }),
    type: 'devices',
  };
  const all = devicesOf(account).map((own) => stanza('device', { jid: account.jid('pn', deviceId(own)) }));
  const whole = stanza('devices', { dhash: hashes.device_hash }, all);
  const own = { from: account.jid('pn'), type: 'account_sync' };
  for (const other of network.directory.contactsOf(account)) {
    for (const companion of other.companions.values()) {
      // the new device needs no notification
      if (companion === changed) continue;
      if (other === account) network.notify(companion, own, [whole]);
      else network.notify(companion, attrs, [news]);
    }
  }
}

/** Milliseconds in which a device that has removed itself closes its connection; a time that the sandbox chose. */
const LEAVE_MS = 1_000;

/**
 * Unlinks a device: on the phone's request or its own. A device that removes itself closes its connection once it has the
 * answer (whatsmeow `Logout`, which fails if it is logged out meanwhile); the network ends it if the device does not.
 * @param last what its connection ends with
 */
export function unlink(
  network: Network,
  companion: Companion,
  { last = deviceRemoved('401'), isOwnWish = false }: { last?: Stanza; isOwnWish?: boolean } = {},
): void {
  const { account, connection } = companion;
  account.companions.delete(companion.id);
  companion.discard();
  const end = () => {
    if (!connection?.isClosed) connection?.close(last);
  };
  if (isOwnWish) network.clock.after(LEAVE_MS, end);
  else end();
  network.reportDevice(companion, 'unlinked');
  announceDevices(network, account, 'remove', companion);
}

/** Bytes of the SHA-256 in the hash of a list of devices. */
const HASH_BYTES = 6;

/** SHA-256 of the sorted jids of all devices in the form `user.0:device@server`, its first six bytes. */
export function participantHash(people: readonly Account[], mode: AddressingMode): string {
  const names = people.flatMap((account) => {
    const [user = '', server = ''] = account.jid(mode).split('@');
    return devicesOf(account).map((device) => `${user}.0:${deviceId(device)}@${server}`);
  });
  const digest = createHash('sha256').update(names.sort().join('')).digest();
  return `2:${digest.toString('base64', 0, HASH_BYTES).replaceAll('=', '')}`;
}
