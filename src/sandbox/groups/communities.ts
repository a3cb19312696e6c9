import type { GroupSettings } from '../../contract/sandbox/index.js';
import type { Account } from '../state/account.js';
import type { Group } from '../state/group.js';
import type { Network } from '../state/network.js';
import { GroupRefusal } from '../wire/refusals.js';
import { type Stanza, stanza } from '../wire/stanza.js';
import { announce, participantElement } from './elements.js';
import { joinCommunity, linkElement, linkedGroups } from './linked.js';
import {
  changeMembers,
  createGroup,
  leaveGroup,
  type Named,
  type Outcome,
  requireAdmin,
  requireMember,
} from './membership.js';

const NOT_FOUND = 404;
const NOT_ALLOWED = 403;
const LINKED_ALREADY = 409;
/** The reason when an admin unlinks a group (whatsmeow `GroupUnlinkReason`). */
const UNLINKED = 'unlink_group';

/**
 * Creates a community: a group that holds other groups. The network makes its announcement group by itself (whatsmeow
 * `group.go`), and a general chat on request.
 * @throws GroupRefusal 406 for a bad subject
 */
export function createCommunity(
  network: Network,
  creator: Account,
  {
    general,
    ...named
  }: {
    subject: string;
    description: string;
    key?: string | undefined;
    community: NonNullable<Group['record']['community']>;
    general: boolean;
  } & GroupSettings,
): Group {
  const { group: community } = createGroup(network, creator, named, []);
  const parent = { jid: community.jid(), role: 'default' } as const;
  createGroup(network, creator, { subject: named.subject, announce: true, parent }, []);
  if (general)
    createGroup(network, creator, { subject: 'General', parent: { ...parent, role: 'general' } }, []);
  return community;
}

/** @throws GroupRefusal 404 when there is no such community */
export function requireCommunity(network: Network, jid: string | undefined): Group {
  const community = network.directory.groups.require(jid);
  if (!community.record.community) throw new GroupRefusal(404);
  return community;
}

/** Creates a group in a community. @throws GroupRefusal 403 where only admins may */
export function createLinkedGroup(
  network: Network,
  creator: Account,
  community: Group,
  { joinApproval = false, ...wanted }: { subject: string; key?: string | undefined } & GroupSettings,
  people: Named[],
): { group: Group; outcomes: Outcome[] } {
  requireMember(community, creator);
  if (!community.record.community?.anyoneAddsGroups) requireAdmin(community, creator);
  const parent = { jid: community.jid(), role: 'other' } as const;
  const approval = joinApproval || (community.record.community?.approval ?? false);
  const created = createGroup(network, creator, { ...wanted, parent, joinApproval: approval }, people);
  tellOf(network, community, creator, 'link', created.group);
  return created;
}

/** Links or unlinks a group. @returns the element of the answer @throws GroupRefusal unless the actor is an admin */
export function changeLink(
  network: Network,
  community: Group,
  actor: Account,
  change: 'link' | 'unlink',
  jid: string | undefined,
): Stanza {
  requireAdmin(community, actor);
  const group = network.directory.groups.byJid(jid);
  const error = group ? refuseLink(community, group, actor, change) : NOT_FOUND;
  if (!group || error !== undefined) return stanza('group', { jid, error: String(error) });
  if (change === 'link') {
    group.record.parent = { jid: community.jid(), role: 'other' };
    joinCommunity(network, group, network.directory.membersOf(group));
  } else delete group.record.parent;
  tellOf(network, community, actor, change, group);
  return stanza('group', { jid });
}

function refuseLink(
  community: Group,
  group: Group,
  actor: Account,
  change: 'link' | 'unlink',
): number | undefined {
  const { parent, community: isCommunity } = group.record;
  if (change === 'unlink')
    return parent?.jid === community.jid() && parent.role === 'other' ? undefined : NOT_FOUND;
  if (parent || isCommunity) return LINKED_ALREADY;
  return group.isAdmin(actor) ? undefined : NOT_ALLOWED;
}

/** Tells the members of both groups (whatsmeow `parseGroupChange`). */
function tellOf(
  network: Network,
  community: Group,
  actor: Account,
  change: 'link' | 'unlink',
  group: Group,
): void {
  const type = change === 'link' ? 'link_type' : 'unlink_type';
  const unlink_reason = change === 'unlink' ? UNLINKED : undefined;
  const tell = (told: Group, kind: string, other: Group) =>
    announce(
      network,
      told,
      actor,
      stanza(change, { [type]: kind, unlink_reason }, [linkElement(network, other)]),
    );
  tell(community, 'sub_group', group);
  tell(group, 'parent_group', community);
}

/** The groups of a community. @throws GroupRefusal 401 or 403 for strangers */
export function linkedGroupElements(network: Network, community: Group, asker: Account): Stanza[] {
  requireMember(community, asker);
  return linkedGroups(network, community).map((group) => linkElement(network, group));
}

/** Everybody in the groups of a community. @throws GroupRefusal 401 or 403 for strangers */
export function linkedPeopleElements(network: Network, community: Group, asker: Account): Stanza[] {
  requireMember(community, asker);
  const people = linkedGroups(network, community).flatMap((group) => network.directory.membersOf(group));
  return [...new Set(people)].map((person) => participantElement(network, person));
}

/** The person leaves a community and all its groups. @throws GroupRefusal 401 or 403 for strangers */
export function leaveCommunity(network: Network, community: Group, account: Account): void {
  for (const group of linkedGroups(network, community))
    if (group.has(account)) leaveGroup(network, group, account);
  leaveGroup(network, community, account);
}

/** Removes people from a community and all its groups. @returns their outcomes in the community */
export function removeFromAll(
  network: Network,
  community: Group,
  actor: Account,
  people: Named[],
): Outcome[] {
  const outcomes = changeMembers(network, community, actor, 'remove', people);
  const removed = outcomes.filter(({ account, error }) => account && error === undefined);
  for (const group of linkedGroups(network, community)) {
    for (const { account } of removed) {
      if (!account || !group.has(account)) continue;
      group.drop(account);
      const gone = stanza('remove', {}, [participantElement(network, account)]);
      announce(network, group, actor, gone, [account]);
    }
  }
  return outcomes;
}
