import type { Clock } from '../../domain/clock.js';
import type { Link } from '../../link/link.js';
import type { Logger } from '../../log.js';
import type { SessionRecord, Store } from '../../store/store.js';
import { Contacts } from '../contacts.js';
import { KnownGroups } from '../groups/known-groups.js';
import type { Session } from '../sessions/session.js';
import type { StoreSteps } from '../store-steps.js';
import { ContactNews } from './contact-news.js';
import { Identities } from './identities.js';
import { LidSearch } from './lid-search.js';

export interface AcquaintancesOptions {
  store: Store;
  sessions: { has(clientId: string): boolean; find(clientId: string): Session };
  steps: StoreSteps;
  clock: Clock;
  log: Logger;
}

/** What is known of the people and groups that sessions have to do with. */
export interface Acquaintances {
  contacts: Contacts;
  /** Learns what links tell. */
  news: ContactNews;
  identities: Identities;
  lidSearch: LidSearch;
  groups: KnownGroups;
  /** Undefined when there is no such session (any more). */
  recordOf(clientId: string): SessionRecord | undefined;
  /** Forgets those of a session that is deleted. */
  forget(clientId: string): void;
}

export function createAcquaintances({ sessions, ...options }: AcquaintancesOptions): Acquaintances {
  const { store, clock } = options;
  const find = (clientId: string) => (sessions.has(clientId) ? sessions.find(clientId) : undefined);
  const recordOf = (clientId: string): SessionRecord | undefined => find(clientId)?.record;
  const linkOf = async (clientId: string, timeoutMs: number): Promise<Link | undefined> =>
    find(clientId)?.connected(timeoutMs);
  const contacts = new Contacts(store.contacts, clock);
  const groups = new KnownGroups({ ...options, linkOf, recordOf });
  return {
    contacts,
    news: new ContactNews({ ...options, contacts }),
    identities: new Identities({ ...options, contacts, recordOf }),
    lidSearch: new LidSearch({ ...options, contacts, linkOf }),
    groups,
    recordOf,
    forget(clientId) {
      contacts.forget(clientId);
      groups.forget(clientId);
    },
  };
}
