import { formatJid } from '../../domain/address.js';
import type { Group, GroupMember, MemberResult } from '../../link/port/groups.js';
import type { Contact } from '../../store/store.js';

/** A group as `/get-groups` lists it. */
export interface GroupListItem {
  jid: string;
  name: string;
  /** How many members. */
  participants: number;
  isAnnounce: boolean;
  isLocked: boolean;
  ownerJid: string;
}

/** A group with its members. */
export interface GroupDetail {
  jid: string;
  name: string;
  topic: string;
  addressingMode: string;
  members: MemberView[];
}

export interface MemberView {
  /** By LID where known. */
  jid: string;
  /** With `+`; empty where not known. */
  phone: string;
  isAdmin: boolean;
  isSuperAdmin: boolean;
  /** As the address book or the person says; may be empty. */
  displayName: string;
}

/** A new group: everything that is known of it. */
export interface CreatedGroup extends GroupListItem, GroupDetail {
  /** Who was to be in it, and is not. */
  refused: MemberResult[];
}

export function listItemOf(group: Group): GroupListItem {
  const { jid, subject, members, isAnnounce, isLocked, ownerJid } = group;
  return { jid, name: subject, participants: members.length, isAnnounce, isLocked, ownerJid };
}

/** @param find what is known of a member */
export async function detailOf(
  group: Group,
  find: (member: { lid?: string; pn?: string }) => Promise<Contact | undefined>,
): Promise<GroupDetail> {
  const { jid, subject, topic, addressingMode } = group;
  const members = await Promise.all(
    group.members.map(async (member) => memberView(member, await find(member))),
  );
  return { jid, name: subject, topic, addressingMode, members };
}

/** The network's own addresses go before what was learnt earlier. */
function memberView(
  { lid, pn, isAdmin, isSuperAdmin }: GroupMember,
  contact: Contact | undefined,
): MemberView {
  const phone = pn || contact?.pn;
  const user = lid || contact?.lid;
  return {
    jid: user ? formatJid({ kind: 'lid', user }) : formatJid({ kind: 'pn', user: pn }),
    phone: phone ? `+${phone}` : '',
    isAdmin: isAdmin || isSuperAdmin,
    isSuperAdmin,
    displayName: contact?.name || contact?.pushName || '',
  };
}
