import { formatJid, type Person, parseJid } from '../../../domain/address.js';
import { boundedCache } from '../../../domain/bounded-cache.js';
import { type Clock, wait } from '../../../domain/clock.js';
import { isGatewayError } from '../../../domain/errors.js';
import { LIMITS } from '../../../domain/limits.js';
import { longestPause } from '../../../domain/retry.js';
import { isTerminal } from '../../../domain/session.js';
import type { Group } from '../../link/directory.js';
import type { Link } from '../../link/link.js';
import type { Logger } from '../../log.js';
import type { SessionRecord, Store } from '../../store/store.js';
import type { SessionEvent } from '../sessions/session.js';
import type { SessionPart } from '../sessions/session-parts.js';
import { roomIdOf } from './parties.js';

/** Cached groups of all sessions. */
const MAX_GROUPS = 5_000;
/** A group is asked for again after a failure. */
const RETRY = { pausesMs: [60_000], endless: true } as const;
/** Milliseconds that a question waits for the connection. `find` does not wait that long; `isAdmin` does. */
const LINK_WAIT_MS = 10 * 60_000;
/** Attempts of one `isAdmin`: the connection may end during the first question. */
const MAX_QUESTIONS = 2;

/** The facts of a group that its messages need. */
interface KnownGroup {
  subject: string;
  /** Number of members. */
  size: number;
  /** User-parts of LIDs and, where known, of phone numbers. */
  admins: ReadonlySet<string>;
}

/** `refused`: the linked number may not see the group. `unanswered`: the question failed or timed out. */
type Failure = 'refused' | 'unanswered';
type Answer = KnownGroup | Failure | 'not connected';

/** A question to the network that is in flight. */
interface Question {
  answer: Promise<Answer>;
  /** The group changed after the question was sent: the answer may be old. */
  isStale: boolean;
}

/**
 * Subjects and admins of groups. The network is asked when a message first needs them; then the cache stays correct, because
 * the network reports every change. When a subject changes, the group's hosted room is renamed.
 */
export class KnownGroups implements SessionPart {
  readonly #options;
  readonly #groups = boundedCache<KnownGroup>(MAX_GROUPS);
  /** The last failure of a question, and when it was: milliseconds since the epoch. */
  readonly #failures = boundedCache<{ why: Failure; at: number }>(MAX_GROUPS);
  readonly #questions = new Map<string, Question>();
  /** Rooms that are being renamed, by session and group; true when the subject changed again meanwhile. */
  readonly #renaming = new Map<string, boolean>();

  constructor(options: {
    store: Pick<Store, 'history'>;
    /** Undefined when this node does not have the session. */
    recordOf(clientId: string): SessionRecord | undefined;
    /** The session's link, once it is connected; undefined when it does not connect in time or was closed for good. */
    linkOf(clientId: string, timeoutMs: number): Promise<Link | undefined>;
    clock: Clock;
    log: Logger;
  }) {
    this.#options = options;
  }

  /** Undefined when the network does not answer in time. @param jid of the group */
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

  /** A group from the cache, without asking the network. @param jid of the group */
  known(clientId: string, jid: string): KnownGroup | undefined {
    return this.#groups.get(keyOf(clientId, jid));
  }

  /**
   * Whether a person is an admin of a group. Waits for the connection, because the answer decides whether a deletion counts.
   * False when the network refuses to name the admins, or the session will not connect again.
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

  /** The network may report that a group has changed. */
  hear(heard: SessionEvent): void {
    if (heard.type === 'link' && heard.event.type === 'group-changed')
      this.#changed(heard.session.clientId, heard.event.jid);
  }

  #changed(clientId: string, jid: string): void {
    const key = keyOf(clientId, jid);
    this.#groups.delete(key);
    this.#failures.delete(key);
    const question = this.#questions.get(key);
    if (question) question.isStale = true;
    this.#questions.delete(key);
    this.#renameRoom(clientId, jid);
  }

  /** Another number may be linked: it sees other groups. */
  reset(clientId: string): void {
    this.forget(clientId);
  }

  forget(clientId: string): void {
    for (const cache of [this.#groups, this.#failures]) {
      for (const key of cache.keys()) if (key.startsWith(keyOf(clientId, ''))) cache.delete(key);
    }
  }

  #mayStillConnect(clientId: string): boolean {
    const session = this.#options.recordOf(clientId);
    return session !== undefined && !isTerminal(session.status);
  }

  /** A failure that is so recent that the network is not asked again. */
  #failed(key: string): Failure | undefined {
    const failure = this.#failures.get(key);
    return failure && this.#options.clock.now() - failure.at < longestPause(RETRY) ? failure.why : undefined;
  }

  #ask(clientId: string, jid: string): Question {
    const key = keyOf(clientId, jid);
    const inFlight = this.#questions.get(key);
    if (inFlight) return inFlight;
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

  /** Changes often arrive in bursts: one more rename handles all that arrive during a rename. */
  #renameRoom(clientId: string, jid: string): void {
    const key = keyOf(clientId, jid);
    const isRenaming = this.#renaming.has(key);
    this.#renaming.set(key, isRenaming);
    if (isRenaming) return;
    void this.#rename(clientId, jid)
      .catch((err: unknown) =>
        this.#options.log.warn({ err, clientId, group: jid }, 'room of a group not renamed'),
      )
      .finally(() => {
        const isOutdated = this.#renaming.get(key);
        this.#renaming.delete(key);
        if (isOutdated) this.#renameRoom(clientId, jid);
      });
  }

  async #rename(clientId: string, jid: string): Promise<void> {
    const { store, recordOf } = this.#options;
    const session = recordOf(clientId);
    const group = parseJid(jid);
    if (!session?.orgId || group?.kind !== 'group') return;
    const chatRoomId = roomIdOf(session, group);
    const room = await store.history.room(clientId, chatRoomId);
    if (!room) return;
    const subject = groupIn(await this.#ask(clientId, formatJid(group)).answer)?.subject;
    if (subject && subject !== room.name) {
      await store.history.updateRoom(clientId, chatRoomId, { name: subject });
    }
  }

  async #fetch(clientId: string, jid: string): Promise<Answer> {
    const { linkOf, log } = this.#options;
    try {
      const link = await linkOf(clientId, LINK_WAIT_MS);
      return link ? knownOf(await link.groups.get(jid)) : 'not connected';
    } catch (err) {
      log.info({ err, clientId, group: jid }, 'group not read from the network');
      return isRefusal(err) ? 'refused' : 'unanswered';
    }
  }
}

function knownOf({ subject, members }: Group): KnownGroup {
  const admins = members.filter(({ isAdmin, isSuperAdmin }) => isAdmin || isSuperAdmin);
  return {
    subject,
    size: members.length,
    admins: new Set(admins.flatMap(({ lid, pn }) => [lid, pn].filter((user) => user !== ''))),
  };
}

function groupIn(answer: Answer): KnownGroup | undefined {
  return typeof answer === 'string' ? undefined : answer;
}

/** False when asking again may help. */
function isDecided(answer: Answer | undefined): answer is KnownGroup | 'refused' {
  return answer !== undefined && answer !== 'unanswered' && answer !== 'not connected';
}

function isRefusal(error: unknown): boolean {
  return isGatewayError(error, 'group_unknown') || isGatewayError(error, 'group_forbidden');
}

function keyOf(clientId: string, jid: string): string {
  return `${clientId} ${jid}`;
}
