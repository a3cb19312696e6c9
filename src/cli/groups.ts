import type { DaemonClient } from './client.js';

/** A group as `/get-groups` lists it. */
export interface GroupRow {
  jid: string;
  name: string;
  participants: number;
  isAnnounce: boolean;
  isLocked: boolean;
  ownerJid: string;
}

/** A group with its members. */
export interface GroupDetails {
  jid: string;
  name: string;
  topic: string;
  addressingMode: string;
  members: MemberRow[];
}

export interface MemberRow {
  jid: string;
  phone: string;
  isAdmin: boolean;
  isSuperAdmin: boolean;
  displayName: string;
}

/** What became of one member of a change: 0, or the network's status code. */
export interface MemberChange {
  jid: string;
  error: number;
}

export const MEMBER_ACTIONS = ['add', 'remove', 'promote', 'demote'];

/** A group that was just made. */
export interface NewGroup extends GroupRow, GroupDetails {
  /** Who was to be in it, and is not. */
  refused: MemberChange[];
}

/** By name. */
export async function listGroups(client: DaemonClient, clientId: string): Promise<GroupRow[]> {
  const body = { clientId };
  const { groups } = await client.call<{ groups: GroupRow[] }>('POST', '/get-groups', { body });
  return groups.sort((a, b) => a.name.localeCompare(b.name));
}

export async function showGroup(
  client: DaemonClient,
  clientId: string,
  groupJid: string,
): Promise<GroupDetails> {
  const body = { clientId, groupJid };
  return (await client.call<{ group: GroupDetails }>('POST', '/get-group-participants', { body })).group;
}

export async function createGroup(
  client: DaemonClient,
  group: { clientId: string; subject: string; participants: string[] },
): Promise<NewGroup> {
  return (await client.call<{ group: NewGroup }>('POST', '/create-group', { body: group })).group;
}

export async function changeMembers(
  client: DaemonClient,
  change: { clientId: string; groupJid: string; action: string; participants: string[] },
): Promise<MemberChange[]> {
  const path = '/update-group-members';
  return (await client.call<{ members: MemberChange[] }>('POST', path, { body: change })).members;
}

export async function inviteLink(
  client: DaemonClient,
  body: { clientId: string; groupJid: string; reset: boolean },
): Promise<string> {
  return (await client.call<{ link: string }>('POST', '/group-invite-link', { body })).link;
}

export async function leaveGroup(client: DaemonClient, clientId: string, groupJid: string): Promise<void> {
  await client.call('POST', '/leave-group', { body: { clientId, groupJid } });
}

/** A status code of a member's change, for people. */
export function explainChange(error: number): string {
  return EXPLANATIONS[error] ?? `refused (${error})`;
}

const EXPLANATIONS: Readonly<Record<number, string>> = {
  0: 'done',
  403: 'lets only admins of their choice add them: send the invite link instead',
  404: 'not on the network, or not in the group',
  408: 'left a short while ago: send the invite link instead',
  409: 'is so already',
};
