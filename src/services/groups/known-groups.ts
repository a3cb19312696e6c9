import { LRUCache } from 'lru-cache';
import { formatJid, type Person, parseJid } from '../../domain/address.js';
import { type Clock, wait } from '../../domain/clock.js';
import { LIMITS } from '../../domain/limits.js';
import type { Link } from '../../link/link.js';
import type { Group } from '../../link/port/groups.js';
import type { Logger } from '../../log.js';
import type { SessionRecord, Store } from '../../store/store.js';
import { roomIdOf } from '../receive/parties.js';

/** Groups kept at hand, over all sessions. */
const MAX_GROUPS = 5_000;
/** Milliseconds for which a group is not asked for again that the network did not tell of. */
const PAUSE_MS = 60_000;

/** What messages need of their group. */
export interface KnownGroup {
  subject: string;
  /** User-parts, of both addresses where known. */
  admins: ReadonlySet<string>;
}

export interface KnownGroupsOptions {
  store: Pick<Store, 'history'>;
  /** The session's link, once it is connected; undefined when it does not connect in time. */
  linkOf(clientId: string, timeoutMs: number): Promise<Link | undefined>;
  /** Undefined when there is no such session (any more). */
  recordOf(clientId: string): SessionRecord | undefined;
  clock: Clock;
  log: Logger;
}

/** A question to the network that is under way. */
interface Question {
  answer: Promise<KnownGroup | undefined>;
  /** The group has changed since it was asked: the answer may be an old one. */
  isStale: boolean;
}

/**
 * Subjects and admins of groups: asked for when a message first needs them, and true from then on, because the network
 * tells of every change. The hosted rooms of groups follow their subjects.
 */
export class KnownGroups {
  readonly #options: KnownGroupsOptions;
  readonly #groups = new LRUCache<string, KnownGroup>({ max: MAX_GROUPS });
  /** When the network was asked in vain: milliseconds since the epoch. */
  readonly #failures = new LRUCache<string, number>({ max: MAX_GROUPS });
  readonly #questions = new Map<string, Question>();
  /** Rooms whose name is being brought up to date; true when it has to be done once more. */
  readonly #renaming = new Map<string, boolean>();

  constructor(options: KnownGroupsOptions) {
    this.#options = options;
  }

  /** Undefined when the network does not tell, or not in time. @param jid of the group */
  async find(clientId: string, jid: string): Promise<KnownGroup | undefined> {
    const { clock } = this.#options;
    const key = keyOf(clientId, jid);
    const known = this.#groups.get(key);
    if (known || clock.now() - (this.#failures.get(key) ?? Number.NEGATIVE_INFINITY) < PAUSE_MS) return known;
    const { answer } = this.#ask(clientId, jid);
    const answered = new AbortController();
    void answer.then(() => answered.abort());
    await wait(clock, LIMITS.groupAskMs, answered.signal);
    return answered.signal.aborted ? answer : undefined;
  }

  /** False also when the network does not tell who the admins are. */
  async isAdmin(clientId: string, jid: string, { lid, pn }: Person): Promise<boolean> {
    const admins = (await this.find(clientId, jid))?.admins;
    return admins !== undefined && [lid, pn].some((user) => user !== undefined && admins.has(user));
  }

  /** The network tells that a group has changed. */
  changed(clientId: string, jid: string): void {
    const key = keyOf(clientId, jid);
    this.#groups.delete(key);
    this.#failures.delete(key);
    const question = this.#questions.get(key);
    if (question) question.isStale = true;
    this.#questions.delete(key);
    this.#rename(clientId, jid);
  }

  /** Forgets the groups of a session. */
  forget(clientId: string): void {
    for (const cache of [this.#groups, this.#failures]) {
      for (const key of cache.keys()) if (key.startsWith(keyOf(clientId, ''))) cache.delete(key);
    }
  }

  #ask(clientId: string, jid: string): Question {
    const key = keyOf(clientId, jid);
    const underWay = this.#questions.get(key);
    if (underWay) return underWay;
    const question: Question = { answer: Promise.resolve(undefined), isStale: false };
    this.#questions.set(key, question);
    question.answer = this.#fetch(clientId, jid).then((group) => {
      if (question.isStale) return group && knownOf(group);
      this.#questions.delete(key);
      if (group) this.#groups.set(key, knownOf(group));
      else this.#failures.set(key, this.#options.clock.now());
      return this.#groups.get(key);
    });
    return question;
  }

  async #fetch(clientId: string, jid: string): Promise<Group | undefined> {
    const { linkOf, log } = this.#options;
    try {
      const link = await linkOf(clientId, LIMITS.groupAskMs);
      return await link?.groups.get(jid);
    } catch (err) {
      log.info({ err, clientId, group: jid }, 'nothing learnt of a group');
      return undefined;
    }
  }

  /** One change comes seldom alone: while one is worked off, the others wait for one more look together. */
  #rename(clientId: string, jid: string): void {
    const key = keyOf(clientId, jid);
    const isUnderWay = this.#renaming.has(key);
    this.#renaming.set(key, isUnderWay);
    if (isUnderWay) return;
    void this.#renameRoom(clientId, jid)
      .catch((err: unknown) =>
        this.#options.log.warn({ err, clientId, group: jid }, 'room of a group not renamed'),
      )
      .finally(() => {
        const isOutdated = this.#renaming.get(key);
        this.#renaming.delete(key);
        if (isOutdated) this.#rename(clientId, jid);
      });
  }

  async #renameRoom(clientId: string, jid: string): Promise<void> {
    const { store, recordOf } = this.#options;
    const session = recordOf(clientId);
    const group = parseJid(jid);
    if (!session?.orgId || group?.kind !== 'group') return;
    const chatRoomId = roomIdOf(session, group);
    const room = await store.history.room(clientId, chatRoomId);
    if (!room) return;
    const { subject } = (await this.#ask(clientId, formatJid(group)).answer) ?? {};
    if (subject && subject !== room.name)
      await store.history.updateRoom(clientId, chatRoomId, { name: subject });
  }
}

function knownOf({ subject, members }: Group): KnownGroup {
  const admins = members.filter(({ isAdmin, isSuperAdmin }) => isAdmin || isSuperAdmin);
  return {
    subject,
    admins: new Set(admins.flatMap(({ lid, pn }) => [lid, pn].filter((user) => user !== ''))),
  };
}

function keyOf(clientId: string, jid: string): string {
  return `${clientId} ${jid}`;
}
