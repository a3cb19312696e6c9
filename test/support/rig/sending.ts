import { proto } from '@whiskeysockets/baileys';
import type { Person } from '../../../src/domain/address.js';
import type { PolicyMode } from '../../../src/domain/policy/policy.js';
import type { Refusal } from '../../../src/domain/policy/rules.js';
import { NO_TRACING } from '../../../src/domain/tracing.js';
import type { StatusPrivacy } from '../../../src/gateway/link/account.js';
import type {
  IncomingMessage,
  OutgoingMessage,
  PreparedMessage,
  Relayed,
} from '../../../src/gateway/link/link.js';
import { LiveLinks } from '../../../src/gateway/services/access.js';
import { MessageActions } from '../../../src/gateway/services/chats/actions.js';
import { ChatActions } from '../../../src/gateway/services/chats/chats.js';
import type { PreparedFile } from '../../../src/gateway/services/files/media.js';
import { RoomSettings } from '../../../src/gateway/services/history/room-settings.js';
import { Contacts } from '../../../src/gateway/services/identities/contacts.js';
import type { Admission } from '../../../src/gateway/services/policies/admission.js';
import type { AskedSend } from '../../../src/gateway/services/policies/send-policies.js';
import { EarlierMessages } from '../../../src/gateway/services/sending/references.js';
import { Sends } from '../../../src/gateway/services/sending/send.js';
import { Statuses } from '../../../src/gateway/services/sending/statuses.js';
import type { Session } from '../../../src/gateway/services/sessions/session.js';
import { MessageSpans } from '../../../src/gateway/services/spans.js';
import type { Store } from '../../../src/gateway/store/store.js';
import type { ManualClock } from '../manual-clock.js';
import { until } from '../until.js';
import { playedLink } from './link.js';
import type { Rig } from './rig.js';

/** The longest first pause before a lost connection is opened again. */
const RECONNECT_MS = 1_250;

export const GROUP = '120363040000000000@g.us';

/** Sending and chats of one session over a real store; its link, its inbound messages and its files are played. */
export interface Sending {
  store: Store;
  clock: ManualClock;
  contacts: Contacts;
  sends: Sends;
  chats: ChatActions;
  messages: MessageActions;
  posts: Statuses;
  session: Session;
  /** Messages that the link was asked to send; sends fail while `failure` is set. */
  sent: OutgoingMessage[];
  failure: Error | undefined;
  /** Whether its link says that it is up. */
  isUp: boolean;
  /** Runs when a message has left, before its acknowledgement; what it throws keeps the acknowledgement away. */
  onLeft: (message: OutgoingMessage) => Promise<void>;
  /** What the session's policy says of a send. */
  onAdmit: (asked: AskedSend) => Promise<Admission | undefined>;
  /** The mode of the session's policy. */
  mode: PolicyMode;
  /** The rules that refuse a message which waits. */
  onRefusals: (asked: Pick<AskedSend, 'to'> & { isRejected?: boolean }) => Refusal[];
  /** The look-up of a recipient before a first message. */
  onLookUp: () => Promise<void>;
  /** Who may see the statuses of the account, as the network says. */
  privacy: StatusPrivacy;
  /** The block list of the account, as the network lists it. */
  blocked: () => Promise<Person[]>;
  /** The deny list of the session's policy. */
  denied: readonly string[];
  /** The user-parts that were looked up at the network. */
  lookedUp: string[];
  /** Statuses that were announced, as `message id status code`. */
  statuses: string[];
  /** Sends that were announced, with what their callers said of them. */
  announced: { message: IncomingMessage; said: object }[];
  /** Other calls of the link. */
  asked: unknown[][];
  /** The protocol message that the link makes of each. */
  content: proto.IMessage;
  /** Whether the history records sends. */
  recorded: boolean;
  /** The result for the next files, and how often a file was prepared and discarded. */
  prepare: () => Promise<PreparedFile>;
  prepared: number;
  discarded: number;
  /** The network reports that a message was delivered. */
  delivered(messageId: string): void;
  /** The connection is lost, and does not come back. */
  disconnect(): Promise<void>;
  /** The connection is lost, and another one follows. */
  reconnect(): Promise<void>;
  close(): Promise<void>;
}

export async function sendingOver(base: Rig): Promise<Sending> {
  const { store, clock, log, retry } = base;
  const asked: unknown[][] = [];
  const sent: OutgoingMessage[] = [];
  const link = playedLink({
    isUp: () => rig.isUp,
    prepare: (message) => prepare(message),
    relay: (message) => relay(message),
    async lookUp({ kind, user }) {
      rig.lookedUp.push(user);
      return { lid: kind === 'lid' ? user : '', pn: kind === 'pn' ? user : '' };
    },
    account: {
      ...playedLink().account,
      statusPrivacy: async () => rig.privacy,
      blocked: () => rig.blocked(),
      setStatusPrivacy: async (...call) => void asked.push(['account.setStatusPrivacy', ...call]),
    },
    sendTyping: async (...call) => void asked.push(['sendTyping', ...call]),
    markRead: async (...call) => void asked.push(['markRead', ...call]),
    changeChat: async (...call) => void asked.push(['changeChat', ...call]),
    groups: {
      ...playedLink().groups,
      change: async (...call) => void asked.push(['groups.change', ...call]),
    },
  });
  const decode = (encoded: Uint8Array) => proto.Message.decode(encoded);
  const { sessions, links, opened, connect, disconnect } = base.sessions(link, {}, { decode });
  await connect();
  const session = sessions.find('acme');

  const contacts = new Contacts(store.contacts, clock);
  const earlier = new EarlierMessages({ store, links, contacts });
  const shared = { sessions, store, contacts, earlier, liveLinks: new LiveLinks(store, clock) };
  const roomSettings = new RoomSettings({ store, contacts, retry, log });
  const media = {
    async prepare() {
      rig.prepared += 1;
      return rig.prepare();
    },
    spool: () => Promise.reject(new Error('not played')),
    preview: async () => undefined,
  };
  const sends = new Sends({
    linkPreviews: false,
    channelPosts: { announce: async () => undefined },
    ...shared,
    links,
    retry,
    media,
    policies: {
      admit: (_session, asked) => rig.onAdmit(asked),
      refusals: async (_session, asked) => rig.onRefusals(asked),
      enforces: () => rig.mode === 'enforce',
      checkFirst: () => rig.onLookUp(),
      checkShared: async () => undefined,
    },
    spans: new MessageSpans(NO_TRACING, store.sends),
    announcements: {
      messageStatus: (_record, { messageId, status, code = '' }) =>
        void rig.statuses.push(`${messageId} ${status} ${code}`),
    },
    heldLimit: 1_000,
    statuses: { note: () => undefined },
    inbound: {
      async echo({ clientId }, message, said = {}) {
        rig.announced.push({ message, said });
        await store.sends.finish(clientId, message.messageId);
        return { recorded: rig.recorded };
      },
    },
    observer: { sent: () => undefined, sendFailed: () => undefined },
    clock,
    log,
  });

  const asks = new WeakMap<PreparedMessage, OutgoingMessage>();
  async function prepare(message: OutgoingMessage): Promise<PreparedMessage> {
    if (rig.failure) throw rig.failure;
    sent.push(message);
    const { messageId } = message;
    const { content } = rig;
    const prepared = { messageId, content, encoded: proto.Message.encode(content).finish() };
    asks.set(prepared, message);
    return prepared;
  }
  async function relay(prepared: PreparedMessage): Promise<Relayed> {
    const message = asks.get(prepared);
    if (!message) throw new Error('another link prepared this message');
    await rig.onLeft(message);
    await store.sends.acknowledge('acme', message.messageId);
    return { outcome: 'acknowledged' };
  }

  const rig: Sending = {
    store,
    clock,
    contacts,
    sends,
    messages: new MessageActions({ ...shared, sends }),
    posts: new Statuses({ ...shared, links, sends, media, policies: { denied: () => rig.denied } }),
    chats: new ChatActions({
      ...shared,
      rooms: base.roomsOf(session.record, contacts),
      sends,
      held: sends.held,
      roomSettings,
    }),
    session,
    sent,
    failure: undefined,
    isUp: true,
    onLeft: async () => undefined,
    onAdmit: async () => undefined,
    mode: 'enforce',
    onRefusals: () => [],
    onLookUp: async () => undefined,
    privacy: { mode: 'contacts', people: [] },
    blocked: async () => [],
    denied: [],
    lookedUp: [],
    statuses: [],
    announced: [],
    asked,
    content: { conversation: 'sent' },
    recorded: true,
    prepare: () => Promise.reject(new Error('not played')),
    prepared: 0,
    discarded: 0,
    delivered(messageId) {
      const event = { type: 'message-status', messageId, status: 'delivered', at: clock.now() } as const;
      sends.hear({ type: 'link', session, event });
    },
    disconnect,
    async reconnect() {
      const links = opened.length;
      await disconnect();
      await until('the pause', async () => clock.pending().some((ms) => ms <= RECONNECT_MS));
      clock.advance(RECONNECT_MS);
      await until('another link', async () => opened.length > links);
      await connect();
    },
    close: () => base.close(),
  };
  return rig;
}
