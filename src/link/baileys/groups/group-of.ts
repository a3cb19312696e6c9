import type { GroupMetadata, GroupParticipant } from '@whiskeysockets/baileys';
import { formatJid, parseJid, personOf } from '../../../domain/address.js';
import type { Group, GroupMember } from '../../port/groups.js';

/** A group in our words. Members are named by the address that the group uses, and by the other where it is told. */
export function groupOf(metadata: GroupMetadata): Group {
  const { id, subject, desc, addressingMode, announce, restrict, owner, participants } = metadata;
  return {
    jid: id,
    subject: subject ?? '',
    topic: desc ?? '',
    addressingMode: addressingMode === 'lid' ? 'lid' : 'pn',
    isAnnounce: announce === true,
    isLocked: restrict === true,
    ownerJid: plainJid(owner),
    members: participants.map(memberOf),
  };
}

function memberOf({ id, lid, phoneNumber, admin }: GroupParticipant): GroupMember {
  const person = personOf(id, lid, phoneNumber);
  return {
    lid: person.lid ?? '',
    pn: person.pn ?? '',
    isAdmin: admin === 'admin' || admin === 'superadmin',
    isSuperAdmin: admin === 'superadmin',
  };
}

/** Without a device; empty for what is no jid. */
function plainJid(jid: string | undefined): string {
  const address = parseJid(jid);
  return address ? formatJid(address) : '';
}
