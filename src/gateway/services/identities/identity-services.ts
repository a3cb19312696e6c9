import type { Clock } from '../../../domain/clock.js';
import type { Link } from '../../link/link.js';
import type { Logger } from '../../log.js';
import type { SessionRecord, Store } from '../../store/store.js';
import type { SessionSource } from '../access.js';
import type { StoreRetry } from '../store-retry.js';
import { Avatars } from './avatars.js';
import { type Contacts, ContactUpdates } from './contacts.js';
import { Groups } from './groups.js';
import { KnownGroups } from './known-groups.js';
import { LidSearch } from './lid-search.js';
import { People } from './people.js';
import { PersonRooms } from './person-rooms.js';
import type { PictureLinks } from './pictures.js';

/** The parts that know people and groups: contacts, one room for each person, groups, pictures. */
export class IdentityServices {
  readonly updates: ContactUpdates;
  readonly rooms: PersonRooms;
  readonly lidSearch: LidSearch;
  readonly knownGroups: KnownGroups;
  readonly avatars: Avatars;
  readonly groups: Groups;
  readonly people: People;

  constructor(options: {
    store: Store;
    sessions: SessionSource & { has(clientId: string): boolean };
    contacts: Contacts;
    rows: ConstructorParameters<typeof PersonRooms>[0]['rows'];
    fileLinks: PictureLinks;
    retry: StoreRetry;
    clock: Clock;
    log: Logger;
  }) {
    const { store, sessions, contacts, rows, fileLinks, retry, clock, log } = options;
    const find = (clientId: string) => (sessions.has(clientId) ? sessions.find(clientId) : undefined);
    const recordOf = (clientId: string): SessionRecord | undefined => find(clientId)?.record;
    const linkOf = async (clientId: string, timeoutMs: number): Promise<Link | undefined> =>
      find(clientId)?.connected(timeoutMs);
    const avatars = new Avatars({ store, sessions, contacts, fileLinks, recordOf, clock, log });
    this.avatars = avatars;
    this.updates = new ContactUpdates({ contacts, log });
    this.rooms = new PersonRooms({
      ...{ store, contacts, retry, recordOf, rows, pictures: avatars.pictures, log },
    });
    this.lidSearch = new LidSearch({ contacts, linkOf, clock, log });
    this.knownGroups = new KnownGroups({ store, linkOf, recordOf, clock, log });
    this.groups = new Groups({ sessions, contacts });
    this.people = new People({ sessions, contacts, log });
  }
}
