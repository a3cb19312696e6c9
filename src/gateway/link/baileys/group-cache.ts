import type { BinaryNode, GroupMetadata, WASocket } from '@whiskeysockets/baileys';
import { LRUCache } from 'lru-cache';
import type { GroupChanges } from './group-changes.js';

/** Groups of one connection whose members are kept. */
const MAX_GROUPS = 500;
/** Members of all cached groups together: about 20 MB. */
const MAX_MEMBERS = 50_000;

/**
 * The members and settings of groups, so that a send need not query them. Each notification of a change drops its group.
 * The network keeps notifications for a device that is offline, so the cache is correct for the life of a connection.
 */
export class GroupCache {
  readonly #cache: LRUCache<string, GroupMetadata>;
  #changes = 0;

  /** @param fetch asks the network */
  constructor(fetch: (jid: string) => Promise<GroupMetadata>) {
    this.#cache = new LRUCache({
      max: MAX_GROUPS,
      maxSize: MAX_MEMBERS,
      sizeCalculation: ({ participants }) => participants.length + 1,
      fetchMethod: fetch,
      ignoreFetchAbort: false,
    });
  }

  /** Reads a group from the cache or the network; concurrent callers share one query. */
  async get(jid: string): Promise<GroupMetadata> {
    const metadata = await this.#cache.fetch(jid);
    if (!metadata) throw new Error('the group changed during the query');
    return metadata;
  }

  /** The number of notified changes so far. */
  get changes(): number {
    return this.#changes;
  }

  /** Caches an answer of the network, unless a change was notified since. @param since `changes` before the query */
  keep(metadata: GroupMetadata, since: number): void {
    if (since === this.#changes) this.#cache.set(metadata.id, metadata);
  }

  forget(jid: string): void {
    this.#changes += 1;
    this.#cache.delete(jid);
  }

  /** Drops the group of a `<notification type="w:gp2">`. @returns the group's jid */
  onNotification({ attrs }: BinaryNode): string {
    const jid = attrs.from ?? '';
    this.forget(jid);
    return jid;
  }
}

/** The library's `cachedGroupMetadata`. After undefined the library queries by itself, and reports a failure. */
export function cachedMetadata(cache: () => GroupCache | undefined) {
  return async (jid: string): Promise<GroupMetadata | undefined> =>
    cache()
      ?.get(jid)
      .catch(() => undefined);
}

export type GroupQueries = GroupChanges &
  Pick<
    WASocket,
    | 'groupMetadata'
    | 'groupFetchAllParticipating'
    | 'groupParticipantsUpdate'
    | 'groupInviteCode'
    | 'groupRevokeInvite'
    | 'groupLeave'
    | 'groupGetInviteInfo'
  >;
