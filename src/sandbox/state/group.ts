import { randomBytes, randomInt } from 'node:crypto';
import Joi from 'joi';
import type { GroupRole } from '../../contract/sandbox/index.js';
import { GROUP_SERVER } from '../../domain/address.js';
import type { State } from '../store/state.js';
import { readRow } from '../store/stored-row.js';
import { GroupRefusal } from '../wire/refusals.js';
import type { Account } from './account.js';
import type { StoredPicture } from './records.js';

/** A subject or description, with its author and time. */
interface AuthoredText {
  text: string;
  /** LID of the author. */
  by: string;
  /** Seconds since the epoch. */
  at: number;
}

/** The request of a person to join; `at` in seconds since the epoch. */
interface JoinRequest {
  lid: string;
  at: number;
}

/** What of a group has a version of its own. */
export type VersionedPart = 'announcement' | 'participants';

/** A stored group. People are named by their LIDs, which never change. */
interface GroupRecord {
  /** Digits. */
  id: string;
  subject: AuthoredText;
  description?: AuthoredText & { id: string };
  creator: string;
  /** Seconds since the epoch. */
  createdAt: number;
  /** Only admins may write. */
  announce: boolean;
  /** Only admins may change subject, description and picture. */
  locked: boolean;
  /** Everybody may add people, not only admins. */
  membersAdd: boolean;
  /** Seconds after which messages disappear; 0 when they do not. */
  ephemeral: number;
  /** When that was set last, in seconds since the epoch. */
  ephemeralAt?: number;
  /** An admin must approve those who join by the invite. */
  joinApproval?: boolean;
  /** Requests to join that no admin has answered, oldest first; `at` in seconds since the epoch. */
  requests?: JoinRequest[];
  /** Set for a community; `approval`: an admin must approve who joins its groups. */
  community?: { approval: boolean; anyoneAddsGroups: boolean };
  /** The community that the group is linked to; `default` is its announcement group. */
  parent?: { jid: string; role: 'default' | 'general' | 'other' };
  inviteCode: string;
  /** Codes that no longer admit anybody. */
  revokedInvites?: string[];
  /** Versions of its parts, once they have changed; in microseconds since the epoch. */
  versions?: Partial<Record<VersionedPart, number>>;
  picture?: StoredPicture;
  members: [lid: string, role: GroupRole][];
  /** LIDs of former members. */
  past: string[];
  /** Grows when a member leaves: group messages need a new sender key from then on. */
  epoch: number;
}

/** A group on the network. */
export class Group {
  readonly record: Omit<GroupRecord, 'members' | 'past' | 'requests'>;
  /** LID → role, in the order in which they joined. */
  readonly #members: Map<string, GroupRole>;
  readonly #past: Set<string>;
  #requests: JoinRequest[];
  readonly #state: State;

  constructor({ members, past, requests = [], ...record }: GroupRecord, state: State) {
    this.record = record;
    this.#members = new Map(members);
    this.#past = new Set(past);
    this.#requests = requests;
    this.#state = state;
  }

  jid(): string {
    return `${this.record.id}@${GROUP_SERVER}`;
  }

  /** The control API's id of the chat. */
  get chatId(): string {
    return this.jid();
  }

  get size(): number {
    return this.#members.size;
  }

  get members(): Iterable<[lid: string, role: GroupRole]> {
    return this.#members;
  }

  has({ lid }: Account): boolean {
    return this.#members.has(lid);
  }

  /** True for former members. */
  hasLost({ lid }: Account): boolean {
    return !this.#members.has(lid) && this.#past.has(lid);
  }

  roleOf({ lid }: Account): GroupRole | undefined {
    return this.#members.get(lid);
  }

  isAdmin(account: Account): boolean {
    const role = this.roleOf(account);
    return role === 'admin' || role === 'superadmin';
  }

  get requests(): readonly JoinRequest[] {
    return this.#requests;
  }

  requestOf({ lid }: Account): JoinRequest | undefined {
    return this.#requests.find((request) => request.lid === lid);
  }

  addRequest({ lid }: Account, at: number): void {
    this.#requests.push({ lid, at });
  }

  /** @returns false when the person has not asked */
  dropRequest(account: Account): boolean {
    const request = this.requestOf(account);
    this.#requests = this.#requests.filter((one) => one !== request);
    return request !== undefined;
  }

  /** Adds a member or changes a role. */
  put({ lid }: Account, role: GroupRole): void {
    this.#members.set(lid, role);
    this.#past.delete(lid);
    this.#requests = this.#requests.filter((request) => request.lid !== lid);
  }

  drop({ lid }: Account): void {
    if (!this.#members.delete(lid)) return;
    this.#past.add(lid);
    this.record.epoch++;
  }

  /** The version of a part: a time in microseconds. */
  version(part: VersionedPart): string {
    return String(this.record.versions?.[part] ?? this.record.createdAt * MICROSECONDS);
  }

  /** Gives a changed part a later version. @returns that version */
  renew(part: VersionedPart, nowMs: number): string {
    const next = Math.max(nowMs * MICROSECONDS_PER_MS, Number(this.version(part)) + 1);
    this.record.versions = { ...this.record.versions, [part]: next };
    return String(next);
  }

  keep(): void {
    const record = (): GroupRecord => ({
      ...this.record,
      members: [...this.#members],
      past: [...this.#past],
      requests: this.#requests,
    });
    this.#state.put('group', this.record.id, () => JSON.stringify(record()));
  }
}

const MICROSECONDS = 1_000_000;
const MICROSECONDS_PER_MS = 1_000;

const AUTHORED = Joi.object({
  text: Joi.string().allow('').required(),
  by: Joi.string().required(),
  at: Joi.number().required(),
}).unknown();

/** Fields that newer sandboxes added are optional. */
const GROUP = Joi.object<GroupRecord>({
  id: Joi.string().required(),
  subject: AUTHORED.required(),
  description: AUTHORED,
  creator: Joi.string().required(),
  requests: Joi.array().items(
    Joi.object({ lid: Joi.string().required(), at: Joi.number().required() }).unknown(),
  ),
  members: Joi.array()
    .items(Joi.array().ordered(Joi.string().required(), Joi.string().required()))
    .required(),
  past: Joi.array().items(Joi.string()).required(),
  epoch: Joi.number().required(),
}).unknown();

/** Group ids on the real network have eighteen digits and this prefix. */
const ID_PREFIX = '120363';
const ID_RANGE = 10 ** 12;
const ID_DIGITS = 12;
const INVITE_BYTES = 16;

export function isGroupJid(jid: string | undefined): jid is string {
  return jid?.endsWith(`@${GROUP_SERVER}`) ?? false;
}

/** Every group on the network. */
export class Groups {
  readonly #groups = new Map<string, Group>();
  readonly #state: State;

  constructor(state: State) {
    this.#state = state;
  }

  /** Creates and stores a group with its creator as the only member. */
  create(creator: Account, subject: string, nowS: number): Group {
    const record: GroupRecord = {
      id: this.#freeId(),
      subject: { text: subject, by: creator.lid, at: nowS },
      creator: creator.lid,
      createdAt: nowS,
      announce: false,
      locked: false,
      membersAdd: true,
      ephemeral: 0,
      inviteCode: newInviteCode(),
      members: [[creator.lid, 'superadmin']],
      past: [],
      epoch: 0,
    };
    const group = new Group(record, this.#state);
    this.#groups.set(group.jid(), group);
    group.keep();
    return group;
  }

  get all(): Group[] {
    return [...this.#groups.values()];
  }

  byJid(jid: string | undefined): Group | undefined {
    return this.#groups.get(jid ?? '');
  }

  /** @throws GroupRefusal 404 */
  require(jid: string | undefined): Group {
    const group = this.byJid(jid);
    if (!group) throw new GroupRefusal(404);
    return group;
  }

  /** The group of an invite code. @throws GroupRefusal 410 when the code was replaced, 406 when it never was (whatsmeow `group.go`) */
  requireByInvite(code: string | undefined): Group {
    for (const group of this.#groups.values()) if (group.record.inviteCode === code) return group;
    const isRevoked = this.all.some(({ record }) => record.revokedInvites?.includes(code ?? ''));
    throw new GroupRefusal(isRevoked ? 410 : 406);
  }

  /** The groups that a person is a member of. */
  of(account: Account): Group[] {
    return [...this.#groups.values()].filter((group) => group.has(account));
  }

  /** Puts back a stored group. */
  restore(value: string): void {
    const group = new Group(readRow(GROUP, value), this.#state);
    this.#groups.set(group.jid(), group);
  }

  #freeId(): string {
    const id = `${ID_PREFIX}${String(randomInt(ID_RANGE)).padStart(ID_DIGITS, '0')}`;
    return this.#groups.has(`${id}@${GROUP_SERVER}`) ? this.#freeId() : id;
  }
}

export function newInviteCode(): string {
  return randomBytes(INVITE_BYTES).toString('base64url');
}
