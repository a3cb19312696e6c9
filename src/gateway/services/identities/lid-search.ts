import { boundedCache } from '../../../domain/bounded-cache.js';
import { type Clock, wait } from '../../../domain/clock.js';
import { LIMITS } from '../../../domain/limits.js';
import { longestPause, type RetryPolicy } from '../../../domain/retry.js';
import type { Link } from '../../link/link.js';
import type { Logger } from '../../log.js';
import type { Contact } from '../../store/store.js';
import type { Contacts } from './contacts.js';

/** Numbers of a session that are asked for at the same time; more would look like enumeration of numbers. */
const AT_ONCE = 8;
/** Numbers of all sessions whose last search is remembered. */
const REMEMBERED = 20_000;
/** The network is asked again after it gave no LID, and after it did not answer. */
const NO_LID = { pausesMs: [60 * 60_000], endless: true } as const;
const UNANSWERED = { pausesMs: [60_000], endless: true } as const;

/**
 * If only a person's phone number is known, asks the network for the LID before a room is created for them. A pause
 * follows each search of a number; an answer that comes too late is still recorded.
 */
export class LidSearch {
  readonly #options;
  /** Searches in flight, by session and number. */
  readonly #searches = new Map<string, Map<string, Promise<void>>>();
  /** By session and number: earliest time of the next search, in milliseconds since the epoch. */
  readonly #pauses = boundedCache<number>(REMEMBERED);

  constructor(options: {
    contacts: Contacts;
    /** The session's link, once it is connected; undefined when it does not connect in time. */
    linkOf(clientId: string, timeoutMs: number): Promise<Link | undefined>;
    clock: Clock;
    log: Logger;
  }) {
    this.#options = options;
  }

  /** The person's contact after a search, or after a while without an answer. */
  async complete(clientId: string, person: Contact): Promise<Contact> {
    const { contacts, clock } = this.#options;
    const pausesUntil = this.#pauses.get(`${clientId} ${person.pn}`) ?? 0;
    if (person.lid || clock.now() < pausesUntil || contacts.wasAsked(clientId, person.pn)) return person;
    const search = this.#search(clientId, person.pn);
    if (!search) return person;
    const answered = new AbortController();
    void search.then(() => answered.abort());
    await wait(clock, LIMITS.lidSearchMs, answered.signal);
    return (await contacts.find(clientId, { pn: person.pn })) ?? person;
  }

  /** Starts a search for a number, or joins the one in flight; undefined if too many are in flight. */
  #search(clientId: string, pn: string): Promise<void> | undefined {
    const searches = this.#searches.get(clientId) ?? new Map<string, Promise<void>>();
    const inFlight = searches.get(pn);
    if (inFlight || searches.size >= AT_ONCE) return inFlight;
    this.#searches.set(clientId, searches);
    const search = this.#ask(clientId, pn).finally(() => {
      searches.delete(pn);
      if (searches.size === 0) this.#searches.delete(clientId);
    });
    searches.set(pn, search);
    return search;
  }

  async #ask(clientId: string, pn: string): Promise<void> {
    const { contacts, linkOf, clock, log } = this.#options;
    const pause = (policy: RetryPolicy) =>
      this.#pauses.set(`${clientId} ${pn}`, clock.now() + longestPause(policy));
    try {
      const link = await linkOf(clientId, LIMITS.lidSearchMs);
      if (!link) return;
      await contacts.lookUp(clientId, { kind: 'pn', user: pn }, link);
      pause(NO_LID);
    } catch (err) {
      pause(UNANSWERED);
      log.info({ err, clientId }, 'no LID found for a number');
    }
  }
}
