import { type Account, type Companion, deviceId, devicesOf } from '../state/account.js';
import type { Network } from '../state/network.js';
import { stanza } from '../wire/stanza.js';

/**
 * Notifies the linked devices of a person and of all contacts that the person's device list has changed, so that
 * their next message is encrypted for the right devices.
 * @param except the new device itself, which needs no notification
 */
export function announceDevices(network: Network, account: Account, except?: Companion): void {
  if (network.faults.take('no-device-news', account)) return;
  const modes = account.record.hideLid ? (['pn'] as const) : (['pn', 'lid'] as const);
  const devices = devicesOf(account).flatMap((device) =>
    modes.map((mode) => stanza('device', { jid: account.jid(mode, deviceId(device)) })),
  );
  for (const { companions } of network.directory.contactsOf(account)) {
    for (const companion of companions.values()) {
      if (companion === except) continue;
      const attrs = { from: account.privateJid('lid'), type: 'devices' };
      network.notify(companion, attrs, [stanza('update', {}, devices)]);
    }
  }
}

/** Unlinks a device: on the phone's request or its own. @param code of the stream error that ends its connection */
export function unlink(network: Network, companion: Companion, code: string | null = '401'): void {
  const { account, connection } = companion;
  account.companions.delete(companion.id);
  companion.discard();
  const conflict = stanza('conflict', { type: 'device_removed' });
  connection?.close(stanza('stream:error', { code: code ?? undefined }, [conflict]));
  network.reportDevice(companion, 'unlinked');
  announceDevices(network, account);
}
