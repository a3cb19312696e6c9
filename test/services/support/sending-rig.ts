import { setImmediate } from 'node:timers/promises';
import { proto } from '@whiskeysockets/baileys';
import { pino } from 'pino';
import type { Link, LinkOptions, OutgoingMessage } from '../../../src/link/link.js';
import { ChatActions } from '../../../src/services/chats/chats.js';
import { Contacts } from '../../../src/services/contacts.js';
import { LiveLinks } from '../../../src/services/live-links.js';
import type { PreparedFile } from '../../../src/services/media/media.js';
import { EarlierMessages } from '../../../src/services/send/earlier-messages.js';
import { Sender } from '../../../src/services/send/send.js';
import { ApiSecretHasher } from '../../../src/services/sessions/api-secret.js';
import type { Session } from '../../../src/services/sessions/session.js';
import { SessionRegistry } from '../../../src/services/sessions/sessions.js';
import { StoreSteps } from '../../../src/services/store-steps.js';
import { openStore } from '../../../src/store/open.js';
import type { Store } from '../../../src/store/store.js';
import { ManualClock } from '../../support/manual-clock.js';
import { makeTempDir } from '../../support/temp-dir.js';
import { identitiesOver } from './identities.js';
import { ME, playedLink, playedLinks } from './played-links.js';

export const GROUP = '120363040000000000@g.us';

/** Sending and chats of one session over a real store; its link, its receiver and its files are played. */
export interface SendingRig {
  store: Store;
  clock: ManualClock;
  contacts: Contacts;
  sender: Sender;
  chats: ChatActions;
  session: Session;
  /** What the link was given to send; it fails while `failure` is set. */
  sent: OutgoingMessage[];
  failure: Error | undefined;
  /** What else the link was asked for. */
  asked: unknown[][];
  /** The protocol message that the link makes of each. */
  content: proto.IMessage;
  /** Whether the history takes what was sent. */
  recorded: boolean;
  /** What the next files become, and how often one was prepared and discarded. */
  prepare: () => Promise<PreparedFile>;
  prepared: number;
  discarded: number;
  /** The connection is lost, and does not come back. */
  disconnect(): Promise<void>;
  close(): Promise<void>;
}

export async function startSendingRig(): Promise<SendingRig> {
  const folder = await makeTempDir();
  const store = await openStore({ url: 'sqlite', dataDir: folder.path, encryptionKey: new Uint8Array(32) });
  const clock = new ManualClock();
  const log = pino({ level: 'silent' });
  const asked: unknown[][] = [];
  const sent: OutgoingMessage[] = [];
  const opened: LinkOptions[] = [];
  const link = playedLink({
    send: (message) => send(message),
    lookUp: async ({ kind, user }) => ({ lid: kind === 'lid' ? user : '', pn: kind === 'pn' ? user : '' }),
    sendTyping: async (...call) => void asked.push(['sendTyping', ...call]),
    markRead: async (...call) => void asked.push(['markRead', ...call]),
    changeChat: async (...call) => void asked.push(['changeChat', ...call]),
  });
  const links = playedLinks(link, (options) => opened.push(options), {
    decode: (encoded) => proto.Message.decode(encoded),
  });
  const sessions = new SessionRegistry({
    store,
    links,
    clock,
    log,
    hasher: new ApiSecretHasher(new Uint8Array(32)),
    onStatus: () => undefined,
    onLinkEvent: () => undefined,
    openJournal: () => 0,
    history: () => undefined,
    settled: async () => undefined,
    onForgotten: () => undefined,
  });
  await sessions.start('acme', {});
  opened.at(-1)?.emit({ type: 'open', me: ME });
  const session = sessions.find('acme');
  await session.connected(0);

  const contacts = new Contacts(store.contacts, clock);
  const earlier = new EarlierMessages({ store, links, contacts });
  const shared = { sessions, store, contacts, earlier, liveLinks: new LiveLinks(store) };
  const sender = new Sender({
    ...shared,
    links,
    steps: new StoreSteps(store, clock),
    media: {
      async prepare() {
        rig.prepared += 1;
        return rig.prepare();
      },
      spool: () => Promise.reject(new Error('not played')),
    },
    receiver: {
      async echo() {
        return { recorded: rig.recorded };
      },
    },
    observer: { sent: () => undefined, sendFailed: () => undefined },
    clock,
    log,
  });

  async function send(message: OutgoingMessage): ReturnType<Link['send']> {
    if (rig.failure) throw rig.failure;
    sent.push(message);
    await message.beforeSend(proto.Message.encode(rig.content).finish());
    await store.sends.acknowledge('acme', message.messageId);
    return { messageId: message.messageId, content: rig.content, sentAt: clock.now() };
  }

  const rig: SendingRig = {
    store,
    clock,
    contacts,
    sender,
    chats: new ChatActions({ ...shared, rooms: identitiesOver(store, session.record, contacts), sender }),
    session,
    sent,
    failure: undefined,
    asked,
    content: { conversation: 'sent' },
    recorded: true,
    prepare: () => Promise.reject(new Error('not played')),
    prepared: 0,
    discarded: 0,
    async disconnect() {
      opened.at(-1)?.emit({ type: 'closed', reason: 'connection_lost', detail: '' });
      await setImmediate();
    },
    async close() {
      await sessions.stop();
      await store.close();
      await folder.remove();
    },
  };
  return rig;
}
