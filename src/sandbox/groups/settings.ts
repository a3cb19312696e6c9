import type { GroupSettings } from '../../contract/sandbox/index.js';
import type { Account } from '../state/account.js';
import { type Group, newInviteCode } from '../state/group.js';
import type { Network } from '../state/network.js';
import { GroupRefusal } from '../wire/refusals.js';
import { type Stanza, stanza } from '../wire/stanza.js';
import { announce, approvalElement, bothJids, descriptionElement } from './elements.js';
import { requireAdmin, requireEditor, requireSubject } from './membership.js';

const MAX_DESCRIPTION = 2_048;

/** @throws GroupRefusal when the actor may not change the subject, or it is empty or too long */
export function changeSubject(network: Network, group: Group, actor: Account, text: string): void {
  requireEditor(group, actor);
  requireSubject(text);
  const at = network.now();
  group.record.subject = { text, by: actor.lid, at };
  const by = bothJids(network, actor, ['s_o', 's_o_pn', 's_o_lid']);
  announce(network, group, actor, stanza('subject', { subject: text, s_t: String(at), ...by }));
}

/**
 * Changes the description; an empty one removes it.
 * @param previous id of the description that the actor knows; not checked when undefined
 * @throws GroupRefusal when the actor may not, the text is too long, or `previous` is outdated
 */
export function changeDescription(
  network: Network,
  group: Group,
  actor: Account,
  text: string,
  { id = network.newId(), previous }: { id?: string | undefined; previous?: string | undefined } = {},
): void {
  requireEditor(group, actor);
  if (text.length > MAX_DESCRIPTION) throw new GroupRefusal(406);
  if (previous !== undefined && previous !== group.record.description?.id) throw new GroupRefusal(409);
  if (text === '') delete group.record.description;
  else group.record.description = { id, text, by: actor.lid, at: network.now() };
  announce(network, group, actor, descriptionElement(network, group));
}

/** Changes settings, all or nothing. @throws GroupRefusal when the actor may not change one of them */
export function changeSettings(network: Network, group: Group, actor: Account, wanted: GroupSettings): void {
  const { ephemeral, ...forAdmins } = wanted;
  if (ephemeral !== undefined) requireEditor(group, actor);
  if (Object.values(forAdmins).some((value) => value !== undefined)) requireAdmin(group, actor);
  for (const element of apply(group, wanted, network.now())) announce(network, group, actor, element);
}

function* apply(
  group: Group,
  { announce: quiet, locked, membersAdd, ephemeral, joinApproval }: GroupSettings,
  now: number,
): Generator<Stanza> {
  const { record } = group;
  if (quiet !== undefined) {
    record.announce = quiet;
    yield stanza(quiet ? 'announcement' : 'not_announcement');
  }
  if (locked !== undefined) {
    record.locked = locked;
    yield stanza(locked ? 'locked' : 'unlocked');
  }
  if (membersAdd !== undefined) {
    record.membersAdd = membersAdd;
    yield stanza('member_add_mode', {}, Buffer.from(membersAdd ? 'all_member_add' : 'admin_add'));
  }
  if (joinApproval !== undefined) {
    record.joinApproval = joinApproval;
    yield approvalElement(joinApproval);
  }
  if (ephemeral !== undefined) {
    record.ephemeral = ephemeral;
    record.ephemeralAt = now;
    yield ephemeral > 0 ? stanza('ephemeral', { expiration: String(ephemeral) }) : stanza('not_ephemeral');
  }
}

/** The invite code of a group. @throws GroupRefusal unless the actor is an admin */
export function inviteCode(group: Group, actor: Account): string {
  requireAdmin(group, actor);
  return group.record.inviteCode;
}

/** Replaces the invite code; the old one stops working. @throws GroupRefusal unless the actor is an admin */
export function renewInvite(network: Network, group: Group, actor: Account): string {
  requireAdmin(group, actor);
  const code = newInviteCode();
  group.record.revokedInvites = [...(group.record.revokedInvites ?? []), group.record.inviteCode];
  group.record.inviteCode = code;
  announce(network, group, actor, stanza('invite', { code }));
  return code;
}
