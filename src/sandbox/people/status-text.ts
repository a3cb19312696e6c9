import type { Account } from '../state/account.js';
import type { Network } from '../state/network.js';
import { stanza } from '../wire/stanza.js';
import { hasBlocked } from './blocks.js';
import { allows } from './privacy.js';

/** Tells the contacts of a person who may see it that the status text has changed (whatsmeow `handleStatusNotification`). */
export function announceStatusText(network: Network, person: Account): void {
  const { textStatus, status } = person.record;
  const set = stanza('set', {}, Buffer.from(textStatus?.text ?? status));
  for (const other of network.directory.contactsOf(person)) {
    if (other === person || hasBlocked(person, other) || !allows(person, 'status', other)) continue;
    for (const companion of other.companions.values())
      network.notify(companion, { from: person.privateJid(network.addressing), type: 'status' }, [set]);
  }
}
