import { proto } from '@whiskeysockets/baileys';
import type { MessageUnreadableEvent, StatusPostEvent } from '../../../src/contract/events/catalogue.js';
import type { EventEnvelope } from '../../../src/contract/events/envelope.js';
import type { Address } from '../../../src/domain/address.js';
import { GatewayError } from '../../../src/domain/errors.js';
import type { JournalEntry } from '../../../src/domain/signal-state.js';
import { NO_TRACING } from '../../../src/domain/tracing.js';
import type { PollAnswer, PollQuestion } from '../../../src/gateway/delivery/poll-lookup.js';
import { openSecret } from '../../../src/gateway/link/baileys/message-secrets.js';
import type { Group } from '../../../src/gateway/link/directory.js';
import type { IncomingMessage, LookedUpPerson, UnreadableMessage } from '../../../src/gateway/link/link.js';
import { Recorder } from '../../../src/gateway/services/history/recorder.js';
import { StoredRows } from '../../../src/gateway/services/history/stored-rows.js';
import { Contacts, type Learnt } from '../../../src/gateway/services/identities/contacts.js';
import { KnownGroups } from '../../../src/gateway/services/identities/known-groups.js';
import { LidSearch } from '../../../src/gateway/services/identities/lid-search.js';
import { PersonRooms } from '../../../src/gateway/services/identities/person-rooms.js';
import type { AnnounceObserver } from '../../../src/gateway/services/receivers/announce.js';
import { Announcements, type Announcer } from '../../../src/gateway/services/receivers/announce.js';
import { InboundMessages, type ReceiveObserver } from '../../../src/gateway/services/receiving/receive.js';
import { MessageSpans } from '../../../src/gateway/services/spans.js';
import { StoreRetry } from '../../../src/gateway/services/store-retry.js';
import {
  blankSession,
  type HistoryMessage,
  type SessionRecord,
  type Store,
} from '../../../src/gateway/store/store.js';
import type { ManualClock } from '../manual-clock.js';
import { playedLink } from './link.js';
import type { Rig } from './rig.js';
import { NO_SETTINGS } from './room-settings.js';

export const SESSION: SessionRecord = {
  ...blankSession(),
  clientId: 'acme',
  lid: '90000000000001',
  pn: '15550000001',
  jid: '15550000001:1@s.whatsapp.net',
  name: 'Alice',
  webhookUrl: 'https://example.org/hook',
  webhookToken: 'receiver-token',
  status: 'connected',
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

/** The group as the network describes it, with an admin by LID. */
export function groupOf(admin: string, subject = 'Friends'): Group {
  const members = [GROUP.participant, `${admin}@lid`].map((jid) => {
    const lid = jid.replace('@lid', '');
    return { lid, pn: '', isAdmin: lid === admin, isSuperAdmin: false };
  });
  const settings = {
    topic: '',
    addressingMode: 'lid' as const,
    isAnnounce: false,
    isLocked: false,
    membersAdd: true,
    joinApproval: false,
    disappearingSeconds: 0,
  };
  return { jid: GROUP.chat, subject, ...settings, ownerJid: `${admin}@lid`, members };
}

/** A receiver of messages over a real store; links, look-ups and deliveries are written by hand. */
export interface Receiving {
  store: Store;
  receiver: InboundMessages;
  clock: ManualClock;
  /** The announced events. */
  events: EventEnvelope[];
  /** The announced events of messages that could not be read. */
  told: MessageUnreadableEvent[];
  posts: StatusPostEvent[];
  /** The messages of journal entries, by the entry's id. */
  restored: Map<string, IncomingMessage>;
  /** Journal entries of unreadable copies of the messages that are received. */
  standIns: string[];
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
  /** The groups that the network knows; queries for others get no answer. */
  groups: Map<string, Group>;
  /** Links to stored pictures, by jid. */
  avatars: Map<string, string>;
  /** Resolves when the session is connected; it is from the start. */
  connection: Promise<void>;
  /** True when the session stays disconnected for the rest of the run. */
  stopped: boolean;
  /** From now on the network answers nothing. */
  silence(): void;
  /** Learns the addresses of a person from another source. */
  learn(learnt: Learnt): Promise<unknown>;
  /** The error of an unavailable store. */
  outage(): Error;
  /** The current session. */
  session: SessionRecord;
  /** A message will not become readable any more. */
  tellUnreadable(message: UnreadableMessage, session?: SessionRecord): void;
  /** Receives a message: from Bob to the session by default. */
  take(message: Partial<IncomingMessage>, session?: SessionRecord): void;
  /** Receives a message and waits until it has left the pipeline. */
  receive(message: Partial<IncomingMessage>, session?: SessionRecord): Promise<EventEnvelope[]>;
  history(chatRoomId?: string): Promise<HistoryMessage[]>;
  /** The rooms of a session over the same store, as after a restart. */
  roomsOf(session: SessionRecord): PersonRooms;
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

export function receivingOver(base: Rig): Receiving {
  const { store, clock, log } = base;
  const away = () => new GatewayError('store_unavailable', 'the store is away');
  const ping = () => (rig.away ? Promise.reject(away()) : store.ping());
  const retry = new StoreRetry({ ping }, clock);
  const links = {
    restore: (entries: readonly JournalEntry[]) => entries.flatMap(({ id }) => rig.restored.get(id) ?? []),
    decode: (encoded: Uint8Array) => proto.Message.decode(encoded),
    encode: (content: proto.IMessage) => proto.Message.encode(content).finish(),
    openSecret,
  };
  const contacts = new Contacts(store.contacts, clock);
  const recordOf = () => rig.session;
  const rows = new StoredRows({ store, links, contacts, retry });
  const identities = new PersonRooms({
    ...{ store, contacts, retry, recordOf, rows, log },
    pictures: { moved: async () => undefined },
  });
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
    store,
    links,
    rows,
    files: { expect: async ({ id }) => void rig.expectedFiles.push(id) },
    roomSettings: NO_SETTINGS,
  });
  const announcer: Announcer = {
    async announce(event, receiver) {
      if (event.event === 'message.unreadable') {
        rig.told.push(event);
        return { deliveryId: receiver ? 'd' : '', delivered: true };
      }
      if (event.event === 'status.post') {
        rig.posts.push(event);
        return { deliveryId: receiver ? 'd' : '', delivered: true };
      }
      if (!('chatRoomId' in event && 'body' in event))
        throw new Error('an inbound message is announced as one');
      await rig.beforeAnnounce(event);
      rig.events.push(event);
      return { deliveryId: receiver ? 'd' : '', delivered: receiver !== undefined };
    },
    deliver: async () => ({ deliveryId: 'd', delivered: true }),
  };
  const observer: ReceiveObserver & AnnounceObserver = {
    received: (type) => rig.counted.push(type),
    withoutReceiver: () => rig.counted.push('without receiver'),
    unknownKind: (name) => rig.counted.push(name),
    notAdmitted: (reason) => rig.counted.push(reason),
    unreadable: (reason) => rig.counted.push(reason),
    disconnected: () => undefined,
  };
  const rig: Receiving = {
    store,
    clock,
    events: [],
    told: [],
    posts: [],
    restored: new Map(),
    standIns: [],
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
    receiver: new InboundMessages({
      store,
      links,
      unreadable: { found: () => rig.standIns },
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
        isDeleted: (clientId, chatRoomId, quoted) => recorder.isDeleted(clientId, chatRoomId, quoted),
      },
      fileLinks: { linkTo: (fileId, { fileName }) => `https://files.example/${fileId}/${fileName}` },
      retry,
      contacts,
      identities,
      lidSearch: new LidSearch({ contacts, linkOf, clock, log }),
      groups: new KnownGroups({ store, linkOf, recordOf, clock, log }),
      pictures: { avatarUrl: async (_clientId, jid) => rig.avatars.get(jid) ?? '' },
      spans: new MessageSpans(NO_TRACING, store.sends),
      announcements: new Announcements({ announcer, retry, observer, clock, log }),
      observer,
      clock,
      log,
    }),
    tellUnreadable(message, session = SESSION) {
      rig.receiver.hear({ type: 'stays_unreadable', session: base.sessionOf(session), message });
    },
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
    roomsOf: (session) => base.roomsOf(session),
    async close() {
      retry.stop();
      await rig.receiver.idle();
      await base.close();
    },
  };
  return rig;
}
