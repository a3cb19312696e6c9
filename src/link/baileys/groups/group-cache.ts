import type { BinaryNode, GroupMetadata, WASocket } from '@whiskeysockets/baileys';
import { LRUCache } from 'lru-cache';

/** Groups of one connection whose members are kept. */
const MAX_GROUPS = 500;

/**
 * The members and settings of groups, so that a send does not ask the network for them each time. Every notification of
 * a change strikes its group out; the network keeps notifications for a device that is away, so what is here is true
 * for as long as the connection lives.
 */
export class GroupCache {
  readonly #cache: LRUCache<string, GroupMetadata>;

  /** @param fetch asks the network */
  constructor(fetch: (jid: string) => Promise<GroupMetadata>) {
    this.#cache = new LRUCache({ max: MAX_GROUPS, fetchMethod: fetch, ignoreFetchAbort: false });
  }

  /** From the network when it is not at hand; several callers at once ask once. */
  async get(jid: string): Promise<GroupMetadata> {
    const metadata = await this.#cache.fetch(jid);
    if (!metadata) throw new Error('a group changed while it was asked for');
    return metadata;
  }

  keep(metadata: GroupMetadata): void {
    this.#cache.set(metadata.id, metadata);
  }

  forget(jid: string): void {
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
