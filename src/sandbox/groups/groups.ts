import { randomBytes, randomInt } from 'node:crypto';
import { GROUP_SERVER } from '../../domain/address.js';
import type { Account } from '../account.js';
import type { State } from '../state/state.js';
import { Group, type GroupRecord, parseGroup } from './group.js';
import { GroupRefusal } from './refusal.js';

/** Group ids of today are eighteen digits that begin like this. */
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

  /** A new, kept group with nobody but its creator. */
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

  byJid(jid: string | undefined): Group | undefined {
    return this.#groups.get(jid ?? '');
  }

  /** @throws GroupRefusal 404 */
  require(jid: string | undefined): Group {
    const group = this.byJid(jid);
    if (!group) throw new GroupRefusal(404);
    return group;
  }

  /** The group that an invite code leads to. @throws GroupRefusal 406 when the code leads nowhere, or not any more */
  requireByInvite(code: string | undefined): Group {
    for (const group of this.#groups.values()) if (group.record.inviteCode === code) return group;
    throw new GroupRefusal(406);
  }

  /** The groups that a person is a member of. */
  of(account: Account): Group[] {
    return [...this.#groups.values()].filter((group) => group.has(account));
  }

  /** Puts back a kept group. */
  restore(value: string): void {
    const group = new Group(parseGroup(value), this.#state);
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
