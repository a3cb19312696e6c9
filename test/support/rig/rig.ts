import { setImmediate } from 'node:timers/promises';
import { pino } from 'pino';
import { reason } from '../../../src/domain/reasons.js';
import type { DispatcherOptions } from '../../../src/gateway/delivery/dispatch.js';
import type { Link, LinkFactory, LinkOptions } from '../../../src/gateway/link/link.js';
import { StoredRows } from '../../../src/gateway/services/history/stored-rows.js';
import { Contacts } from '../../../src/gateway/services/identities/contacts.js';
import { PersonRooms } from '../../../src/gateway/services/identities/person-rooms.js';
import { ApiSecretHasher } from '../../../src/gateway/services/sessions/api-secret.js';
import { BACKOFF, SessionRegistry } from '../../../src/gateway/services/sessions/registry.js';
import { Session } from '../../../src/gateway/services/sessions/session.js';
import { RETURNS } from '../../../src/gateway/services/sessions/session-context.js';
import { SessionParts } from '../../../src/gateway/services/sessions/session-parts.js';
import { Admission } from '../../../src/gateway/services/sessions/waiting.js';
import { StoreRetry } from '../../../src/gateway/services/store-retry.js';
import { openStore } from '../../../src/gateway/store/open.js';
import type { SessionRecord, Store } from '../../../src/gateway/store/store.js';
import { ManualClock } from '../manual-clock.js';
import { makeTempDir, type TempDir } from '../temp-dir.js';
import { deliveriesOver, type PlayedDeliveries } from './deliveries.js';
import { PastImports } from './imports.js';
import { type Library, libraryOver } from './library.js';
import { ME, playedLink, playedLinks } from './link.js';
import { type PeopleAndPictures, peopleOver } from './people.js';
import { type Receiving, receivingOver } from './receiving.js';
import { type Sending, sendingOver } from './sending.js';

/**
 * A real store in its own folder, a clock that stands still, and no log. Tests of services and deliveries start one, and take
 * from it the services that they are about.
 */
export class Rig {
  readonly store: Store;
  readonly clock: ManualClock;
  readonly retry: StoreRetry;
  readonly log = pino({ level: 'silent' });
  readonly #folder: TempDir;
  readonly #closing: (() => unknown)[] = [];

  private constructor(store: Store, clock: ManualClock, folder: TempDir) {
    this.store = store;
    this.clock = clock;
    this.retry = new StoreRetry(store, clock);
    this.#folder = folder;
  }

  /** @param now where the clock stands, in milliseconds since the epoch */
  static async start({ now }: { now?: number } = {}): Promise<Rig> {
    const folder = await makeTempDir();
    const store = await openStore({ url: 'sqlite', dataDir: folder.path, encryptionKey: new Uint8Array(32) });
    return new Rig(store, new ManualClock(now), folder);
  }

  /** A folder of its own. */
  get folder(): string {
    return this.#folder.path;
  }

  /** Adds a step that runs before the store closes; the last one runs first. */
  onClose(step: () => unknown): void {
    this.#closing.unshift(step);
  }

  /**
   * Real sessions over this store, whose links are played.
   * @param parts of the registry that a test replaces
   */
  sessions(
    link: Link,
    parts: Partial<ConstructorParameters<typeof SessionRegistry>[0]> = {},
    linkParts: Partial<LinkFactory> = {},
  ): PlayedSessions {
    const opened: LinkOptions[] = [];
    const links = playedLinks(link, (options) => opened.push(options), linkParts);
    const { store, clock, log } = this;
    const sessions = new SessionRegistry({
      store,
      links,
      clock,
      log,
      hasher: new ApiSecretHasher(new Uint8Array(32)),
      parts: new SessionParts(),
      ...parts,
    });
    this.onClose(() => sessions.stop());
    return {
      sessions,
      links,
      opened,
      async connect() {
        await sessions.start('acme', {});
        opened.at(-1)?.emit({ type: 'open', me: ME });
        await sessions.find('acme').connected(0);
      },
      async disconnect() {
        opened.at(-1)?.emit({ type: 'closed', reason: reason('connection_lost') });
        await setImmediate();
      },
    };
  }

  /** The rooms of a session. */
  roomsOf(session: SessionRecord, contacts = new Contacts(this.store.contacts, this.clock)): PersonRooms {
    const { store, log, retry } = this;
    return new PersonRooms({
      ...{ store, contacts, retry, recordOf: () => session, log },
      pictures: { moved: async () => undefined },
      rows: { applyPendingIn: async () => undefined },
    });
  }

  /** A session that is not connected. */
  sessionOf(record: SessionRecord): Session {
    const { store, clock, log } = this;
    return new Session(record, {
      ...{ store, clock, log, links: playedLinks(playedLink(), () => undefined), backoff: BACKOFF },
      ...{ returns: RETURNS, admission: new Admission(clock), parts: new SessionParts() },
      holds: () => true,
      confirm: async () => undefined,
    });
  }

  /** The rows of the history. */
  rowsOver(links: ConstructorParameters<typeof StoredRows>[0]['links']): StoredRows {
    const { store, retry } = this;
    return new StoredRows({ store, links, contacts: new Contacts(store.contacts, this.clock), retry });
  }

  /** PlayedDeliveries to webhooks, and the live stream. */
  deliveries(options: Partial<DispatcherOptions> = {}): PlayedDeliveries {
    return deliveriesOver(this, options);
  }

  /** A receiver of messages, whose network, look-ups and deliveries are played. */
  receiving(): Receiving {
    return receivingOver(this);
  }

  /** Sending and chats of a connected session, whose link, receiver and files are played. */
  sending(): Promise<Sending> {
    return sendingOver(this);
  }

  /** History and files of a connected session; network and phone are played. */
  library(): Promise<Library> {
    return libraryOver(this);
  }

  /** People and pictures of a connected session; its network is played. */
  people(): Promise<PeopleAndPictures> {
    return peopleOver(this);
  }

  /** The import of the past of a session; its parts are written by hand. */
  imports(): Promise<PastImports> {
    return PastImports.over(this);
  }

  async close(): Promise<void> {
    this.retry.stop();
    for (const step of this.#closing) await step();
    await this.store.close();
    await this.#folder.remove();
  }
}

export interface PlayedSessions {
  sessions: SessionRegistry;
  links: LinkFactory;
  /** With what each link was opened. */
  opened: LinkOptions[];
  /** Creates the session `acme` if there is none, and connects it. */
  connect(): Promise<void>;
  /** The connection is lost and does not come back. */
  disconnect(): Promise<void>;
}
