import { isDeepStrictEqual } from 'node:util';
import type { RestrictionsAnswer, SessionHealth } from '../../contract/index.js';
import { type Clock, callAt } from '../../domain/clock.js';
import { GatewayError } from '../../domain/errors.js';
import type { Link, Restriction } from '../../link/link.js';
import type { Logger } from '../../log.js';
import { liveLink, type SessionSource } from '../access.js';
import type { SessionPart } from '../lifecycle.js';
import type { Announcements } from '../messages/announce.js';
import type { Restrictions as RestrictionCalls } from '../services.js';
import type { Session } from '../sessions/session.js';
import type { StoreRetry } from '../store-retry.js';
import { type KnownRestrictions, lasts, readRestrictions, writeRestrictions } from './known-restrictions.js';
import { SessionQueue } from './queue.js';

/** Milliseconds after which the network is asked again about a restriction whose end it did not name, or that ends later. */
const ASK_AGAIN_MS = 6 * 60 * 60_000;

/** What is known of the account. */
interface Known extends KnownRestrictions {
  /** It comes from the session's record: what it says may have been announced before. */
  isRecalled?: boolean;
  /** What was announced last. */
  told?: RestrictionsAnswer;
  /** Does not ask again. */
  cancel(): void;
}

/** The network is asked about restrictions over a link. */
interface Question {
  link: Link;
  isAnswered: boolean;
  /** It answered, and did not say whether it imposes a time lock. */
  isDeclined?: boolean;
  /** Resolves when it is answered or has failed. */
  asking?: Promise<void> | undefined;
}

/**
 * The restrictions that the network puts on linked numbers: the time lock, under which a number cannot begin chats, and the
 * limit of new chats. They are asked for after each connection and at their end; the network announces changes, and the
 * link tells what it learns when a send is refused. The session's record keeps those that hold, so that a restart and another
 * node know them before the network has answered.
 */
export class Restrictions implements SessionPart, RestrictionCalls {
  readonly #options;
  readonly #known = new Map<string, Known>();
  readonly #queue: SessionQueue;
  /** Writes what is known; an outage of the store must not hold questions back. */
  readonly #writes: SessionQueue;
  /** Whether the network answered since a session connected. */
  readonly #questions = new Map<string, Question>();

  constructor(options: {
    sessions: SessionSource & { has(clientId: string): boolean };
    retry: Pick<StoreRetry, 'run'>;
    /** Called when a number is restricted otherwise than before. */
    restrictionsChanged(clientId: string): void;
    announcements: Pick<Announcements, 'optIn'>;
    clock: Clock;
    log: Logger;
  }) {
    this.#options = options;
    this.#queue = new SessionQueue('a look-up of restrictions', options.log);
    this.#writes = new SessionQueue('a note of restrictions', options.log);
  }

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

  /** As `ask`, also of a network that has answered: it may restrict the number since. */
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

  /** Takes what the network told. */
  take(session: Session, restriction: Restriction): void {
    const { announcements, restrictionsChanged, clock } = this.#options;
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
    if (!isDeepStrictEqual(before, view)) restrictionsChanged(clientId);
    // nothing is new about a number that is neither restricted nor warned when it is first heard of
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

  /** The number may be another one. */
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

  /** What the record says holds until the network says otherwise; a pairing with another number cleared it. */
  #recall(clientId: string): void {
    const { sessions, clock } = this.#options;
    if (this.#known.has(clientId) || !sessions.has(clientId)) return;
    const recalled = readRestrictions(sessions.find(clientId).record.restrictions, clock.now());
    if (!recalled.lock && !recalled.limit) return;
    const known: Known = { ...recalled, isRecalled: true, cancel: () => undefined };
    this.#known.set(clientId, known);
    this.#watch(clientId, known);
  }

  /** Keeps what holds in the session's record. */
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
