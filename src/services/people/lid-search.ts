import { LRUCache } from 'lru-cache';
import { type Clock, wait } from '../../domain/clock.js';
import { LIMITS } from '../../domain/limits.js';
import type { Link } from '../../link/link.js';
import type { Logger } from '../../log.js';
import type { Contact } from '../../store/store.js';
import type { Contacts } from '../contacts.js';

/** Numbers of a session that are asked for at the same time; more at once look like somebody who tries numbers out. */
const AT_ONCE = 8;
/** Numbers of all sessions that are remembered as searched for. */
const REMEMBERED = 20_000;
/** Milliseconds until the network is asked again that did not tell, or did not answer. */
const UNTOLD_PAUSE_MS = 60 * 60_000;
const UNANSWERED_PAUSE_MS = 60_000;

export interface LidSearchOptions {
  contacts: Contacts;
  /** The session's link, once it is connected; undefined when it does not connect in time. */
  linkOf(clientId: string, timeoutMs: number): Promise<Link | undefined>;
  clock: Clock;
  log: Logger;
}

/**
 * Looks for the LID of people who are known by number only, before a room is made for them. The network is asked once in
 * a while for each; an answer that comes too late is learnt all the same.
 */
export class LidSearch {
  readonly #options: LidSearchOptions;
  /** Searches under way, by session and number. */
  readonly #searches = new Map<string, Map<string, Promise<void>>>();
  /** By session and number: when it may be searched for again, in milliseconds since the epoch. */
  readonly #pauses = new LRUCache<string, number>({ max: REMEMBERED });

  constructor(options: LidSearchOptions) {
    this.#options = options;
  }

  /** The person as far as they are known after a look-up, or after a while without an answer. */
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

  /** Undefined when too many are under way. */
  #search(clientId: string, pn: string): Promise<void> | undefined {
    const searches = this.#searches.get(clientId) ?? new Map<string, Promise<void>>();
    const underWay = searches.get(pn);
    if (underWay || searches.size >= AT_ONCE) return underWay;
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
    const pause = (ms: number) => this.#pauses.set(`${clientId} ${pn}`, clock.now() + ms);
    try {
      const link = await linkOf(clientId, LIMITS.lidSearchMs);
      if (!link) return;
      await contacts.lookUp(clientId, { kind: 'pn', user: pn }, link);
      pause(UNTOLD_PAUSE_MS);
    } catch (err) {
      pause(UNANSWERED_PAUSE_MS);
      log.info({ err, clientId }, 'no LID learnt of somebody known by number');
    }
  }
}
