import { type Address, formatJid } from '../../../src/domain/address.js';
import { GatewayError } from '../../../src/domain/errors.js';
import type { Picture, Profile } from '../../../src/gateway/link/directory.js';
import type { LookedUpPerson } from '../../../src/gateway/link/link.js';
import { Avatars } from '../../../src/gateway/services/identities/avatars.js';
import { Contacts } from '../../../src/gateway/services/identities/contacts.js';
import { People } from '../../../src/gateway/services/identities/people.js';
import type { SessionRegistry } from '../../../src/gateway/services/sessions/registry.js';
import { SessionParts } from '../../../src/gateway/services/sessions/session-parts.js';
import type { Store } from '../../../src/gateway/store/store.js';
import type { ManualClock } from '../manual-clock.js';
import { playedLink } from './link.js';
import type { Rig } from './rig.js';

/** People and pictures of one connected session over a real store; its network is played. */
export interface PeopleAndPictures {
  store: Store;
  clock: ManualClock;
  contacts: Contacts;
  sessions: SessionRegistry;
  avatars: Avatars;
  people: People;
  /** Whom the network knows. */
  known: LookedUpPerson[];
  profiles: Map<string, Profile>;
  /** The pictures on the network, by jid. */
  pictures: Map<string, Picture | GatewayError>;
  /** Recorded requests: look-ups, pictures (jid and size) and fetched URLs. */
  asked: string[];
  /** Runs before each picture is fetched. */
  beforeFetch: (url: string) => Promise<void>;
  /** Restarts the services on the same store. */
  restarted(): Avatars;
  /** The connection is lost, and does not come back. */
  disconnect(): Promise<void>;
  close(): Promise<void>;
}

export async function peopleOver(base: Rig): Promise<PeopleAndPictures> {
  const { store, clock, log } = base;
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
  const parts = new SessionParts();
  parts.add({
    end: (clientId) => rig.avatars.end(clientId),
    forget: (clientId) => rig.avatars.forget(clientId),
  });
  const { sessions, connect, disconnect } = base.sessions(link, { parts });
  await connect();

  const contacts = new Contacts(store.contacts, clock);
  const recordOf = (id: string) => (sessions.has(id) ? sessions.find(id).record : undefined);
  const fileLinks = {
    linkTo: (fileId: string) => `https://files.example/media/${fileId}/picture.jpg`,
  };
  const restarted = () => new Avatars({ store, sessions, contacts, fileLinks, recordOf, clock, log });
  const rig: PeopleAndPictures = {
    store,
    clock,
    contacts,
    sessions,
    avatars: restarted(),
    people: new People({ sessions, contacts, log }),
    known: [],
    profiles: new Map(),
    pictures: new Map(),
    asked: [],
    beforeFetch: async () => undefined,
    restarted,
    disconnect,
    close: () => base.close(),
  };
  base.onClose(() => rig.avatars.stop());
  return rig;
}
