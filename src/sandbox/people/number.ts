import type { Account } from '../account.js';
import { announce } from '../groups/announce.js';
import { participantElement } from '../groups/elements.js';
import type { Network } from '../network.js';
import { unlink } from '../routing/devices.js';
import { stanza } from '../wire/stanza.js';
import { acquaintances } from './acquaintances.js';

/**
 * Gives a person another number. The LID stays, and with it the chats and groups; linked devices do not, as they
 * were linked to the number. Everybody who knows the person is told.
 * @throws Refusal 409 when somebody has that number
 */
export function changeNumber(network: Network, account: Account, number: string): void {
  const [before, oldJid] = [account.number, account.jid('pn')];
  network.registry.renumber(account, number);
  for (const companion of [...account.companions.values()]) unlink(network, companion);
  for (const other of network.registry.accounts) network.phone(other).renumber(before, number);
  const known = acquaintances(network, account);
  const modify = stanza('modify', {
    old: oldJid,
    new: account.jid('pn'),
    ...(!account.record.hideLid && { old_lid: account.jid('lid'), new_lid: account.jid('lid') }),
  });
  for (const { companions } of known) {
    for (const { mailbox } of companions.values()) {
      const attrs = { from: oldJid, type: 'contacts', id: network.newId(), t: String(network.now()) };
      mailbox.push(stanza('notification', attrs, [modify]));
    }
  }
  const changed = stanza('modify', {}, [participantElement(network, account)]);
  for (const group of network.groups.of(account)) announce(network, group, account, changed);
}
