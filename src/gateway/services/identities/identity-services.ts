import type { Clock } from '../../../domain/clock.js';
import type { Link } from '../../link/link.js';
import type { Logger } from '../../log.js';
import type { SessionRecord, Store } from '../../store/store.js';
import type { SessionSource } from '../access.js';
import type { StoreRetry } from '../store-retry.js';
import { Avatars } from './avatars.js';
import { Contacts, ContactUpdates } from './contacts.js';
import { Groups } from './groups.js';
import { KnownGroups } from './known-groups.js';
import { LidSearch } from './lid-search.js';
import { People } from './people.js';
import { PersonRooms } from './person-rooms.js';

/** The parts that know people and groups: contacts, one room for each person, groups, pictures. */
export class IdentityServices {
  readonly contacts: Contacts;
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
    retry: StoreRetry;
    /** The permanent link to a stored file. */
    linkTo(fileId: string, named: { fileName: string; mimeType: string }): string;
    /** Called when a room was merged into another: applies the changes that waited for messages of the merged room. */
    applyPending(clientId: string, chatRoomId: string): Promise<void>;
    clock: Clock;
    log: Logger;
  }) {
    const { store, sessions, retry, linkTo, applyPending, clock, log } = options;
    const find = (clientId: string) => (sessions.has(clientId) ? sessions.find(clientId) : undefined);
    const recordOf = (clientId: string): SessionRecord | undefined => find(clientId)?.record;
    const linkOf = async (clientId: string, timeoutMs: number): Promise<Link | undefined> =>
      find(clientId)?.connected(timeoutMs);
    const contacts = new Contacts(store.contacts, clock);
    const avatars = new Avatars({ store, sessions, contacts, linkTo, recordOf, clock, log });
    this.contacts = contacts;
    this.avatars = avatars;
    this.updates = new ContactUpdates({ contacts, log });
    this.rooms = new PersonRooms({
      ...{ store, contacts, retry, recordOf, applyPending, log },
      movePictures: (clientId, from, to) => avatars.pictures.moved(clientId, from, to),
    });
    this.lidSearch = new LidSearch({ contacts, linkOf, clock, log });
    this.knownGroups = new KnownGroups({ store, linkOf, recordOf, clock, log });
    this.groups = new Groups({ sessions, contacts });
    this.people = new People({ sessions, contacts, log });
  }
}
