import type { GroupRole, GroupView } from '../../contract/sandbox/index.js';
import { type Account, versionOf } from '../state/account.js';
import type { Group, VersionedPart } from '../state/group.js';
import type { Network } from '../state/network.js';
import { type Stanza, stanza } from '../wire/stanza.js';

/**
 * Attributes with both addresses of a person: the one that the network uses in groups, and the other one, unless the
 * person hides the LID.
 */
export function bothJids(
  network: Network,
  account: Account,
  [main, pn, lid]: [main: string, pn: string, lid: string],
): Record<string, string> {
  const shown = { [main]: account.jid(network.addressing) };
  if (account.record.hideLid) return shown;
  return network.addressing === 'lid'
    ? { ...shown, [pn]: account.jid('pn') }
    : { ...shown, [lid]: account.jid('lid') };
}

/** A member, or a participant of an action. */
export function participantElement(
  network: Network,
  account: Account,
  attrs: Record<string, string | undefined> = {},
  content?: Stanza[],
): Stanza {
  const jids = bothJids(network, account, ['jid', 'phone_number', 'lid']);
  const username = account.record.username || undefined;
  return stanza('participant', { ...jids, username, ...attrs }, content);
}

/**
 * The number of a person as others see it who may not know it, for instance +1∙∙∙∙∙∙∙∙12: the first digits and the last two
 * (whatsapp-rust `stanza/groups.rs`).
 */
function maskedNumber({ number }: Account): string {
  return number.slice(0, 2) + MASK.repeat(number.length - 4) + number.slice(-2);
}

const MASK = '\u2219';

/**
 * A member whose number the viewer may not know: in the announcement group of a community, members who are no admins are anonymous
 * to each other, unless they have the viewer in their address book (whatsmeow `GroupParticipant.DisplayName`).
 */
function isAnonymous(network: Network, group: Group, member: Account, viewer: Account): boolean {
  if (network.addressing !== 'lid' || group.record.parent?.role !== 'default' || member === viewer)
    return false;
  const isKnown = member.record.contacts?.[viewer.lid] !== undefined;
  return !isKnown && !group.isAdmin(member) && !group.isAdmin(viewer);
}

/** A group as members see it. @param viewer the person who sees it; undefined in what all members get alike */
export function groupElement(
  network: Network,
  group: Group,
  viewer?: Account,
  refused: Stanza[] = [],
): Stanza {
  const { record } = group;
  const members = [...group.members].flatMap(([lid, role]) => {
    const account = network.directory.byLid(lid);
    if (!account) return [];
    const attrs = { type: typeOf(role) };
    if (!viewer || !isAnonymous(network, group, account, viewer))
      return [participantElement(network, account, attrs)];
    return [
      stanza('participant', { jid: account.jid('lid'), display_name: maskedNumber(account), ...attrs }),
    ];
  });
  return stanza('group', groupAttrs(network, group), [
    ...(record.description ? [descriptionElement(network, group)] : []),
    ...(record.announce ? [stanza('announcement')] : []),
    ...(record.locked ? [stanza('locked')] : []),
    ...(record.ephemeral > 0 ? [stanza('ephemeral', { expiration: String(record.ephemeral) })] : []),
    ...(record.joinApproval ? [approvalElement(true)] : []),
    ...communityElements(record),
    stanza('member_add_mode', {}, Buffer.from(record.membersAdd ? 'all_member_add' : 'admin_add')),
    ...members,
    ...refused,
  ]);
}

/** The element that says what a group is in a community (whatsapp-rust `iq/groups.rs`). */
function communityElements({ community, parent }: Group['record']): Stanza[] {
  if (community)
    return [
      stanza('parent', {
        default_membership_approval_mode: community.approval ? 'request_required' : undefined,
      }),
      ...(community.anyoneAddsGroups ? [stanza('allow_non_admin_sub_group_creation')] : []),
    ];
  if (!parent) return [];
  const { jid, role } = parent;
  return [
    stanza('linked_parent', { jid }),
    ...(role === 'default' ? [stanza('default_sub_group')] : []),
    ...(role === 'general' ? [stanza('general_chat')] : []),
  ];
}

/** Says whether an admin must approve those who join by the invite. */
export function approvalElement(isOn: boolean): Stanza {
  return stanza('membership_approval_mode', {}, [stanza('group_join', { state: isOn ? 'on' : 'off' })]);
}

/** A group as holders of the invite code see it. */
export function previewElement(network: Network, group: Group): Stanza {
  return stanza('group', groupAttrs(network, group), [
    ...(group.record.description ? [descriptionElement(network, group)] : []),
    ...(group.record.joinApproval ? [approvalElement(true)] : []),
  ]);
}

/** What the network says of a group in each of its forms. */
export function groupAttrs(network: Network, group: Group): Record<string, string | undefined> {
  const { id, subject, creator, createdAt } = group.record;
  const subjectBy = network.directory.byLid(subject.by);
  const owner = network.directory.byLid(creator);
  return {
    id,
    subject: subject.text,
    s_t: String(subject.at),
    ...(subjectBy && bothJids(network, subjectBy, ['s_o', 's_o_pn', 's_o_lid'])),
    creation: String(createdAt),
    ...(owner && bothJids(network, owner, ['creator', 'creator_pn', 'creator_lid'])),
    addressing_mode: network.addressing,
    size: String(group.size),
    a_v_id: group.version('announcement'),
    p_v_id: group.version('participants'),
  };
}

export function descriptionElement(network: Network, group: Group): Stanza {
  const { description } = group.record;
  if (!description) return stanza('description', { id: network.newId() }, [stanza('delete')]);
  const by = network.directory.byLid(description.by);
  const attrs = {
    id: description.id,
    ...(by && bothJids(network, by, ['participant', 'participant_pn', 'participant_lid'])),
    t: String(description.at),
  };
  return stanza('description', attrs, [stanza('body', {}, Buffer.from(description.text))]);
}

function typeOf(role: GroupRole): string | undefined {
  return role === 'member' ? undefined : role;
}

/** A group as the control API shows it. */
export function viewGroup(network: Network, group: Group): GroupView {
  const { subject, description, creator, createdAt, announce, locked, membersAdd, ephemeral, inviteCode } =
    group.record;
  const { joinApproval = false } = group.record;
  return {
    jid: group.jid(),
    subject: subject.text,
    description: description?.text ?? '',
    owner: network.directory.byLid(creator)?.number ?? '',
    createdAt,
    announce,
    locked,
    membersAdd,
    ephemeral,
    joinApproval,
    isCommunity: group.record.community !== undefined,
    communityJid: group.record.parent?.jid ?? '',
    inviteCode,
    pictureId: versionOf(group.record.picture),
    requests: group.requests.flatMap(({ lid, at }) => {
      const account = network.directory.byLid(lid);
      return account ? [{ number: account.number, at }] : [];
    }),
    participants: [...group.members].flatMap(([lid, role]) => {
      const account = network.directory.byLid(lid);
      return account ? [{ number: account.number, lid: account.jid('lid'), role }] : [];
    }),
  };
}

/**
 * Stores a changed group and notifies all devices of its members, including the actor's.
 * @param also further people to notify, such as removed members
 */
export function announce(
  network: Network,
  group: Group,
  actor: Account,
  change: Stanza,
  also: readonly Account[] = [],
): void {
  notifyPeople(network, group, actor, change, [...network.directory.membersOf(group), ...also]);
}

/** Stores a changed group and notifies the devices of some people. */
export function notifyPeople(
  network: Network,
  group: Group,
  actor: Account,
  change: Stanza,
  people: Iterable<Account>,
): void {
  const versioned = withVersion(network, group, change);
  group.keep();
  const attrs = {
    from: group.jid(),
    type: 'w:gp2',
    ...bothJids(network, actor, ['participant', 'participant_pn', 'participant_lid']),
    addressing_mode: network.addressing,
    notify: actor.record.name,
  };
  for (const { companions } of new Set(people)) {
    for (const companion of companions.values()) network.notify(companion, attrs, [versioned]);
  }
  network.events.emit(() => ({ type: 'group', group: viewGroup(network, group) }));
}

/** The parts of a group that have a version, by the elements of their changes (whatsmeow `parseGroupChange`). */
const VERSIONED: Record<string, VersionedPart> = {
  add: 'participants',
  remove: 'participants',
  promote: 'participants',
  demote: 'participants',
  modify: 'participants',
  announcement: 'announcement',
  not_announcement: 'announcement',
};

/** The change with the version that its part has now; for members also with the one before. */
function withVersion(network: Network, group: Group, change: Stanza): Stanza {
  const part = Object.hasOwn(VERSIONED, change.tag) ? VERSIONED[change.tag] : undefined;
  if (!part) return change;
  const before = group.version(part);
  const v_id = group.renew(part, network.clock.now());
  const attrs = { ...change.attrs, v_id };
  return { ...change, attrs: part === 'participants' ? { ...attrs, prev_v_id: before } : attrs };
}
