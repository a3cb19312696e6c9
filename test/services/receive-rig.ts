import { proto } from '@whiskeysockets/baileys';
import { pino } from 'pino';
import type { PollAnswer, PollQuestion } from '../../src/delivery/lookup.js';
import type { Address } from '../../src/domain/address.js';
import { GatewayError } from '../../src/domain/errors.js';
import type { EventEnvelope } from '../../src/events/envelope.js';
import { openSecret } from '../../src/link/baileys/message-secrets.js';
import type { IncomingMessage, LookedUpPerson } from '../../src/link/link.js';
import type { Group } from '../../src/link/port/groups.js';
import { Contacts, type Learnt } from '../../src/services/contacts.js';
import { KnownGroups } from '../../src/services/groups/known-groups.js';
import { Recorder } from '../../src/services/inbox/recorder.js';
import { Identities } from '../../src/services/people/identities.js';
import { LidSearch } from '../../src/services/people/lid-search.js';
import { Receiver } from '../../src/services/receive/receive.js';
import { StoreSteps } from '../../src/services/store-steps.js';
import { openStore } from '../../src/store/open.js';
import type { HistoryMessage, SessionRecord, Store } from '../../src/store/store.js';
import { ManualClock } from '../support/manual-clock.js';
import { makeTempDir } from '../support/temp-dir.js';
import { playedLink } from './support/played-links.js';

export const SESSION: SessionRecord = {
  clientId: 'acme',
  lid: '90000000000001',
  pn: '15550000001',
  jid: '15550000001:1@s.whatsapp.net',
  name: 'Alice',
  orgId: '',
  webhookUrl: 'https://example.org/hook',
  webhookToken: 'receiver-token',
  pollLookupUrl: '',
  enableGroupAi: false,
  extraEvents: [],
  apiSecretHash: '',
  status: 'connected',
  statusReason: '',
  statusSince: 0,
  createdAt: 0,
};
export const HOSTED = { ...SESSION, orgId: 'workspace1' };
export const ROOM = 'acme-90000000000001-90000000000002';
export const SENT_AT = Date.UTC(2026, 0, 2, 3, 4, 5);
/** Where a message in a group comes from, written by Bob. */
export const GROUP = {
  chat: '120363040000000000@g.us',
  participant: '90000000000002@lid',
  participantAlt: '15550000002@s.whatsapp.net',
};

/** The group as the network tells of it, with an admin by LID. */
export function groupOf(admin: string, subject = 'Friends'): Group {
  const members = [GROUP.participant, `${admin}@lid`].map((jid) => {
    const lid = jid.replace('@lid', '');
    return { lid, pn: '', isAdmin: lid === admin, isSuperAdmin: false };
  });
  const settings = { topic: '', addressingMode: 'lid' as const, isAnnounce: false, isLocked: false };
  return { jid: GROUP.chat, subject, ...settings, ownerJid: `${admin}@lid`, members };
}

/** A receiver of messages over a real store; links, look-ups and deliveries are written by hand. */
export interface Rig {
  store: Store;
  receiver: Receiver;
  clock: ManualClock;
  /** What was announced. */
  events: EventEnvelope[];
  counted: string[];
  /** Ids of files that are to be stored. */
  expectedFiles: string[];
  /** Polls that were looked up. */
  asked: PollQuestion[];
  /** Answers look-ups. */
  answer: (question: PollQuestion) => Promise<PollAnswer>;
  /** Runs before each event is announced. */
  beforeAnnounce: (event: EventEnvelope) => Promise<void>;
  /** While true, the store does not answer and nothing can be recorded. */
  away: boolean;
  /** Whom the network knows when it is asked. */
  people: LookedUpPerson[];
  /** What it tells of groups; it tells nothing of those that are not there. */
  groups: Map<string, Group>;
  /** Links to stored pictures, by jid. */
  avatars: Map<string, string>;
  /** Resolves when the session is connected; it is from the start. */
  connection: Promise<void>;
  /** The session is not connected any more, and will not be in this run. */
  stopped: boolean;
  /** From now on the network answers nothing. */
  silence(): void;
  /** Something is learnt of a person, from elsewhere. */
  learn(learnt: Learnt): Promise<unknown>;
  /** What a store that is away says. */
  outage(): Error;
  /** The session as it is by now. */
  session: SessionRecord;
  /** Takes one in: from Bob to the session, unless said otherwise. */
  take(message: Partial<IncomingMessage>, session?: SessionRecord): void;
  /** Takes one in and waits until it has come through. */
  receive(message: Partial<IncomingMessage>, session?: SessionRecord): Promise<EventEnvelope[]>;
  history(chatRoomId?: string): Promise<HistoryMessage[]>;
  close(): Promise<void>;
}

export function incoming(message: Partial<IncomingMessage>): IncomingMessage {
  return {
    messageId: 'M1',
    chat: '90000000000002@lid',
    fromMe: false,
    pushName: 'Bob',
    timestamp: SENT_AT,
    content: { conversation: 'hello' },
    journalIds: [],
    offline: false,
    ...message,
  };
}

export async function makeRig(): Promise<Rig> {
  const folder = await makeTempDir();
  const store = await openStore({ url: 'sqlite', dataDir: folder.path, encryptionKey: new Uint8Array(32) });
  const clock = new ManualClock();
  const away = () => new GatewayError('store_unavailable', 'the store is away');
  const ping = () => (rig.away ? Promise.reject(away()) : store.ping());
  const steps = new StoreSteps({ ping }, clock);
  const log = pino({ level: 'silent' });
  const links = {
    decode: (encoded: Uint8Array) => proto.Message.decode(encoded),
    encode: (content: proto.IMessage) => proto.Message.encode(content).finish(),
    openSecret,
  };
  const contacts = new Contacts(store.contacts, clock);
  const recordOf = () => rig.session;
  const identities = new Identities({ store, contacts, steps, recordOf, log });
  let isSilent = false;
  const lookUp = async ({ user }: Address) =>
    isSilent
      ? new Promise<never>(() => undefined)
      : rig.people.find(({ lid, pn }) => user === lid || user === pn);
  const get = async (jid: string) => {
    if (isSilent) return new Promise<never>(() => undefined);
    const group = rig.groups.get(jid);
    if (group) return group;
    throw new GatewayError('group_unknown', 'there is no such group');
  };
  const linkOf = async () => {
    await rig.connection;
    return rig.stopped ? undefined : playedLink({ lookUp, groups: { ...playedLink().groups, get } });
  };
  const recorder = new Recorder({
    rooms: identities,
    history: store.history,
    links,
    expectFile: async ({ id }) => void rig.expectedFiles.push(id),
  });
  identities.onUnited = (clientId, chatRoomId) => recorder.makeUp(clientId, chatRoomId);
  const rig: Rig = {
    store,
    clock,
    events: [],
    counted: [],
    expectedFiles: [],
    asked: [],
    answer: async () => ({ reason: 'nobody is there', stopped: false }),
    beforeAnnounce: async () => undefined,
    away: false,
    people: [],
    groups: new Map(),
    connection: Promise.resolve(),
    stopped: false,
    avatars: new Map(),
    silence() {
      isSilent = true;
    },
    learn: (learnt) => contacts.learn('acme', learnt),
    outage: away,
    session: SESSION,
    receiver: new Receiver({
      store,
      links,
      lookups: {
        ask(_receiver, question) {
          rig.asked.push(question);
          return rig.answer(question);
        },
      },
      recorder: {
        async record(recording) {
          if (rig.away) throw rig.outage();
          return recorder.record(recording);
        },
      },
      linkTo: (fileId, { fileName }) => `https://files.example/${fileId}/${fileName}`,
      steps,
      contacts,
      identities,
      lidSearch: new LidSearch({ contacts, linkOf, clock, log }),
      groups: new KnownGroups({ store, linkOf, recordOf, clock, log }),
      avatarUrl: async (_clientId, jid) => rig.avatars.get(jid) ?? '',
      announcer: {
        async announce(event, receiver) {
          if (!('chatRoomId' in event)) throw new Error('an inbound message is announced as one');
          await rig.beforeAnnounce(event);
          rig.events.push(event);
          return { deliveryId: receiver ? 'd' : '', delivered: receiver !== undefined, reason: '' };
        },
      },
      observer: {
        received: (type) => rig.counted.push(type),
        withoutReceiver: () => rig.counted.push('without receiver'),
        unknownKind: (name) => rig.counted.push(name),
        notAdmitted: (reason) => rig.counted.push(reason),
      },
      clock,
      log,
    }),
    take(message, session = SESSION) {
      rig.session = session;
      rig.receiver.receive(session, incoming(message));
    },
    async receive(message, session = SESSION) {
      rig.take(message, session);
      await rig.receiver.idle();
      return rig.events;
    },
    history: (chatRoomId = ROOM) => store.history.messages('acme', chatRoomId, { limit: 200 }),
    async close() {
      steps.stop();
      await rig.receiver.idle();
      await store.close();
      await folder.remove();
    },
  };
  return rig;
}
