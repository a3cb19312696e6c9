import type { Account } from '../account.js';
import type { Companion } from '../companion.js';
import type { Network } from '../network.js';
import { acquaintances } from '../people/acquaintances.js';
import { deviceId, devicesOf } from '../registry.js';
import { stanza } from '../wire/stanza.js';

/**
 * Tells the linked devices of a person, and of everybody that the person has written or is in a group with, that the list of the
 * person's devices has changed, so that their next message is encrypted for the right ones.
 * @param except a device that need not be told, as it is new itself.
 */
export function announceDevices(network: Network, account: Account, except?: Companion): void {
  const modes = account.record.hideLid ? (['pn'] as const) : (['pn', 'lid'] as const);
  const devices = devicesOf(account).flatMap((device) =>
    modes.map((mode) => stanza('device', { jid: account.jid(mode, deviceId(device)) })),
  );
  for (const { companions } of acquaintances(network, account)) {
    for (const companion of companions.values()) {
      if (companion === except) continue;
      const attrs = {
        from: account.privateJid('lid'),
        type: 'devices',
        id: network.newId(),
        t: String(network.now()),
      };
      companion.mailbox.push(stanza('notification', attrs, [stanza('update', {}, devices)]));
    }
  }
}

/** The phone removes a linked device, or the device removes itself. */
export function unlink(network: Network, companion: Companion): void {
  const { account, connection } = companion;
  account.companions.delete(companion.id);
  companion.discard();
  const conflict = stanza('conflict', { type: 'device_removed' });
  connection?.close(stanza('stream:error', { code: '401' }, [conflict]));
  network.tellDevice(companion, 'unlinked');
  announceDevices(network, account);
}
