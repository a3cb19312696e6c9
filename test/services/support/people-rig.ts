import { setImmediate } from 'node:timers/promises';
import { pino } from 'pino';
import { type Address, formatJid } from '../../../src/domain/address.js';
import { GatewayError } from '../../../src/domain/errors.js';
import type { LinkOptions, LookedUpPerson } from '../../../src/link/link.js';
import type { Picture, Profile } from '../../../src/link/port/people.js';
import { type AvatarParts, createAvatars } from '../../../src/services/avatars/create-avatars.js';
import { Contacts } from '../../../src/services/contacts.js';
import { People } from '../../../src/services/people/people.js';
import { ApiSecretHasher } from '../../../src/services/sessions/api-secret.js';
import { SessionRegistry } from '../../../src/services/sessions/sessions.js';
import { openStore } from '../../../src/store/open.js';
import type { Store } from '../../../src/store/store.js';
import { ManualClock } from '../../support/manual-clock.js';
import { makeTempDir } from '../../support/temp-dir.js';
import { ME, playedLink, playedLinks } from './played-links.js';

/** People and pictures of one connected session over a real store; its network is played. */
export interface PeopleRig {
  store: Store;
  clock: ManualClock;
  contacts: Contacts;
  sessions: SessionRegistry;
  parts: AvatarParts;
  people: People;
  /** Whom the network knows. */
  known: LookedUpPerson[];
  profiles: Map<string, Profile>;
  /** What the network shows, by jid; nothing of those that are not there. */
  pictures: Map<string, Picture | GatewayError>;
  /** What the network was asked for: looked up, pictures (jid and size) and addresses fetched. */
  asked: string[];
  /** Runs before each picture is fetched. */
  beforeFetch: (url: string) => Promise<void>;
  /** As a daemon that starts anew on the same store. */
  restarted(): AvatarParts;
  /** The connection is lost, and does not come back. */
  disconnect(): Promise<void>;
  close(): Promise<void>;
}

export async function startPeopleRig(): Promise<PeopleRig> {
  const folder = await makeTempDir();
  const store = await openStore({ url: 'sqlite', dataDir: folder.path, encryptionKey: new Uint8Array(32) });
  const clock = new ManualClock();
  const log = pino({ level: 'silent' });
  const opened: LinkOptions[] = [];
  const link = playedLink({
    async lookUp({ user }) {
      rig.asked.push(`look up ${user}`);
      return rig.known.find(({ lid, pn }) => user === lid || user === pn);
    },
    people: {
      profile: async (address) => rig.profiles.get(formatJid(address)),
      async picture(address: Address, preview) {
        const jid = formatJid(address);
        rig.asked.push(`${jid} ${preview ? 'preview' : 'image'}`);
        const picture = rig.pictures.get(jid) ?? { reason: 'none' };
        if (picture instanceof GatewayError) throw picture;
        return 'url' in picture ? { ...picture, type: preview ? 'preview' : 'image' } : picture;
      },
      async fetchPicture(url, signal) {
        rig.asked.push(url);
        await rig.beforeFetch(url);
        signal?.throwIfAborted();
        return { bytes: Buffer.from(`bytes of ${url}`), mimeType: 'image/jpeg' };
      },
    },
  });
  const sessions = new SessionRegistry({
    store,
    links: playedLinks(link, (options) => opened.push(options)),
    clock,
    log,
    hasher: new ApiSecretHasher(new Uint8Array(32)),
    onStatus: () => undefined,
    onLinkEvent: () => undefined,
    openJournal: () => 0,
    history: () => undefined,
    settled: (clientId) => rig.parts.end(clientId),
    onForgotten: (clientId) => rig.parts.forget(clientId),
  });
  await sessions.start('acme', {});
  opened.at(-1)?.emit({ type: 'open', me: ME });
  await sessions.find('acme').connected(0);

  const contacts = new Contacts(store.contacts, clock);
  const recordOf = (id: string) => (sessions.has(id) ? sessions.find(id).record : undefined);
  const linkTo = (fileId: string) => `https://files.example/media/${fileId}/picture.jpg`;
  const restarted = () => createAvatars({ store, sessions, contacts, linkTo, recordOf, clock, log });
  const rig: PeopleRig = {
    store,
    clock,
    contacts,
    sessions,
    parts: restarted(),
    people: new People({ sessions, contacts, log }),
    known: [],
    profiles: new Map(),
    pictures: new Map(),
    asked: [],
    beforeFetch: async () => undefined,
    restarted,
    async disconnect() {
      opened.at(-1)?.emit({ type: 'closed', reason: 'connection_lost', detail: '' });
      await setImmediate();
    },
    async close() {
      await rig.parts.stop();
      await sessions.stop();
      await store.close();
      await folder.remove();
    },
  };
  return rig;
}
