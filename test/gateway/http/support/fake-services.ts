import { createHash } from 'node:crypto';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import type {
  Deletion,
  Forwarding,
  NewReceiver,
  Receiver,
  ReceiverChanges,
  SessionHealth,
  Starring,
  StartSettings,
  WebhookSettings,
} from '../../../../src/contract/index.js';
import type { SendPayload } from '../../../../src/contract/sends/send-request.js';
import type { Clock } from '../../../../src/domain/clock.js';
import { GatewayError } from '../../../../src/domain/errors.js';
import { shownProxy } from '../../../../src/domain/proxy.js';
import { type Reason, toFields } from '../../../../src/domain/reasons.js';
import type { SessionStatus } from '../../../../src/domain/session.js';
import type { KindSend } from '../../../../src/gateway/kinds/kind.js';
import type { WebAuthnAssertion } from '../../../../src/gateway/link/link.js';
import type { Logger } from '../../../../src/gateway/log.js';
import { createFleet } from '../../../../src/gateway/services/operations/fleet.js';
import { clusterNodes } from '../../../../src/gateway/services/operations/nodes.js';
import type {
  FilePayload,
  FileSource,
  PasskeyState,
  SessionView,
  SpooledFile,
} from '../../../../src/gateway/services/services.js';
import { MemoryPairLinks } from '../../../../src/gateway/services/sessions/pair-links.js';
import type { RetentionChanges } from '../../../../src/gateway/services/sessions/record.js';
import type { FailedDelivery, FailedFilter } from '../../../../src/gateway/store/store.js';
import { FakeLibrary } from './fake-library.js';
import { FakeListening } from './fake-listening.js';
import { FakeAvatars, FakeGroups, FakePeople, FakeProfile } from './fake-people.js';
import { FakeCluster } from './owners.js';

interface FakeSession extends SessionView {
  secret: string;
  webhookToken: string;
  qr: string;
  createdAt: number;
}

const OWN_JID = '15550000001@s.whatsapp.net';

/** Sessions in memory; `become` puts one into a status. */
export class FakeSessions {
  /** Sessions that this node does not hold. */
  readonly elsewhere = new Set<string>();
  readonly #sessions = new Map<string, FakeSession>();

  async start(clientId: string, { proxy, ...settings }: StartSettings): Promise<SessionView> {
    const session = this.#sessions.get(clientId) ?? newSession(clientId);
    this.#sessions.set(clientId, session);
    Object.assign(session, settings);
    if (proxy !== undefined) return this.setProxy(clientId, proxy);
    return this.get(clientId);
  }

  async setProxy(clientId: string, proxy: string | null): Promise<SessionView> {
    const session = this.#find(clientId);
    delete session.proxy;
    Object.assign(session, proxy && { proxy: shownProxy(proxy) });
    return this.get(clientId);
  }

  /** Of a session: each start of a new one counts up. */
  createdAt(clientId: string): number {
    return this.#find(clientId).createdAt;
  }

  become(clientId: string, status: SessionStatus, qr = '', reason?: Reason): void {
    const session = this.#find(clientId);
    Object.assign(session, { status, qr, reason, jid: status === 'connected' ? OWN_JID : session.jid });
  }

  webhookTokenOf(clientId: string): string {
    return this.#find(clientId).webhookToken;
  }

  qr(clientId: string): { clientId: string; status: SessionStatus; qr: string } {
    const { status, qr } = this.#find(clientId);
    return { clientId, status, qr: status === 'qr' ? qr : '' };
  }

  async pairPhone(clientId: string): Promise<string> {
    if (this.#find(clientId).status !== 'connected') return 'ABCD-EFGH';
    throw new GatewayError('session_already_paired', `session ${clientId} is already paired`);
  }

  /** The step of the passkey ceremony of every session. */
  passkeyState: PasskeyState | undefined;
  readonly assertions: WebAuthnAssertion[] = [];
  confirmations = 0;

  passkey(clientId: string): PasskeyState | undefined {
    this.#find(clientId);
    return this.passkeyState;
  }

  async answerPasskey(clientId: string, assertion: WebAuthnAssertion): Promise<void> {
    this.#requirePasskey(clientId);
    this.assertions.push(assertion);
  }

  async confirmPasskey(clientId: string): Promise<void> {
    this.#requirePasskey(clientId);
    this.confirmations += 1;
  }

  #requirePasskey(clientId: string): void {
    if (this.passkey(clientId)) return;
    throw new GatewayError('passkey_not_asked', 'the network does not ask this session for a passkey');
  }

  get(clientId: string): SessionView {
    const { secret, webhookToken, qr, createdAt, ...view } = this.#find(clientId);
    return { ...view, hasSecret: secret !== '' };
  }

  has(clientId: string): boolean {
    return this.#sessions.has(clientId) && !this.elsewhere.has(clientId);
  }

  views(): SessionView[] {
    return this.#all().filter(({ clientId }) => this.has(clientId));
  }

  async list(only?: string): Promise<SessionView[]> {
    return this.#all().filter(({ clientId }) => only === undefined || clientId === only);
  }

  states() {
    return this.views().map(({ status, proxy, rejectCalls }) => {
      return { status, connected: status === 'connected', hasProxy: proxy !== undefined, rejectCalls };
    });
  }

  health(only?: string): SessionHealth[] {
    const views = this.views().filter(({ clientId }) => only === undefined || clientId === only);
    return views.map((view) => ({
      clientId: view.clientId,
      jid: view.jid,
      status: view.status,
      ...toFields(view.reason, view.clientId),
      connected: view.status === 'connected',
      loggedIn: view.jid !== '',
      enableGroupAi: view.enableGroupAi,
      rejectCalls: view.rejectCalls,
      reconnects: 0,
      connectedAt: '',
      lastDisconnect: '',
      lastStanzaAt: '',
      since: '',
      retryAt: '',
      openJournal: 0,
    }));
  }

  async setWebhook(clientId: string, settings: WebhookSettings): Promise<SessionView> {
    return this.#change(clientId, settings);
  }

  async setOrgId(clientId: string, orgId: string): Promise<SessionView> {
    return this.#change(clientId, { orgId });
  }

  async setApiSecret(clientId: string, secret: string): Promise<SessionView> {
    return this.#change(clientId, { secret });
  }

  async setEnableGroupAi(clientId: string, enableGroupAi: boolean): Promise<SessionView> {
    return this.#change(clientId, { enableGroupAi });
  }

  async setRejectCalls(clientId: string, rejectCalls: boolean): Promise<SessionView> {
    return this.#change(clientId, { rejectCalls });
  }

  async setRetention(clientId: string, { retentionDays: days, keepEvents }: RetentionChanges) {
    return this.#change(clientId, {
      ...(days && { retentionDays: days }),
      ...(keepEvents && { keepEvents }),
    });
  }

  async reconnect(clientId: string): Promise<SessionView> {
    return this.get(clientId);
  }

  async disconnect(clientId: string): Promise<{ warning?: string }> {
    const { status } = this.#find(clientId);
    this.#sessions.delete(clientId);
    return status === 'reconnecting' ? { warning: 'the network did not confirm the logout' } : {};
  }

  async sessionsOfSecret(secret: string): Promise<string[]> {
    const all = [...this.#sessions.values()];
    return all
      .filter((session) => session.secret !== '' && session.secret === secret)
      .map(({ clientId }) => clientId);
  }

  #all(): SessionView[] {
    return [...this.#sessions.keys()].map((clientId) => this.get(clientId));
  }

  #change(clientId: string, changes: Partial<FakeSession>): SessionView {
    Object.assign(this.#find(clientId), changes);
    return this.get(clientId);
  }

  #find(clientId: string): FakeSession {
    const session = this.#sessions.get(clientId);
    if (session) return session;
    throw new GatewayError('session_unknown', `unknown clientId ${clientId}; call /start first`);
  }
}

/** A file that a send was asked for. */
export interface SentFile {
  payload: FilePayload;
  /** Its URL, or the uploaded bytes. */
  source: string;
  idempotencyKey: string | undefined;
}

/** Accepts every send of a known session, or fails with `failure`. */
export class FakeSending {
  readonly sent: { path: string; payload: SendPayload; idempotencyKey: string | undefined }[] = [];
  readonly files: SentFile[] = [];
  /** Uploads that have not been discarded. */
  readonly spooled = new Set<SpooledFile>();
  failure: Error | undefined;
  readonly #texts = new WeakMap<SpooledFile, string>();
  readonly #sessions: FakeSessions;

  constructor(sessions: FakeSessions) {
    this.#sessions = sessions;
  }

  async send(kind: KindSend, payload: SendPayload, idempotencyKey?: string) {
    this.#sessions.get(payload.clientId);
    if (this.failure) throw this.failure;
    this.sent.push({ path: kind.path, payload, idempotencyKey });
    return { status: 'sent' as const, messageId: `3EB0${this.sent.length}`, ...kind.answer?.(payload) };
  }

  async sendFile(payload: FilePayload, source: FileSource, idempotencyKey?: string) {
    this.#sessions.get(payload.clientId);
    if (this.failure) throw this.failure;
    const isUpload = 'file' in source;
    const shown = isUpload ? (this.#texts.get(source.file) ?? '') : source.downloadUrl;
    this.files.push({ payload, source: shown, idempotencyKey });
    const messageId = `3EB0F${this.files.length}`;
    return {
      status: 'sent' as const,
      messageId,
      mediaType: 'document',
      ...(!isUpload && { bytes: 1 }),
    };
  }

  async spool(_clientId: string, stream: Readable): Promise<SpooledFile> {
    const content = await text(stream);
    const file: SpooledFile = {
      path: '/dev/null',
      size: Buffer.byteLength(content),
      sha256: createHash('sha256').update(content).digest('hex'),
      discard: async () => {
        this.spooled.delete(file);
      },
    };
    this.spooled.add(file);
    this.#texts.set(file, content);
    return file;
  }
}

/** Forwards and stars any message of a known session. */
class FakeMessages {
  readonly #sending: FakeSending;
  readonly #sessions: FakeSessions;

  constructor(sessions: FakeSessions, sending: FakeSending) {
    this.#sessions = sessions;
    this.#sending = sending;
  }

  async forward(payload: Forwarding, idempotencyKey?: string) {
    this.#sessions.get(payload.clientId);
    const { sent } = this.#sending;
    sent.push({ path: '/forward-message', payload, idempotencyKey });
    return { status: 'sent' as const, messageId: `3EB0${sent.length}`, targetId: payload.messageId };
  }

  async star({ clientId }: Starring) {
    this.#sessions.get(clientId);
  }
}

/** Does everything to chats of a known session, or fails with `failure`. */
export class FakeChats {
  /** Recorded calls: method name and arguments. */
  readonly done: unknown[][] = [];
  failure: Error | undefined;
  readonly #sessions: FakeSessions;

  constructor(sessions: FakeSessions) {
    this.#sessions = sessions;
  }

  async setTyping(clientId: string, to: string, composing: boolean) {
    this.#note(clientId, ['setTyping', to, composing]);
  }

  async markRead(clientId: string, to: string, messageIds: string[]) {
    this.#note(clientId, ['markRead', to, messageIds]);
    return { count: messageIds.length };
  }

  async markUnread(clientId: string, to: string) {
    this.#note(clientId, ['markUnread', to]);
  }

  async archive(clientId: string, to: string, archived: boolean) {
    this.#note(clientId, ['archive', to, archived]);
  }

  async mute(clientId: string, to: string, until: number) {
    this.#note(clientId, ['mute', to, until]);
  }

  async pin(clientId: string, to: string, pinned: boolean) {
    this.#note(clientId, ['pin', to, pinned]);
  }

  async setDisappearing(clientId: string, to: string, seconds: number) {
    this.#note(clientId, ['setDisappearing', to, seconds]);
  }

  async deleteMessage(deletion: Deletion) {
    this.#note(deletion.clientId, ['deleteMessage', deletion]);
  }

  #note(clientId: string, call: unknown[]): void {
    this.#sessions.get(clientId);
    if (this.failure) throw this.failure;
    this.done.push(call);
  }
}

function receiver(id: string, name: string, url: string): Receiver {
  return {
    ...{ id, name, url, hasToken: false, retry: 'contract', filter: {}, headers: [], schedule: {} },
    ...{ failed: 0, delivered: 0, dropped: 0 },
  };
}

/** Receivers beside the webhook in memory; each session has the receiver 2 at first. */
export class FakeReceivers {
  readonly #sessions: FakeSessions;
  readonly #added = new Map<string, Receiver[]>();

  constructor(sessions: FakeSessions) {
    this.#sessions = sessions;
  }

  async list(clientId: string): Promise<Receiver[]> {
    this.#sessions.get(clientId);
    const known = this.#added.get(clientId) ?? [receiver('2', '', 'https://example.com/audit')];
    this.#added.set(clientId, known);
    return known;
  }

  async add(clientId: string, { url, name = '' }: NewReceiver): Promise<Receiver> {
    const others = await this.list(clientId);
    const id = String(others.length + 2);
    const added = receiver(id, name, url);
    this.#added.set(clientId, [...others, added]);
    return added;
  }

  async change(clientId: string, id: string, { name }: ReceiverChanges): Promise<Receiver> {
    const found = (await this.list(clientId)).find((one) => one.id === id);
    if (!found) throw new GatewayError('receiver_unknown', `session ${clientId} has no receiver ${id}`);
    return Object.assign(found, name !== undefined && { name });
  }

  /** It stays in the list, so that requests may come in any order. */
  async remove(clientId: string, id: string): Promise<{ discarded: number }> {
    await this.change(clientId, id, {});
    return { discarded: 0 };
  }
}

/** Failed deliveries in memory; a resend always arrives. */
export class FakeDeliveries {
  readonly #failed: FailedDelivery[] = [];
  readonly #sessions: FakeSessions;

  constructor(sessions: FakeSessions) {
    this.#sessions = sessions;
  }

  fail(delivery: FailedDelivery): void {
    this.#failed.unshift(delivery);
  }

  async sendTestEvent(clientId: string, type: string) {
    if (this.#sessions.get(clientId).webhookUrl) {
      return { deliveryId: `test-${type}`, delivered: true, reason: '', signed: false };
    }
    throw new GatewayError('webhook_missing', `session ${clientId} has no webhookUrl`);
  }

  async failed({ clientId, limit, before }: FailedFilter): Promise<FailedDelivery[]> {
    const own = this.#failed.filter((one) => clientId === undefined || one.clientId === clientId);
    return own.slice(own.findIndex(({ id }) => id === before?.id) + 1).slice(0, limit);
  }

  async failedOne(id: string): Promise<FailedDelivery> {
    const delivery = this.#failed.find((one) => one.id === id);
    if (delivery) return delivery;
    throw new GatewayError('delivery_unknown', `there is no failed delivery ${id}`);
  }

  async resend(id: string) {
    this.#failed.splice(this.#failed.indexOf(await this.failedOne(id)), 1);
    return { deliveryId: id, delivered: true, reason: '' };
  }
}

/** An inbox with the room `<clientId>-1-2` for every session, without messages but `3EB0`, which has a file. */
export class FakeInbox {
  async rooms() {
    return [];
  }

  async messages(chatRoomId: string) {
    this.#require(chatRoomId);
    return [];
  }

  async mediaUrl(chatRoomId: string, messageId: string) {
    this.#require(chatRoomId);
    if (messageId === '3EB0') return 'https://example.com/media/3EB0/a.jpg';
    throw new GatewayError('file_unknown', `message ${messageId} has no file`);
  }

  async markRead(chatRoomId: string) {
    this.#require(chatRoomId);
  }

  #require(chatRoomId: string): void {
    if (chatRoomId.endsWith('-1-2')) return;
    throw new GatewayError('room_unknown', `there is no chat room ${chatRoomId}`);
  }
}

export type FakeServices = ReturnType<typeof createFakeServices>;

const NOTHING_UNFINISHED = {
  ...{ failedDeliveries: 0, waitingDeliveries: 0, unannounced: 0 },
  ...{ unacknowledgedSends: 0, heldSends: 0 },
};

const SETTINGS_TO_MOVE = {
  ...{ orgId: '', webhookUrl: '', webhookToken: '', pollLookupUrl: '', extraEvents: [], proxy: null },
  ...{ retry: 'contract' as const, enableGroupAi: false, rejectCalls: false, retentionDays: null },
};

export function createFakeServices(clock: Clock, log: Logger) {
  const sessions = new FakeSessions();
  const sending = new FakeSending(sessions);
  const cluster = new FakeCluster();
  cluster.add('node-1', 'http://127.0.0.1:3000');
  return {
    sessions,
    adoption: {
      async take({ clientId }: { clientId: string }) {
        return { session: await sessions.start(clientId, {}), leftOut: [] };
      },
      async giveBack(clientId: string) {
        await sessions.disconnect(clientId);
      },
      async export(clientId: string) {
        const { jid } = sessions.get(clientId);
        return {
          ...{ clientId, jid, credentials: {}, settings: SETTINGS_TO_MOVE },
          staying: NOTHING_UNFINISHED,
        };
      },
      async unfinished(clientId: string) {
        sessions.get(clientId);
        return { clientId, ...NOTHING_UNFINISHED };
      },
      async exportKeys(clientId: string) {
        sessions.get(clientId);
        return { clientId, keys: [], received: [] };
      },
    },
    pairLinks: new MemoryPairLinks({
      sessions,
      createdAt: (clientId) => sessions.createdAt(clientId),
      address: { publicUrl: 'https://gateway.example.com' },
      clock,
      log,
    }),
    sending,
    backups: {
      async *backUp() {
        yield Buffer.from('SWBACKUP');
      },
    },
    messages: new FakeMessages(sessions, sending),
    chats: new FakeChats(sessions),
    presence: {
      async subscribe(clientId: string, _to: string, seconds: number) {
        sessions.get(clientId);
        return { expiresAt: clock.now() + seconds * 1_000 };
      },
    },
    traces: {
      async of(clientId: string, messageId: string) {
        sessions.get(clientId);
        return { clientId, messageId, direction: 'in', chat: '', steps: [], conclusion: 'It was received.' };
      },
    },
    restrictions: {
      async of(clientId: string) {
        sessions.get(clientId);
        const newChats = { used: 0, limit: 0, resetsAt: '' };
        return { clientId, restricted: false, until: '', reason: '', warning: '', newChats };
      },
    },
    policies: {
      nameWorkspaces: false,
      async of(clientId: string) {
        sessions.get(clientId);
        return { clientId, policy: '', mode: 'off', linkedDays: 0, refused: [] };
      },
      async sends(clientId: string) {
        sessions.get(clientId);
        const now = new Date(clock.now()).toISOString();
        return { clientId, createdAt: now, linkedAt: now, sends: [] };
      },
    },
    heldMessages: {
      async list(clientId: string) {
        sessions.get(clientId);
        return [];
      },
      async cancel(clientId: string) {
        sessions.get(clientId);
      },
      count: () => 0,
    },
    inbox: new FakeInbox(),
    library: new FakeLibrary(sessions),
    groups: new FakeGroups(sessions),
    people: new FakePeople(sessions),
    profile: new FakeProfile(sessions),
    avatars: new FakeAvatars(sessions),
    receivers: new FakeReceivers(sessions),
    deliveries: new FakeDeliveries(sessions),
    replays: {
      removeAll: async () => undefined,
      async list({ clientId }: { clientId: string }) {
        sessions.get(clientId);
        return [];
      },
      async replay({ clientId }: { clientId: string }) {
        sessions.get(clientId);
        return { replayed: 0, filtered: 0 };
      },
    },
    listening: new FakeListening(sessions),
    fleet: createFleet({
      receivers: () => [],
      sessions,
      figures: () => ({ waiting: 0, inFlight: 0, delivered: 0, dropped: 0 }),
      failures: () => 0,
      policy: () => undefined,
      held: () => 0,
    }),
    nodes: clusterNodes({ cluster, selfId: 'node-1', aliveMs: 10_000 }),
    versions: { current: () => ({ version: [2, 3000, 1], source: 'library' }) },
    cluster,
  };
}

let created = 0;

function newSession(clientId: string): FakeSession {
  return {
    clientId,
    status: 'initializing',
    reason: undefined,
    jid: '',
    orgId: '',
    webhookUrl: '',
    pollLookupUrl: '',
    enableGroupAi: false,
    rejectCalls: false,
    extraEvents: [],
    hasSecret: false,
    secret: '',
    webhookToken: '',
    qr: '',
    createdAt: ++created,
  };
}
