import {
  type BinaryNode,
  type GroupMetadata,
  type GroupParticipant,
  generateMessageIDV2,
  getBinaryNodeChild,
  getBinaryNodeChildren,
  getBinaryNodeChildString,
  WAMessageAddressingMode,
  type WASocket,
} from '@whiskeysockets/baileys';
import { formatJid, GROUP_SERVER, parseJid, personOf } from '../../../domain/address.js';
import { GatewayError } from '../../../domain/errors.js';
import type {
  CreatedGroup,
  Group,
  GroupInvite,
  GroupMember,
  GroupSettings,
  JoinRequest,
  LinkGroups,
  MemberAction,
  MemberResult,
} from '../directory.js';
import { setPicture } from './account.js';
import type { GroupCache, GroupQueries } from './group-cache.js';
import { answerJoinRequests, changeSettings, joinByCode, joinRequests } from './group-changes.js';
import { asked, OF_CREATION, OF_INVITE, OF_PICTURE } from './group-refusals.js';
import { lookupFailed, refusalCode } from './reasons.js';

const DONE = '200';

type TokensOf = (people: readonly string[]) => Promise<ReadonlyMap<string, Uint8Array>>;

/** Queries about groups and changes of them, over one connection. */
export class Groups implements LinkGroups {
  readonly #queries: GroupQueries;
  readonly #cache: GroupCache;
  readonly #onMembers: (metadata: GroupMetadata) => void;
  readonly #tokensOf: TokensOf;

  /**
   * @param onMembers called with members whose addresses may be new
   * @param tokens the tokens with which people trust the account, by jid
   */
  constructor(
    queries: GroupQueries,
    cache: GroupCache,
    onMembers: (metadata: GroupMetadata) => void,
    tokens: TokensOf,
  ) {
    this.#queries = queries;
    this.#cache = cache;
    this.#onMembers = onMembers;
    this.#tokensOf = tokens;
  }

  async list(): Promise<Group[]> {
    const since = this.#cache.changes;
    const all = await asked(this.#queries.groupFetchAllParticipating());
    return Object.values(all).map((metadata) => this.#take(metadata, since));
  }

  async get(jid: string): Promise<Group> {
    const since = this.#cache.changes;
    return this.#take(await asked(this.#queries.groupMetadata(jid)), since);
  }

  async create(subject: string, participants: readonly string[]): Promise<CreatedGroup> {
    const { metadata, refused } = await asked(
      makeGroup(this.#queries, subject, participants, await this.#tokensOf(participants)),
      OF_CREATION,
    ).catch((error: unknown) => {
      throw wasAnswered(error) ? error : perhapsCreated(error);
    });
    // not cached, because the answer has less data of the group than a send needs
    this.#onMembers(metadata);
    return { group: groupOf(metadata), refused };
  }

  async changeMembers(
    jid: string,
    action: MemberAction,
    participants: readonly string[],
  ): Promise<MemberResult[]> {
    const results = await asked(this.#queries.groupParticipantsUpdate(jid, [...participants], action));
    this.#cache.forget(jid);
    return results.map((result) => ({
      jid: result.jid ?? '',
      error: result.status === DONE ? 0 : Number(result.status),
    }));
  }

  async inviteCode(jid: string, reset: boolean): Promise<string> {
    const { groupInviteCode, groupRevokeInvite } = this.#queries;
    const code = await asked(reset ? groupRevokeInvite(jid) : groupInviteCode(jid));
    if (!code) throw lookupFailed(new Error('an answer without an invite code'));
    return code;
  }

  async leave(jid: string): Promise<void> {
    await asked(this.#queries.groupLeave(jid));
    this.#cache.forget(jid);
  }

  async change(jid: string, settings: Partial<GroupSettings>): Promise<void> {
    try {
      await changeSettings(this.#queries, jid, settings);
    } finally {
      this.#cache.forget(jid);
    }
  }

  setPicture(jid: string, jpeg: Uint8Array | undefined): Promise<void> {
    return asked(setPicture(this.#queries, jpeg, jid), OF_PICTURE);
  }

  joinRequests(jid: string): Promise<JoinRequest[]> {
    return joinRequests(this.#queries, jid);
  }

  async answerJoinRequests(
    jid: string,
    action: 'approve' | 'reject',
    participants: readonly string[],
  ): Promise<MemberResult[]> {
    const results = await answerJoinRequests(this.#queries, jid, action, participants);
    this.#cache.forget(jid);
    return results;
  }

  join(code: string): Promise<{ jid: string; isMember: boolean }> {
    return joinByCode(this.#queries, code);
  }

  async invite(code: string): Promise<GroupInvite> {
    const metadata = await asked(this.#queries.groupGetInviteInfo(code), OF_INVITE);
    const { jid, subject, topic, ownerJid, joinApproval } = groupOf(metadata);
    const { size = 0, creation } = metadata;
    const createdAt = (creation || 0) * 1_000;
    return { jid, subject, topic, ownerJid, joinApproval, size, createdAt };
  }

  #take(metadata: GroupMetadata, since: number): Group {
    this.#cache.keep(metadata, since);
    this.#onMembers(metadata);
    return groupOf(metadata);
  }
}

function wasAnswered(error: unknown): boolean {
  return error instanceof GatewayError && refusalCode(error.cause) !== undefined;
}

/** The error of a creation with an unknown outcome: a retry might create a second group. */
function perhapsCreated(cause: unknown): GatewayError {
  const text = 'The network did not answer, and may have made the group: look at the list of groups first.';
  return new GatewayError('lookup_failed', text, { cause });
}

/**
 * The groups of the connection that exists when a call is made.
 * @param run runs a call over the connection, or rejects while there is none
 */
export function groupsOver(run: <T>(call: (groups: LinkGroups) => Promise<T>) => Promise<T>): LinkGroups {
  return {
    list: () => run((groups) => groups.list()),
    get: (jid) => run((groups) => groups.get(jid)),
    create: (subject, participants) => run((groups) => groups.create(subject, participants)),
    changeMembers: (jid, action, participants) =>
      run((groups) => groups.changeMembers(jid, action, participants)),
    inviteCode: (jid, reset) => run((groups) => groups.inviteCode(jid, reset)),
    leave: (jid) => run((groups) => groups.leave(jid)),
    change: (jid, settings) => run((groups) => groups.change(jid, settings)),
    setPicture: (jid, jpeg) => run((groups) => groups.setPicture(jid, jpeg)),
    joinRequests: (jid) => run((groups) => groups.joinRequests(jid)),
    answerJoinRequests: (jid, action, participants) =>
      run((groups) => groups.answerJoinRequests(jid, action, participants)),
    join: (code) => run((groups) => groups.join(code)),
    invite: (code) => run((groups) => groups.invite(code)),
  };
}

/** A group in the port's form, its members with both addresses where known. */
function groupOf(metadata: GroupMetadata): Group {
  const { id, subject, desc, addressingMode, announce, restrict, owner, participants } = metadata;
  const { memberAddMode, joinApprovalMode, ephemeralDuration } = metadata;
  return {
    jid: id,
    subject: subject ?? '',
    topic: desc ?? '',
    addressingMode: addressingMode === 'lid' ? 'lid' : 'pn',
    isAnnounce: announce === true,
    isLocked: restrict === true,
    membersAdd: memberAddMode === true,
    joinApproval: joinApprovalMode === true,
    disappearingSeconds: ephemeralDuration ?? 0,
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

/** The jid without a device; empty for an invalid one. */
function plainJid(jid: string | undefined): string {
  const address = parseJid(jid);
  return address ? formatJid(address) : '';
}

/** The network's answer to the creation of a group. */
interface NewGroup {
  metadata: GroupMetadata;
  /** Requested members whom the network did not admit. */
  refused: MemberResult[];
}

/**
 * Creates a group. The library's own query counts people whom the network refused as members, and has no `<privacy>`: the token
 * of a person goes with the creation (whatsmeow `CreateGroup`).
 * @throws the error of the query
 */
async function makeGroup(
  { query }: Pick<WASocket, 'query'>,
  subject: string,
  participants: readonly string[],
  tokens: ReadonlyMap<string, Uint8Array>,
): Promise<NewGroup> {
  const answer = await query({
    tag: 'iq',
    attrs: { type: 'set', xmlns: 'w:g2', to: `@${GROUP_SERVER}` },
    content: [
      {
        tag: 'create',
        attrs: { subject, key: generateMessageIDV2() },
        content: participants.map((jid) => participantNode(jid, tokens.get(jid))),
      },
    ],
  });
  return readNewGroup(answer, subject);
}

function participantNode(jid: string, token: Uint8Array | undefined): BinaryNode {
  const privacy = token && [{ tag: 'privacy', attrs: {}, content: token }];
  return { tag: 'participant', attrs: { jid }, ...(privacy && { content: privacy }) };
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
    participants: people.filter((person) => !isRefused(person)).map(newMemberOf),
    memberAddMode: getBinaryNodeChildString(node, 'member_add_mode') === 'all_member_add',
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

function newMemberOf({ attrs }: BinaryNode): GroupParticipant {
  const { jid = '', phone_number: phoneNumber, lid, type } = attrs;
  const admin = type === 'admin' || type === 'superadmin' ? type : null;
  return { id: jid, ...(phoneNumber && { phoneNumber }), ...(lid && { lid }), admin };
}
