import type { Account } from '../account.js';
import type { Network } from '../network.js';
import { type Stanza, stanza } from '../wire/stanza.js';
import { bothJids } from './elements.js';
import type { Group } from './group.js';
import { viewGroup } from './view.js';

/**
 * Keeps a change of a group and tells all devices of its members, those of who did it too.
 * @param also people who are not members (any more), but are told this time
 */
export function announce(
  network: Network,
  group: Group,
  actor: Account,
  change: Stanza,
  also: readonly Account[] = [],
): void {
  group.keep();
  const attrs = {
    from: group.jid(),
    type: 'w:gp2',
    ...bothJids(network, actor, ['participant', 'participant_pn', 'participant_lid']),
    addressing_mode: network.addressing,
    notify: actor.record.name,
    t: String(network.now()),
  };
  for (const { companions } of new Set([...membersOf(network, group), ...also])) {
    for (const { mailbox } of companions.values())
      mailbox.push(stanza('notification', { ...attrs, id: network.newId() }, [change]));
  }
  network.events.emit(() => ({ type: 'group', group: viewGroup(network, group) }));
}

/** The people in a group, in the order in which they came. */
export function membersOf(network: Network, group: Group): Account[] {
  return [...group.members].flatMap(([lid]) => network.registry.byLid(lid) ?? []);
}
