import { LRUCache } from 'lru-cache';
import type { Person } from '../../domain/address.js';
import { type Clock, wait } from '../../domain/clock.js';
import { isGatewayError } from '../../domain/errors.js';
import { LIMITS } from '../../domain/limits.js';
import { isTerminal } from '../../domain/session.js';
import type { Link } from '../../link/link.js';
import type { Group } from '../../link/port/groups.js';
import type { Logger } from '../../log.js';
import { GroupRooms, type GroupRoomsOptions } from './group-rooms.js';

/** Groups kept at hand, over all sessions. */
const MAX_GROUPS = 5_000;
/** Milliseconds for which a group is not asked for again that the network did not tell of. */
const PAUSE_MS = 60_000;
/** Milliseconds that a question waits for the connection; messages do not wait as long, unless they must know. */
const LINK_WAIT_MS = 10 * 60_000;
/** Questions for the sake of one message: a connection may end while it is asked over it. */
const MAX_QUESTIONS = 2;

/** What messages need of their group. */
export interface KnownGroup {
  subject: string;
  /** User-parts, of both addresses where known. */
  admins: ReadonlySet<string>;
}

export interface KnownGroupsOptions extends Pick<GroupRoomsOptions, 'store' | 'recordOf'> {
  /** The session's link, once it is connected; undefined when it does not connect in time, or will not any more. */
  linkOf(clientId: string, timeoutMs: number): Promise<Link | undefined>;
  clock: Clock;
  log: Logger;
}

/** `refused`: the network does not tell this number. `unanswered`: it fails, or does not answer. */
type Failure = 'refused' | 'unanswered';
type Answer = KnownGroup | Failure | 'not connected';

/** A question to the network that is under way. */
interface Question {
  answer: Promise<Answer>;
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
  /** Why the network did not tell, and when: milliseconds since the epoch. */
  readonly #failures = new LRUCache<string, { why: Failure; at: number }>({ max: MAX_GROUPS });
  readonly #questions = new Map<string, Question>();
  readonly #rooms: GroupRooms;

  constructor(options: KnownGroupsOptions) {
    this.#options = options;
    const subjectOf = async (clientId: string, jid: string) =>
      groupIn(await this.#ask(clientId, jid).answer)?.subject;
    this.#rooms = new GroupRooms({ ...options, subjectOf });
  }

  /** Undefined when the network does not tell, or not in time. @param jid of the group */
  async find(clientId: string, jid: string): Promise<KnownGroup | undefined> {
    const key = keyOf(clientId, jid);
    const known = this.#groups.get(key);
    if (known || this.#failed(key)) return known;
    const { answer } = this.#ask(clientId, jid);
    const answered = new AbortController();
    void answer.then(() => answered.abort());
    await wait(this.#options.clock, LIMITS.groupAskMs, answered.signal);
    return answered.signal.aborted ? groupIn(await answer) : undefined;
  }

  /**
   * Waits for the connection where there is none: who deletes the message of another must not be judged by what is not
   * known yet. False also when the network refuses to tell who the admins are, or will not be asked any more.
   * @returns undefined when the network could not be asked
   */
  async isAdmin(clientId: string, jid: string, { lid, pn }: Person): Promise<boolean | undefined> {
    const key = keyOf(clientId, jid);
    let answer: Answer | undefined = this.#groups.get(key) ?? this.#failed(key);
    for (let question = 1; !isDecided(answer) && question <= MAX_QUESTIONS; question += 1) {
      answer = await this.#ask(clientId, jid).answer;
    }
    if (!isDecided(answer)) return this.#mayStillConnect(clientId) ? undefined : false;
    const admins = groupIn(answer)?.admins;
    return [lid, pn].some((user) => user !== undefined && admins?.has(user));
  }

  /** The network tells that a group has changed. */
  changed(clientId: string, jid: string): void {
    const key = keyOf(clientId, jid);
    this.#groups.delete(key);
    this.#failures.delete(key);
    const question = this.#questions.get(key);
    if (question) question.isStale = true;
    this.#questions.delete(key);
    this.#rooms.changed(clientId, jid);
  }

  /** Forgets the groups of a session. */
  forget(clientId: string): void {
    for (const cache of [this.#groups, this.#failures]) {
      for (const key of cache.keys()) if (key.startsWith(keyOf(clientId, ''))) cache.delete(key);
    }
  }

  #mayStillConnect(clientId: string): boolean {
    const session = this.#options.recordOf(clientId);
    return session !== undefined && !isTerminal(session.status);
  }

  /** Why the network did not tell lately; undefined when it is worth asking. */
  #failed(key: string): Failure | undefined {
    const failure = this.#failures.get(key);
    return failure && this.#options.clock.now() - failure.at < PAUSE_MS ? failure.why : undefined;
  }

  #ask(clientId: string, jid: string): Question {
    const key = keyOf(clientId, jid);
    const underWay = this.#questions.get(key);
    if (underWay) return underWay;
    const question: Question = { answer: Promise.resolve('unanswered'), isStale: false };
    this.#questions.set(key, question);
    question.answer = this.#fetch(clientId, jid).then((answer) => {
      if (question.isStale) return answer;
      this.#questions.delete(key);
      if (typeof answer !== 'string') this.#groups.set(key, answer);
      else if (answer !== 'not connected')
        this.#failures.set(key, { why: answer, at: this.#options.clock.now() });
      return answer;
    });
    return question;
  }

  async #fetch(clientId: string, jid: string): Promise<Answer> {
    const { linkOf, log } = this.#options;
    try {
      const link = await linkOf(clientId, LINK_WAIT_MS);
      return link ? knownOf(await link.groups.get(jid)) : 'not connected';
    } catch (err) {
      log.info({ err, clientId, group: jid }, 'nothing learnt of a group');
      return isRefusal(err) ? 'refused' : 'unanswered';
    }
  }
}

function knownOf({ subject, members }: Group): KnownGroup {
  const admins = members.filter(({ isAdmin, isSuperAdmin }) => isAdmin || isSuperAdmin);
  return {
    subject,
    admins: new Set(admins.flatMap(({ lid, pn }) => [lid, pn].filter((user) => user !== ''))),
  };
}

function groupIn(answer: Answer): KnownGroup | undefined {
  return typeof answer === 'string' ? undefined : answer;
}

/** False while it is worth asking (again). */
function isDecided(answer: Answer | undefined): answer is KnownGroup | 'refused' {
  return answer !== undefined && answer !== 'unanswered' && answer !== 'not connected';
}

function isRefusal(error: unknown): boolean {
  return isGatewayError(error, 'group_unknown') || isGatewayError(error, 'group_forbidden');
}

function keyOf(clientId: string, jid: string): string {
  return `${clientId} ${jid}`;
}
