import {
  type BinaryNode,
  type GroupMetadata,
  type GroupParticipant,
  generateMessageIDV2,
  getBinaryNodeChild,
  getBinaryNodeChildren,
  WAMessageAddressingMode,
  type WASocket,
} from '@whiskeysockets/baileys';
import { GROUP_SERVER } from '../../../domain/address.js';
import type { MemberResult } from '../../port/groups.js';

/** What the network answers to who makes a group. */
export interface NewGroup {
  metadata: GroupMetadata;
  /** Those of the named people who are not in it. */
  refused: MemberResult[];
}

/**
 * Makes a group. The library's own query takes people whom the network did not let in for members.
 * @throws what the query fails with
 */
export async function makeGroup(
  { query }: Pick<WASocket, 'query'>,
  subject: string,
  participants: readonly string[],
): Promise<NewGroup> {
  const answer = await query({
    tag: 'iq',
    attrs: { type: 'set', xmlns: 'w:g2', to: `@${GROUP_SERVER}` },
    content: [
      {
        tag: 'create',
        attrs: { subject, key: generateMessageIDV2() },
        content: participants.map((jid) => ({ tag: 'participant', attrs: { jid } })),
      },
    ],
  });
  return readNewGroup(answer, subject);
}

function readNewGroup(answer: BinaryNode, subject: string): NewGroup {
  const node = getBinaryNodeChild(answer, 'group');
  const { id, addressing_mode: mode, creator } = node?.attrs ?? {};
  if (!id) throw new Error('an answer without the new group');
  const people = getBinaryNodeChildren(node, 'participant');
  const metadata: GroupMetadata = {
    id: id.includes('@') ? id : `${id}@${GROUP_SERVER}`,
    subject: node?.attrs.subject ?? subject,
    addressingMode: mode === 'lid' ? WAMessageAddressingMode.LID : WAMessageAddressingMode.PN,
    owner: creator,
    participants: people.filter((person) => !isRefused(person)).map(memberOf),
  };
  const refused = people.filter(isRefused).map(({ attrs }) => ({
    jid: attrs.jid ?? '',
    error: Number(attrs.error),
  }));
  return { metadata, refused };
}

function isRefused({ attrs }: BinaryNode): boolean {
  return attrs.error !== undefined && attrs.error !== '200';
}

function memberOf({ attrs }: BinaryNode): GroupParticipant {
  const { jid = '', phone_number: phoneNumber, lid, type } = attrs;
  const admin = type === 'admin' || type === 'superadmin' ? type : null;
  return { id: jid, ...(phoneNumber && { phoneNumber }), ...(lid && { lid }), admin };
}
