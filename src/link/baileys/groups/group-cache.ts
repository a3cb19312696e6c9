import type { BinaryNode, GroupMetadata, WASocket } from '@whiskeysockets/baileys';
import { LRUCache } from 'lru-cache';

/** Groups of one connection whose members are kept. */
const MAX_GROUPS = 500;
/** Members of all of them together: some 20 MB. */
const MAX_MEMBERS = 50_000;

/**
 * The members and settings of groups, so that a send does not ask the network for them each time. Every notification of
 * a change strikes its group out; the network keeps notifications for a device that is away, so what is here is true
 * for as long as the connection lives.
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

  /** From the network when it is not at hand; several callers at once ask once. */
  async get(jid: string): Promise<GroupMetadata> {
    const metadata = await this.#cache.fetch(jid);
    if (!metadata) throw new Error('a group changed while it was asked for');
    return metadata;
  }

  /** How many changes were told of. */
  get changes(): number {
    return this.#changes;
  }

  /** Keeps what the network answered, unless it has told of a change since. @param since `changes` before it was asked */
  keep(metadata: GroupMetadata, since: number): void {
    if (since === this.#changes) this.#cache.set(metadata.id, metadata);
  }

  forget(jid: string): void {
    this.#changes += 1;
    this.#cache.delete(jid);
  }

  /** A `<notification type="w:gp2">`. @returns the group's jid */
  onNotification({ attrs }: BinaryNode): string {
    const jid = attrs.from ?? '';
    this.forget(jid);
    return jid;
  }
}

/** For the library's `cachedGroupMetadata`: undefined lets it ask by itself, and report what goes wrong. */
export function cachedMetadata(cache: () => GroupCache | undefined) {
  return async (jid: string): Promise<GroupMetadata | undefined> =>
    cache()
      ?.get(jid)
      .catch(() => undefined);
}

export type GroupQueries = Pick<
  WASocket,
  | 'groupMetadata'
  | 'groupFetchAllParticipating'
  | 'query'
  | 'groupParticipantsUpdate'
  | 'groupInviteCode'
  | 'groupRevokeInvite'
  | 'groupLeave'
>;
