import { isDeepStrictEqual } from 'node:util';
import type { RestrictionsAnswer, SessionHealth } from '../../../contract/index.js';
import { type Clock, callAt } from '../../../domain/clock.js';
import { GatewayError } from '../../../domain/errors.js';
import type { Link, Restriction } from '../../link/link.js';
import type { Logger } from '../../log.js';
import { liveLink, type SessionSource } from '../access.js';
import type { Announcements } from '../receivers/announce.js';
import type { Session, SessionEvent } from '../sessions/session.js';
import type { SessionPart, SessionParts } from '../sessions/session-parts.js';
import type { StoreRetry } from '../store-retry.js';
import { type KnownRestrictions, lasts, readRestrictions, writeRestrictions } from './known-restrictions.js';
import { SessionQueue } from './queue.js';

/** Milliseconds after which the network is asked again about a restriction that has no end yet, or a later one. */
const ASK_AGAIN_MS = 6 * 60 * 60_000;

/** The restrictions of a number, as far as this process knows them. */
interface Known extends KnownRestrictions {
  /** Read from the session's record: an earlier run may have announced it. */
  isRecalled?: boolean;
  /** The last announced state. */
  told?: RestrictionsAnswer;
  /** Cancels the timer that asks the network again. */
  cancel(): void;
}

/** A question about restrictions to the network, over one link. */
interface Question {
  link: Link;
  isAnswered: boolean;
  /** The network answered without saying whether it imposes a time lock. */
  isDeclined?: boolean;
  /** Settles with the answer or the failure of the question in flight. */
  asking?: Promise<void> | undefined;
}

/**
 * The restrictions that the network puts on linked numbers: the time lock, under which a number cannot begin chats, and
 * the limit of new chats. The gateway asks for them after each connection and when one ends. The network announces
 * changes, and the link reports what it learns when a send is refused. The session's record holds the active
 * restrictions, so that a restart or another node knows them before the network answers.
 */
export class Restrictions implements SessionPart {
  readonly #options;
  readonly #known = new Map<string, Known>();
  readonly #queue: SessionQueue;
  /** Writes to the store, apart from the questions: an outage of the store must not delay them. */
  readonly #writes: SessionQueue;
  /** The question over the current link of each session. */
  readonly #questions = new Map<string, Question>();

  constructor(options: {
    sessions: SessionSource & { has(clientId: string): boolean };
    retry: Pick<StoreRetry, 'run'>;
    /** Learn of each change. */
    parts: Pick<SessionParts, 'tell'>;
    announcements: Pick<Announcements, 'optIn'>;
    clock: Clock;
    log: Logger;
  }) {
    this.#options = options;
    this.#queue = new SessionQueue('a look-up of restrictions', options.log);
    this.#writes = new SessionQueue('a note of restrictions', options.log);
  }

  /**
   * The restrictions as last reported; asks the network if it has reported none since the start.
   * @throws session_unknown, session_unpaired, session_not_connected, lookup_failed
   */
  async of(clientId: string): Promise<RestrictionsAnswer> {
    const { sessions } = this.#options;
    const known = this.#known.get(clientId);
    if (!known?.lock || !known.limit) {
      const link = await liveLink(sessions, clientId);
      const told = await link.restrictions();
      if (told.length === 0)
        throw new GatewayError('lookup_failed', 'The network does not tell the restrictions of this number.');
      for (const restriction of told) this.take(sessions.find(clientId), restriction);
    }
    return this.#view(clientId);
  }

  /** Empty while the network neither restricts the number nor warns of it, as far as it is known. */
  health(clientId: string): Pick<SessionHealth, 'restriction' | 'warning'> {
    const { restricted, until, reason, warning } = this.#view(clientId);
    return { ...(restricted && { restriction: { until, reason } }), ...(warning && { warning }) };
  }

  /** How many numbers the network restricts, or warns of a restriction. */
  count(what: 'restriction' | 'warning'): number {
    return [...this.#known.keys()].filter((clientId) => this.health(clientId)[what]).length;
  }

  /** The warning of the network that holds now. */
  warning(clientId: string): Restriction | undefined {
    const { limit } = this.#known.get(clientId) ?? {};
    return limit?.isWarning && lasts(limit, this.#options.clock.now()) ? limit : undefined;
  }

  /** The restrictions that hold now. */
  active(clientId: string): readonly Restriction[] {
    const known = this.#known.get(clientId);
    return known ? this.#active(known) : [];
  }

  /**
   * Asks the network unless it has answered since the session connected, or is being asked.
   * @returns undefined when it has answered, or when the session is not connected; resolves when it has answered or is silent
   */
  ask(clientId: string): Promise<void> | undefined {
    return this.#question(clientId)?.isAnswered === false ? this.#ask(clientId) : undefined;
  }

  /** Like `ask`, but asks even if the network has answered: a restriction may be newer than that answer. */
  askAnew(clientId: string): Promise<void> | undefined {
    const question = this.#question(clientId);
    if (question) question.isAnswered = false;
    return this.ask(clientId);
  }

  /** `asked` until the network answers for the first time since the session connected, or is silent. */
  state(clientId: string): 'asked' | 'answered' | 'silent' {
    const question = this.#question(clientId);
    if (!question || question.isAnswered) return 'answered';
    return question.asking ? 'asked' : 'silent';
  }

  /** Whether the network answered the last question over this connection without saying whether it imposes a time lock. */
  declines(clientId: string): boolean {
    const question = this.#question(clientId);
    return question?.isAnswered === true && question.isDeclined === true;
  }

  hear(heard: SessionEvent): void {
    if (heard.type === 'link' && heard.event.type === 'restriction')
      this.take(heard.session, heard.event.restriction);
  }

  /** Records and announces a restriction that the network reported. */
  take(session: Session, restriction: Restriction): void {
    const { announcements, parts, clock } = this.#options;
    const { clientId, record } = session;
    const before = this.#view(clientId);
    const known: Known = this.#known.get(clientId) ?? { cancel: () => undefined };
    this.#known.set(clientId, known);
    if (restriction.kind === 'reachout-lock') known.lock = restriction;
    else known.limit = restriction;
    this.#watch(clientId, known);
    this.#keep(session, known);
    const { told, isRecalled } = known;
    const view = this.#view(clientId);
    known.told = view;
    if (!isDeepStrictEqual(before, view)) parts.tell({ type: 'restrictions', clientId });
    // the first answer is no news if it neither restricts the number nor warns of it
    const isFree = !isRecalled && !view.restricted && view.warning === '';
    if (told ? isDeepStrictEqual(told, view) : isFree) return;
    announcements.optIn(record, {
      event: 'account.status',
      type: 'account_status',
      orgId: record.orgId,
      timestamp: new Date(clock.now()).toISOString(),
      ...view,
    });
  }

  async resume(clientId: string): Promise<void> {
    this.#recall(clientId);
  }

  connected(clientId: string): void {
    this.#recall(clientId);
    void this.#ask(clientId);
  }

  /** Another number may be linked: forgets the restrictions of the former one. */
  reset(clientId: string): void {
    this.forget(clientId);
  }

  async idle(clientId?: string): Promise<void> {
    await this.#queue.idle(clientId);
    await this.#writes.idle(clientId);
  }

  end(clientId: string): Promise<void> {
    this.forget(clientId);
    return this.idle(clientId);
  }

  forget(clientId: string): void {
    this.#known.get(clientId)?.cancel();
    this.#known.delete(clientId);
    this.#questions.delete(clientId);
  }

  async stop(): Promise<void> {
    for (const clientId of [...this.#known.keys()]) this.forget(clientId);
    await this.idle();
  }

  /** Loads the restrictions from the record. They hold until the network says otherwise; a pairing with another number has cleared them. */
  #recall(clientId: string): void {
    const { sessions, clock } = this.#options;
    if (this.#known.has(clientId) || !sessions.has(clientId)) return;
    const recalled = readRestrictions(sessions.find(clientId).record.restrictions, clock.now());
    if (!recalled.lock && !recalled.limit) return;
    const known: Known = { ...recalled, isRecalled: true, cancel: () => undefined };
    this.#known.set(clientId, known);
    this.#watch(clientId, known);
  }

  /** Writes the active restrictions to the session's record. */
  #keep({ clientId, record: { linkedNumber } }: Session, known: Known): void {
    const { sessions, retry, clock } = this.#options;
    const restrictions = writeRestrictions(known, clock.now());
    this.#writes.add(clientId, async () => {
      await retry.run(async () => {
        const session = sessions.has(clientId) ? sessions.find(clientId) : undefined;
        if (session?.record.linkedNumber !== linkedNumber) return;
        if (session.record.restrictions !== restrictions) await session.update({ restrictions });
      });
    });
  }

  /** The question over the link that the session has now; undefined when it is not connected. */
  #question(clientId: string): Question | undefined {
    const { sessions } = this.#options;
    const link = sessions.has(clientId) ? sessions.find(clientId).link : undefined;
    if (!link?.isUp()) return undefined;
    const asked = this.#questions.get(clientId);
    if (asked?.link === link) return asked;
    const question: Question = { link, isAnswered: false };
    this.#questions.set(clientId, question);
    return question;
  }

  /** A silent network is asked again after the next connection, or when somebody needs to know. */
  async #ask(clientId: string): Promise<void> {
    const { sessions } = this.#options;
    const question = this.#question(clientId);
    if (!question) return;
    question.asking ??= new Promise<void>((resolve) => {
      this.#queue.add(clientId, async () => {
        try {
          const told = await question.link.restrictions();
          if (sessions.has(clientId))
            for (const restriction of told) this.take(sessions.find(clientId), restriction);
          question.isAnswered = true;
          question.isDeclined = !told.some(({ kind }) => kind === 'reachout-lock');
        } finally {
          question.asking = undefined;
          resolve();
        }
      });
    });
    await question.asking;
  }

  /** Asks again when the restriction ends. */
  #watch(clientId: string, known: Known): void {
    const { clock } = this.#options;
    known.cancel();
    const active = this.#active(known);
    if (active.length === 0) return;
    const ends = active.map(({ until }) => until ?? Number.POSITIVE_INFINITY);
    const at = Math.min(...ends, clock.now() + ASK_AGAIN_MS);
    known.cancel = callAt(clock, at, () => void this.#ask(clientId));
  }

  #active({ lock, limit }: KnownRestrictions): Restriction[] {
    const now = this.#options.clock.now();
    const known = [lock ?? [], limit ?? []].flat();
    return known.filter((restriction) => restriction.active && lasts(restriction, now));
  }

  #view(clientId: string): RestrictionsAnswer {
    const known: KnownRestrictions = this.#known.get(clientId) ?? {};
    const active = this.#active(known);
    const ends = active.map(({ until }) => until ?? Number.POSITIVE_INFINITY);
    const { used = 0, quota = 0, until } = known.limit ?? {};
    return {
      clientId,
      restricted: active.length > 0,
      until: active.length > 0 ? timeOf(Math.max(...ends)) : '',
      reason: active.map(reasonOf).join('; '),
      warning: this.warning(clientId)?.cause ?? '',
      newChats: { used, limit: quota, resetsAt: timeOf(until) },
    };
  }
}

function reasonOf({ kind, cause }: Restriction): string {
  const why =
    kind === 'reachout-lock'
      ? 'the network does not let this number begin chats for now'
      : 'this number has begun as many chats as the network permits in this period';
  return cause ? `${why} (${cause})` : why;
}

/** RFC 3339; empty for a time that is not known. */
function timeOf(at = Number.POSITIVE_INFINITY): string {
  return Number.isFinite(at) ? new Date(at).toISOString() : '';
}
