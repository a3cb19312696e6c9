import type {
  CreatedGroup,
  GroupDetail,
  GroupInvite,
  GroupListItem,
  GroupMember,
  JoinRequest,
  MemberResult,
} from '../../../contract/index.js';
import { type Address, formatJid, parseJid } from '../../../domain/address.js';
import { GatewayError } from '../../../domain/errors.js';
import type { Group, GroupSettings, GroupMember as LinkMember, MemberAction } from '../../link/directory.js';
import type { Link } from '../../link/link.js';
import type { Contact, SessionRecord } from '../../store/store.js';
import { liveLink, type SessionSource } from '../access.js';
import type { Contacts } from './contacts.js';

const INVITE_BASE = 'https://chat.whatsapp.com/';

/**
 * The groups of linked numbers, for the group routes. All methods throw session_unknown, session_unpaired,
 * session_not_connected, group_unknown, group_forbidden, lookup_failed.
 */
export class Groups {
  readonly #options;

  constructor(options: {
    sessions: SessionSource;
    contacts: Contacts;
  }) {
    this.#options = options;
  }

  async list(clientId: string): Promise<GroupListItem[]> {
    const { groups } = await this.#link(clientId);
    return (await groups.list()).map(listItemOf);
  }

  async get(clientId: string, groupJid: string): Promise<GroupDetail> {
    const jid = requireGroup(groupJid);
    const { groups } = await this.#link(clientId);
    return this.#detail(clientId, await groups.get(jid));
  }

  /** @throws recipient_unknown, invalid_request; nothing is created then */
  async create(clientId: string, subject: string, participants: readonly string[]): Promise<CreatedGroup> {
    const link = await this.#link(clientId);
    const others = await this.#people(clientId, participants, link);
    requireOthers(this.#options.sessions.find(clientId).record, others);
    const { group, refused } = await link.groups.create(subject, others.map(formatJid));
    return { ...listItemOf(group), ...(await this.#detail(clientId, group)), refused };
  }

  /** @throws recipient_unknown, invalid_request; then no member is changed */
  async changeMembers(
    clientId: string,
    groupJid: string,
    action: MemberAction,
    participants: readonly string[],
  ): Promise<MemberResult[]> {
    const jid = requireGroup(groupJid);
    const link = await this.#link(clientId);
    const people = await this.#people(clientId, participants, link);
    return link.groups.changeMembers(jid, action, people.map(formatJid));
  }

  async inviteLink(clientId: string, groupJid: string, reset: boolean): Promise<string> {
    const jid = requireGroup(groupJid);
    const { groups } = await this.#link(clientId);
    return INVITE_BASE + (await groups.inviteCode(jid, reset));
  }

  /** Changes the given settings one after the other. @throws invalid_request, group_conflict */
  async update(clientId: string, groupJid: string, settings: Partial<GroupSettings>): Promise<void> {
    const jid = requireGroup(groupJid);
    const { groups } = await this.#link(clientId);
    await groups.change(jid, settings);
  }

  /** People who ask to join. */
  async requests(clientId: string, groupJid: string): Promise<JoinRequest[]> {
    const jid = requireGroup(groupJid);
    const { groups } = await this.#link(clientId);
    const requests = await groups.joinRequests(jid);
    return Promise.all(
      requests.map(async ({ requestedAt, ...person }) => {
        const contact = await this.#options.contacts.find(clientId, person);
        return { ...personView(person, contact), requestedAt: timeOf(requestedAt) };
      }),
    );
  }

  /** @throws recipient_unknown, invalid_request; then nobody is answered */
  async answerRequests(
    clientId: string,
    groupJid: string,
    action: 'approve' | 'reject',
    participants: readonly string[],
  ): Promise<MemberResult[]> {
    const jid = requireGroup(groupJid);
    const link = await this.#link(clientId);
    const people = await this.#people(clientId, participants, link);
    return link.groups.answerJoinRequests(jid, action, people.map(formatJid));
  }

  /**
   * Joins by an invite: its code or link. `joined` is false when an admin has to approve first.
   * @throws invalid_request, invite_unknown, group_conflict
   */
  async join(clientId: string, invite: string): Promise<{ groupJid: string; joined: boolean }> {
    const code = readInvite(invite);
    const { groups } = await this.#link(clientId);
    const { jid, isMember } = await groups.join(code);
    return { groupJid: jid, joined: isMember };
  }

  /** The group of an invite, without joining. @throws invalid_request, invite_unknown */
  async invite(clientId: string, invite: string): Promise<GroupInvite> {
    const code = readInvite(invite);
    const { groups } = await this.#link(clientId);
    const { subject, size, createdAt, ...shown } = await groups.invite(code);
    return { ...shown, name: subject, participants: size, createdAt: timeOf(createdAt) };
  }

  async leave(clientId: string, groupJid: string): Promise<void> {
    const jid = requireGroup(groupJid);
    const { groups } = await this.#link(clientId);
    await groups.leave(jid);
  }

  #detail(clientId: string, group: Group): Promise<GroupDetail> {
    return detailOf(group, (member) => this.#options.contacts.find(clientId, member));
  }

  #link(clientId: string): Promise<Link> {
    return liveLink(this.#options.sessions, clientId);
  }

  /** Resolves all participants before any of them is changed. */
  async #people(clientId: string, participants: readonly string[], link: Link): Promise<Address[]> {
    const { contacts } = this.#options;
    const people: Address[] = [];
    const named = new Map<string, string>();
    for (const participant of participants) {
      const field = `participants: ${participant}`;
      const address = await contacts.resolve(clientId, participant, link, field);
      if (address.kind === 'group')
        throw new GatewayError('invalid_request', `${field} is a group, not a person`);
      const jid = formatJid(address);
      const before = named.get(jid);
      if (before !== undefined) {
        const text = `participants must not name a person twice: ${before} and ${participant} are the same`;
        throw new GatewayError('invalid_request', text);
      }
      named.set(jid, participant);
      people.push(address);
    }
    return people;
  }
}

/** @throws GatewayError invalid_request when the linked number is one of them */
function requireOthers({ lid, pn }: SessionRecord, people: readonly Address[]): void {
  if (!people.some(({ kind, user }) => user === (kind === 'lid' ? lid : pn))) return;
  const text = 'participants must not name the linked number: it is in the group as its owner';
  throw new GatewayError('invalid_request', text);
}

/** RFC 3339; empty for 0. */
function timeOf(at: number): string {
  return at > 0 ? new Date(at).toISOString() : '';
}

/** The code of an invite: a link, or the code alone. @throws GatewayError invalid_request */
function readInvite(invite: string): string {
  const [, code] =
    /^(?:(?:https?:\/\/)?chat\.whatsapp\.com\/(?:invite\/)?)?([\w-]{8,64})(?:[/?#].*)?$/i.exec(
      invite.trim(),
    ) ?? [];
  if (code) return code;
  throw new GatewayError('invalid_request', `invite must be a link, ${INVITE_BASE}<code>, or the code alone`);
}

/** @throws GatewayError invalid_request */
export function requireGroup(groupJid: string): string {
  const address = parseJid(groupJid);
  if (address?.kind === 'group') return formatJid(address);
  throw new GatewayError('invalid_request', 'groupJid must be the jid of a group: <id>@g.us');
}

function listItemOf(group: Group): GroupListItem {
  const { jid, subject, members, isAnnounce, isLocked, ownerJid } = group;
  return { jid, name: subject, participants: members.length, isAnnounce, isLocked, ownerJid };
}

/** @param find a member's contact */
async function detailOf(
  group: Group,
  find: (member: { lid?: string; pn?: string }) => Promise<Contact | undefined>,
): Promise<GroupDetail> {
  const { jid, subject, topic, addressingMode, isAnnounce, isLocked } = group;
  const { membersAdd, joinApproval, disappearingSeconds } = group;
  const members = await Promise.all(
    group.members.map(async (member) => memberView(member, await find(member))),
  );
  const settings = { isAnnounce, isLocked, membersAdd, joinApproval, disappearingSeconds };
  return { jid, name: subject, topic, addressingMode, ...settings, members };
}

/** Takes the network's addresses where it gives them, otherwise those of the contact. */
function memberView(member: LinkMember, contact: Contact | undefined): GroupMember {
  const { isAdmin, isSuperAdmin } = member;
  const { displayName, ...addresses } = personView(member, contact);
  return { ...addresses, isAdmin: isAdmin || isSuperAdmin, isSuperAdmin, displayName };
}

function personView(
  { lid, pn }: Pick<LinkMember, 'lid' | 'pn'>,
  contact: Contact | undefined,
): Pick<GroupMember, 'jid' | 'phone' | 'displayName'> {
  const phone = pn || contact?.pn;
  const user = lid || contact?.lid;
  return {
    jid: user ? formatJid({ kind: 'lid', user }) : formatJid({ kind: 'pn', user: pn }),
    phone: phone ? `+${phone}` : '',
    displayName: contact?.name || contact?.pushName || '',
  };
}
