import { GROUP_SERVER } from '../../domain/address.js';
import type { Account, StoredPicture } from '../account.js';
import type { GroupRole } from '../api.js';
import type { State } from '../state/state.js';

/** A text that somebody gave a group, and when. */
interface Written {
  text: string;
  /** LID of who wrote it. */
  by: string;
  /** Seconds since the epoch. */
  at: number;
}

/** What a group is, as it is kept. People are named by their LIDs, which never change. */
export interface GroupRecord {
  /** Digits. */
  id: string;
  subject: Written;
  description?: Written & { id: string };
  creator: string;
  /** Seconds since the epoch. */
  createdAt: number;
  /** Only admins may write. */
  announce: boolean;
  /** Only admins may change what the group is called and the like. */
  locked: boolean;
  /** Everybody may add people, not only admins. */
  membersAdd: boolean;
  /** Seconds after which messages disappear; 0 when they do not. */
  ephemeral: number;
  inviteCode: string;
  picture?: StoredPicture;
  members: [lid: string, role: GroupRole][];
  /** LIDs of people who were members once. */
  past: string[];
  /** Grows when somebody goes: what is encrypted for the group needs a new key then. */
  epoch: number;
}

/** A group on the network. */
export class Group {
  readonly record: Omit<GroupRecord, 'members' | 'past'>;
  /** LID → role, in the order in which they came. */
  readonly #members: Map<string, GroupRole>;
  readonly #past: Set<string>;
  readonly #state: State;

  constructor({ members, past, ...record }: GroupRecord, state: State) {
    this.record = record;
    this.#members = new Map(members);
    this.#past = new Set(past);
    this.#state = state;
  }

  jid(): string {
    return `${this.record.id}@${GROUP_SERVER}`;
  }

  /** How the control API names the chat: by its jid. */
  get chatId(): string {
    return this.jid();
  }

  get size(): number {
    return this.#members.size;
  }

  /** LIDs and roles. */
  get members(): Iterable<[lid: string, role: GroupRole]> {
    return this.#members;
  }

  has({ lid }: Account): boolean {
    return this.#members.has(lid);
  }

  /** True for people who were members once and are not any more. */
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

  /** Takes somebody in, or changes a role. */
  put({ lid }: Account, role: GroupRole): void {
    this.#members.set(lid, role);
    this.#past.delete(lid);
  }

  drop({ lid }: Account): void {
    if (!this.#members.delete(lid)) return;
    this.#past.add(lid);
    this.record.epoch++;
  }

  keep(): void {
    const record = (): GroupRecord => ({
      ...this.record,
      members: [...this.#members],
      past: [...this.#past],
    });
    this.#state.put('group', this.record.id, () => JSON.stringify(record()));
  }
}

/** Reads a kept group. */
export function parseGroup(value: string): GroupRecord {
  return JSON.parse(value);
}
