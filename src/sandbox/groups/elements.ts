import type { Account } from '../account.js';
import type { GroupRole } from '../api.js';
import type { Network } from '../network.js';
import { type Stanza, stanza } from '../wire/stanza.js';
import type { Group } from './group.js';

/**
 * Both addresses of a person under two names: by the one that the network uses in groups, and by the other, unless
 * the person hides how they belong together.
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

/** A member, or somebody whom an action is about. */
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

/** A group with all that members may know. @param refused people who were to be in it, and are not */
export function groupElement(network: Network, group: Group, refused: Stanza[] = []): Stanza {
  const { record } = group;
  const members = [...group.members].flatMap(([lid, role]) => {
    const account = network.registry.byLid(lid);
    return account ? [participantElement(network, account, { type: typeOf(role) })] : [];
  });
  return stanza('group', groupAttrs(network, group), [
    ...(record.description ? [descriptionElement(network, group)] : []),
    ...(record.announce ? [stanza('announcement')] : []),
    ...(record.locked ? [stanza('locked')] : []),
    ...(record.ephemeral > 0 ? [stanza('ephemeral', { expiration: String(record.ephemeral) })] : []),
    stanza('member_add_mode', {}, Buffer.from(record.membersAdd ? 'all_member_add' : 'admin_add')),
    ...members,
    ...refused,
  ]);
}

/** What strangers who have an invite code see of a group. */
export function previewElement(network: Network, group: Group): Stanza {
  return stanza('group', groupAttrs(network, group), [
    ...(group.record.description ? [descriptionElement(network, group)] : []),
  ]);
}

function groupAttrs(network: Network, group: Group): Record<string, string | undefined> {
  const { id, subject, creator, createdAt } = group.record;
  const subjectBy = network.registry.byLid(subject.by);
  const owner = network.registry.byLid(creator);
  return {
    id,
    subject: subject.text,
    s_t: String(subject.at),
    ...(subjectBy && bothJids(network, subjectBy, ['s_o', 's_o_pn', 's_o_lid'])),
    creation: String(createdAt),
    ...(owner && bothJids(network, owner, ['creator', 'creator_pn', 'creator_lid'])),
    addressing_mode: network.addressing,
    size: String(group.size),
  };
}

export function descriptionElement(network: Network, group: Group): Stanza {
  const { description } = group.record;
  if (!description) return stanza('description', { delete: 'true' });
  const by = network.registry.byLid(description.by);
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
