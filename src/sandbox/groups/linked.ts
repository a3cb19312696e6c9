import type { Account } from '../state/account.js';
import type { Group } from '../state/group.js';
import type { Network } from '../state/network.js';
import { type Stanza, stanza } from '../wire/stanza.js';
import { announce, groupAttrs, participantElement } from './elements.js';

/** The community that a group is linked to, or is; undefined for a group of its own. */
export function communityOf({ directory }: Network, group: Group): Group | undefined {
  return group.record.community ? group : directory.groups.byJid(group.record.parent?.jid);
}

const ROLES = ['default', 'general', 'other'];

/** The groups that are linked to a community, the announcement group first. */
export function linkedGroups({ directory }: Network, community: Group): Group[] {
  const place = ({ record }: Group) => ROLES.indexOf(record.parent?.role ?? '');
  return directory.groups.all
    .filter(({ record }) => record.parent?.jid === community.jid())
    .sort((one, other) => place(one) - place(other));
}

/** Adds people who join a group of a community to the community and to its announcement group. */
export function joinCommunity(network: Network, group: Group, people: readonly Account[]): void {
  const community = communityOf(network, group);
  if (!community) return;
  const announcements = linkedGroups(network, community).filter(
    ({ record }) => record.parent?.role === 'default',
  );
  for (const target of [community, ...announcements]) {
    for (const person of people.filter((one) => !target.has(one))) {
      target.put(person, 'member');
      const come = stanza('add', { reason: 'linked_group_join' }, [participantElement(network, person)]);
      announce(network, target, person, come);
    }
  }
}

/** A linked group as the members of its community see it. */
export function linkElement(network: Network, group: Group): Stanza {
  const isAnnouncement = group.record.parent?.role === 'default';
  const attrs = { ...groupAttrs(network, group), jid: group.jid() };
  return stanza('group', attrs, isAnnouncement ? [stanza('default_sub_group')] : []);
}
