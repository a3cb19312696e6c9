import { type BinaryNode, getBinaryNodeChild, type WASocket } from '@whiskeysockets/baileys';
import { GROUP_SERVER, personOf } from '../../../domain/address.js';
import { GatewayError } from '../../../domain/errors.js';
import type { GroupSettings, JoinRequest, MemberResult } from '../directory.js';
import { asked, OF_CHANGE, OF_INVITE } from './group-refusals.js';
import { lookupFailed } from './reasons.js';

/** The library's functions that change a group. */
export type GroupChanges = Pick<
  WASocket,
  | 'query'
  | 'groupUpdateSubject'
  | 'groupUpdateDescription'
  | 'groupSettingUpdate'
  | 'groupMemberAddMode'
  | 'groupJoinApprovalMode'
  | 'groupToggleEphemeral'
  | 'groupRequestParticipantsList'
  | 'groupRequestParticipantsUpdate'
>;

/** Changes the given settings of a group; an error names the setting. @throws GatewayError */
export async function changeSettings(
  sock: GroupChanges,
  jid: string,
  settings: Partial<GroupSettings>,
): Promise<void> {
  for (const [setting, change] of stepsOf(sock, jid, settings)) {
    try {
      await asked(change(), OF_CHANGE);
    } catch (error) {
      if (!(error instanceof GatewayError)) throw error;
      throw new GatewayError(error.code, `${setting}: ${error.message}`, { cause: error.cause });
    }
  }
}

/** Yields one query for each setting. */
function* stepsOf(
  sock: GroupChanges,
  jid: string,
  settings: Partial<GroupSettings>,
): Generator<[setting: keyof GroupSettings, change: () => Promise<void>]> {
  const { subject, description, announce, locked, membersAdd, joinApproval, disappearingSeconds } = settings;
  if (subject !== undefined) yield ['subject', () => sock.groupUpdateSubject(jid, subject)];
  if (description !== undefined) yield ['description', () => sock.groupUpdateDescription(jid, description)];
  if (announce !== undefined)
    yield ['announce', () => sock.groupSettingUpdate(jid, announce ? 'announcement' : 'not_announcement')];
  if (locked !== undefined)
    yield ['locked', () => sock.groupSettingUpdate(jid, locked ? 'locked' : 'unlocked')];
  if (membersAdd !== undefined)
    yield ['membersAdd', () => sock.groupMemberAddMode(jid, membersAdd ? 'all_member_add' : 'admin_add')];
  if (joinApproval !== undefined)
    yield ['joinApproval', () => sock.groupJoinApprovalMode(jid, joinApproval ? 'on' : 'off')];
  if (disappearingSeconds !== undefined)
    yield ['disappearingSeconds', () => sock.groupToggleEphemeral(jid, disappearingSeconds)];
}

/** The people who ask to join. @throws GatewayError */
export async function joinRequests(sock: GroupChanges, jid: string): Promise<JoinRequest[]> {
  const requests = await asked(sock.groupRequestParticipantsList(jid));
  return requests.map(({ jid, phone_number, lid, request_time }) => {
    const person = personOf(jid, phone_number, lid);
    return {
      lid: person.lid ?? '',
      pn: person.pn ?? '',
      requestedAt: Number(request_time ?? 0) * 1_000,
    };
  });
}

/** Approves or rejects people who ask to join. @throws GatewayError */
export async function answerJoinRequests(
  sock: GroupChanges,
  jid: string,
  action: 'approve' | 'reject',
  participants: readonly string[],
): Promise<MemberResult[]> {
  const results = await asked(sock.groupRequestParticipantsUpdate(jid, [...participants], action));
  return results.map((result) => ({
    jid: result.jid ?? '',
    error: result.status === '200' ? 0 : Number(result.status),
  }));
}

/**
 * Joins a group by an invite code. The library's own function does not read the answer of a group whose admins approve
 * first: `membership_approval_request` in place of `group` (whatsmeow, `JoinGroupWithLink`).
 * @throws GatewayError
 */
export async function joinByCode(
  { query }: Pick<WASocket, 'query'>,
  code: string,
): Promise<{ jid: string; isMember: boolean }> {
  const attrs = { type: 'set', xmlns: 'w:g2', to: `@${GROUP_SERVER}` };
  const content = [{ tag: 'invite', attrs: { code } }];
  const answer: BinaryNode = await asked(query({ tag: 'iq', attrs, content }), OF_INVITE);
  const pending = getBinaryNodeChild(answer, 'membership_approval_request');
  const jid = (pending ?? getBinaryNodeChild(answer, 'group'))?.attrs.jid;
  if (!jid) throw lookupFailed(new Error('an answer without the group of the invite'));
  return { jid, isMember: !pending };
}
