import type { GroupMetadata } from '@whiskeysockets/baileys';
import { GatewayError } from '../../../domain/errors.js';
import type { CreatedGroup, Group, LinkGroups, MemberAction, MemberResult } from '../../port/groups.js';
import { lookupFailed, refusalCode } from '../refusal.js';
import type { GroupCache, GroupQueries } from './group-cache.js';
import { groupOf } from './group-of.js';
import { makeGroup } from './new-group.js';

/** Codes of the network: 401 for who is no member (any more), 403 for who has not the right, 404 and 410 for no group. */
const FORBIDDEN = new Set([401, 403]);
const UNKNOWN = new Set([404, 410]);
const DONE = '200';

/** What groups can be asked and told over one connection. */
export class Groups implements LinkGroups {
  readonly #queries: GroupQueries;
  readonly #cache: GroupCache;
  readonly #onMembers: (metadata: GroupMetadata) => void;

  /** @param onMembers is told of members whose addresses may be new */
  constructor(queries: GroupQueries, cache: GroupCache, onMembers: (metadata: GroupMetadata) => void) {
    this.#queries = queries;
    this.#cache = cache;
    this.#onMembers = onMembers;
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
    const { metadata, refused } = await asked(makeGroup(this.#queries, subject, participants)).catch(
      (error: unknown) => {
        throw wasAnswered(error) ? error : perhapsMade(error);
      },
    );
    // not kept: the answer tells less of a group than sends need
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

  #take(metadata: GroupMetadata, since: number): Group {
    this.#cache.keep(metadata, since);
    this.#onMembers(metadata);
    return groupOf(metadata);
  }
}

function wasAnswered(error: unknown): boolean {
  return error instanceof GatewayError && refusalCode(error.cause) !== undefined;
}

/** Trying again would make a second group. */
function perhapsMade(cause: unknown): GatewayError {
  const text = 'The network did not answer, and may have made the group: look at the list of groups first.';
  return new GatewayError('lookup_failed', text, { cause });
}

/** @throws GatewayError by the network's code */
async function asked<T>(query: Promise<T>): Promise<T> {
  try {
    return await query;
  } catch (error) {
    const code = refusalCode(error);
    if (code !== undefined && FORBIDDEN.has(code)) {
      const text = `The network refuses (${code}): the number is no member of the group, or no admin of it.`;
      throw new GatewayError('group_forbidden', text, { cause: error });
    }
    if (code !== undefined && UNKNOWN.has(code)) {
      throw new GatewayError('group_unknown', 'The network knows no such group.', { cause: error });
    }
    throw lookupFailed(error);
  }
}
