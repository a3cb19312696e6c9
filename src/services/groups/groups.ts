import { type Address, formatJid, parseJid } from '../../domain/address.js';
import { GatewayError } from '../../domain/errors.js';
import type { Link } from '../../link/link.js';
import type { Group, MemberAction, MemberResult } from '../../link/port/groups.js';
import type { SessionRecord } from '../../store/store.js';
import type { Contacts } from '../contacts.js';
import { liveLink } from '../live-links.js';
import type { SessionSource } from '../send/paired.js';
import type { Groups as GroupCalls } from '../services.js';
import { type CreatedGroup, detailOf, type GroupDetail, type GroupListItem, listItemOf } from './views.js';

/** Where invite codes lead. */
const INVITE_BASE = 'https://chat.whatsapp.com/';

export interface GroupsOptions {
  sessions: SessionSource;
  contacts: Contacts;
}

/** The groups of linked numbers: what the contract's group routes do. */
export class Groups implements GroupCalls {
  readonly #options: GroupsOptions;

  constructor(options: GroupsOptions) {
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

  async create(clientId: string, subject: string, participants: readonly string[]): Promise<CreatedGroup> {
    const link = await this.#link(clientId);
    const others = await this.#people(clientId, participants, link);
    requireOthers(this.#options.sessions.find(clientId).record, others);
    const { group, refused } = await link.groups.create(subject, others.map(formatJid));
    return { ...listItemOf(group), ...(await this.#detail(clientId, group)), refused };
  }

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

  /** Who is named, before anything is done with any of them. */
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

/** @throws GatewayError invalid_request */
function requireGroup(groupJid: string): string {
  const address = parseJid(groupJid);
  if (address?.kind === 'group') return formatJid(address);
  throw new GatewayError('invalid_request', 'groupJid must be the jid of a group: <id>@g.us');
}
