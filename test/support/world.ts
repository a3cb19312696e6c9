import { randomBytes } from 'node:crypto';
import { expect } from 'chai';
import { type PhoneView, SandboxClient, type WriteRequest } from '../../src/client/sandbox/client.js';
import type { EventEnvelope } from '../../src/contract/events/envelope.js';
import type { StoredMessage } from '../../src/contract/index.js';
import type { Clock } from '../../src/domain/clock.js';
import { doubling } from '../../src/domain/retry.js';
import { loadConfig } from '../../src/gateway/config/load.js';
import type { RawSettings } from '../../src/gateway/config/schema.js';
import { createDaemon, type Daemon, type DaemonOverrides } from '../../src/gateway/daemon/daemon.js';
import { createLog } from '../../src/gateway/log.js';
import { openStore } from '../../src/gateway/store/open.js';
import type { SealedStore } from '../../src/gateway/store/sealing/sealed-store.js';
import { type Sandbox, startSandbox } from '../../src/sandbox/index.js';
import { DaemonProcess, type DeathPoint } from './daemon-process.js';
import { eventOf, startReceiver, type TestReceiver } from './receiver.js';
import { makeStorePlace, type StorePlace } from './store-place.js';
import { TailReader } from './tail-reader.js';
import { startTcpProxy, type TcpProxy } from './tcp-proxy.js';
import { makeTempDir, type TempDir } from './temp-dir.js';

/** An answer of the API: its status, headers and parsed body. */
export interface ApiAnswer {
  status: number;
  headers: Headers;
  body: Record<string, unknown>;
}

/** The daemon's API as an outside program uses it: over HTTP, with a token. */
export class Api {
  readonly url: string;
  readonly #token: string;

  constructor(url: string, token: string) {
    this.url = url;
    this.#token = token;
  }

  get(path: string, headers: Record<string, string> = {}): Promise<ApiAnswer> {
    return this.call('GET', path, undefined, headers);
  }

  post(
    path: string,
    body?: object,
    headers: Record<string, string> = {},
    signal?: AbortSignal,
  ): Promise<ApiAnswer> {
    return this.call('POST', path, body, headers, signal);
  }

  /** Posts a form; its Content-Type follows from it. */
  upload(path: string, form: FormData, headers: Record<string, string> = {}): Promise<ApiAnswer> {
    return this.#ask(path, { method: 'POST', headers, body: form });
  }

  call(
    method: string,
    path: string,
    body: object | undefined,
    headers: Record<string, string>,
    signal?: AbortSignal,
  ): Promise<ApiAnswer> {
    const type = body && { 'content-type': 'application/json' };
    return this.#ask(path, {
      method,
      headers: { ...type, ...headers },
      ...(body && { body: JSON.stringify(body) }),
      ...(signal && { signal }),
    });
  }

  async #ask(path: string, request: RequestInit): Promise<ApiAnswer> {
    const response = await fetch(new URL(path, this.url), {
      ...request,
      headers: { authorization: `Bearer ${this.#token}`, ...request.headers },
    });
    const text = await response.text();
    return { status: response.status, headers: response.headers, body: text ? JSON.parse(text) : {} };
  }

  /** The same API with another token. */
  as(token: string): Api {
    return new Api(this.url, token);
  }
}

/** The master token of test daemons. */
export const TOKEN = 'test-master-token-0123456789';

/** Errors of a send that a move interrupts: it is repeated with its key. */
export const PASSING_ERRORS = [
  'node_unreachable',
  'send_cut_off',
  'send_not_connected',
  'send_unacknowledged',
  'lookup_failed',
  'session_elsewhere',
  'session_unheld',
  'session_not_connected',
];

/** Delays between attempts to connect that no test has to wait for. */
export const QUICK_BACKOFF = { pausesMs: doubling(20, 200), endless: true };

export interface WorldOptions {
  settings?: RawSettings;
  overrides?: DaemonOverrides;
  /** The clock below the network's, which a daemon in this process then shares. */
  clock?: Clock;
  /** Runs the daemon in its own process, where it can be killed, behind a wire that can be watched and cut. */
  process?: boolean;
  /** Puts the same wire before a daemon in this process. */
  wire?: boolean;
  /** Puts a relay in front of the store's server. */
  breakableStore?: boolean;
}

/**
 * A sandbox network, a daemon that uses it, and a webhook receiver: all real, on free ports and in a fresh folder. Network
 * and receiver outlive the daemon.
 */
export class World {
  readonly sandbox: Sandbox;
  readonly phones: SandboxClient;
  readonly receiver: TestReceiver;
  readonly place: StorePlace;
  readonly encryptionKey = randomBytes(32);
  readonly #folder: TempDir;
  readonly #options: WorldOptions;
  readonly #wire: TcpProxy | undefined;
  #daemon: Daemon | DaemonProcess | undefined;
  #api: Api | undefined;
  #tail = new TailReader();
  #running: Promise<void>;
  #nowRunning: () => void = () => undefined;

  private constructor(
    parts: Pick<World, 'sandbox' | 'receiver' | 'place'>,
    folder: TempDir,
    options: WorldOptions,
    wire?: TcpProxy,
  ) {
    this.sandbox = parts.sandbox;
    this.phones = new SandboxClient(parts.sandbox.url);
    this.receiver = parts.receiver;
    this.place = parts.place;
    this.#folder = folder;
    this.#options = options;
    this.#wire = wire;
    this.#running = this.#expectRun();
  }

  static async start(options: WorldOptions = {}): Promise<World> {
    const folder = await makeTempDir();
    const { clock } = options;
    const sandbox = await startSandbox({ port: 0, checkAnswers: true, ...(clock && { clock }) });
    const receiver = await startReceiver();
    const place = await makeStorePlace({ breakable: options.breakableStore ?? false });
    const wire = options.process || options.wire ? await startTcpProxy('127.0.0.1', sandbox.port) : undefined;
    const world = new World({ sandbox, receiver, place }, folder, options, wire);
    await world.startDaemon();
    return world;
  }

  get api(): Api {
    if (!this.#api) throw new Error('the daemon has never run');
    return this.#api;
  }

  get daemon(): Pick<Daemon, 'url' | 'stop'> {
    if (!this.#daemon) throw new Error('no daemon runs');
    return this.#daemon;
  }

  /** Of the daemon's own process. */
  get pid(): number {
    if (!(this.#daemon instanceof DaemonProcess)) throw new Error('no daemon runs in its own process');
    return this.#daemon.pid;
  }

  /** What the daemon tells the network goes through it. */
  get wire(): TcpProxy {
    if (!this.#wire) throw new Error('this world was started without a wire');
    return this.#wire;
  }

  get tail(): TailReader {
    return this.#tail;
  }

  get dataDir(): string {
    return this.#folder.path;
  }

  /** Resolves when a daemon listens: at once, or when the next one does. */
  get running(): Promise<void> {
    return this.#running;
  }

  async startDaemon(): Promise<void> {
    this.#wire?.restore();
    this.#daemon = await this.#newDaemon();
    this.#api = new Api(this.#daemon.url, TOKEN);
    this.#tail = await new TailReader().open(this.#daemon.url, TOKEN);
    this.#nowRunning();
  }

  /** Lets the daemon finish what is in flight. */
  async stopDaemon(): Promise<void> {
    const daemon = this.#forgetDaemon();
    await this.#tail.close();
    await daemon?.stop();
  }

  /** Stops the daemon and starts it again on the same data. */
  async restartDaemon(): Promise<void> {
    await this.stopDaemon();
    await this.startDaemon();
  }

  /** Sends SIGKILL to the daemon's own process. */
  async killDaemon(): Promise<void> {
    const daemon = this.#forgetDaemon();
    if (!(daemon instanceof DaemonProcess)) return;
    await daemon.kill();
    await this.#tail.close();
  }

  /** The daemon's own process kills itself when it comes to this point. Resolves when it knows. */
  async dieAt(point: DeathPoint): Promise<void> {
    if (!(this.#daemon instanceof DaemonProcess)) throw new Error('no daemon runs in its own process');
    await this.#daemon.dieAt(point);
  }

  /** Resolves when the daemon's own process has ended. */
  async died(): Promise<void> {
    if (this.#daemon instanceof DaemonProcess) await this.#daemon.ended();
    await this.killDaemon();
  }

  /** Resolves when the session is connected. */
  connected(clientId = 'acme'): Promise<void> {
    return reached(this, clientId, 'connected');
  }

  /** Looks into the store; the daemon must be stopped. */
  async inspect<T>(look: (store: SealedStore) => Promise<T>): Promise<T> {
    const { encryptionKey, dataDir } = this;
    const store = await openStore({ url: this.place.setting, dataDir, encryptionKey });
    try {
      return await look(store);
    } finally {
      await store.close();
    }
  }

  async stop(): Promise<void> {
    if (this.#options.process) await this.killDaemon();
    else await this.stopDaemon();
    await this.#wire?.stop();
    await this.sandbox.stop();
    await this.receiver.stop();
    await this.place.drop();
    await this.#folder.remove();
  }

  /** Settings of its daemons. */
  settings(): RawSettings {
    const { sandbox, dataDir, place, encryptionKey } = this;
    const network = this.#wire ? `ws://127.0.0.1:${this.#wire.port}/ws/chat` : sandbox.wsUrl;
    return {
      port: 0,
      network: `sandbox+${network}`,
      token: TOKEN,
      nodeName: 'node-1',
      checkAnswers: true,
      dataDir,
      store: place.setting,
      encryptionKey: encryptionKey.toString('hex'),
      ...this.#options.settings,
    };
  }

  async #newDaemon(): Promise<Daemon | DaemonProcess> {
    if (this.#options.process) {
      const { brokers } = this.#options.overrides ?? {};
      return DaemonProcess.start(this.settings(), { ...(brokers && { brokers }) });
    }
    const config = await loadConfig({ flags: this.settings(), env: {}, defaultDataDir: this.dataDir });
    const log = createLog({ level: process.env.TEST_LOG ?? 'silent', pretty: false });
    const { overrides, clock } = this.#options;
    const shared = clock && { clock: this.sandbox.clock };
    return createDaemon(config, { log, backoff: QUICK_BACKOFF, ...shared, ...overrides });
  }

  #forgetDaemon(): Daemon | DaemonProcess | undefined {
    const daemon = this.#daemon;
    this.#daemon = undefined;
    if (daemon) this.#running = this.#expectRun();
    return daemon;
  }

  #expectRun(): Promise<void> {
    return new Promise((resolve) => {
      this.#nowRunning = resolve;
    });
  }
}

export function startWorld(options?: WorldOptions): Promise<World> {
  return World.start(options);
}

/** A world whose daemon can be killed, where Alice's number is linked as `acme`, and Bob has a phone. */
export async function startKillableWorld({
  leaseSeconds = 20,
  settings,
  ...options
}: Pick<WorldOptions, 'breakableStore' | 'settings'> & {
  overrides?: Pick<DaemonOverrides, 'brokers'>;
  /** On MongoDB the sessions of a killed daemon are held for so long. */
  leaseSeconds?: number;
} = {}): Promise<World> {
  const world = await World.start({ process: true, settings: { leaseSeconds, ...settings }, ...options });
  await world.phones.addPhone(BOB);
  await linkSession(world, 'acme');
  return world;
}

/** What pairing needs of a test's surroundings. */
export type Surroundings = Pick<World, 'phones' | 'receiver' | 'api' | 'tail'>;

/** People of the tests. */
export const ALICE = { number: '+15550000001', name: 'Alice' };
export const BOB = { number: '+15550000002', name: 'Bob' };
export const CAROL = { number: '+15550000003', name: 'Carol' };

/** A session whose number is linked and connected. */
export interface LinkedSession {
  clientId: string;
  number: string;
}

/** Starts a session with the world's receiver as webhook and pairs it with a (new) phone by QR. */
export async function linkSession(
  world: Surroundings,
  clientId: string,
  person: { number: string; name: string } = ALICE,
  settings: object = {},
): Promise<LinkedSession> {
  const known = (await world.phones.phones()).some(({ number }) => number === person.number);
  if (!known) await world.phones.addPhone(person);
  const webhook = { webhookUrl: world.receiver.url, webhookToken: WEBHOOK_TOKEN, ...settings };
  const started = await world.api.post(`/start?clientId=${clientId}`, webhook);
  expect(started.status, JSON.stringify(started.body)).to.equal(200);
  await world.phones.scan(person.number, await nextQr(world, clientId));
  await reached(world, clientId, 'connected');
  return { clientId, number: person.number };
}

export const WEBHOOK_TOKEN = 'receiver-token';

/** The text of the session's QR, as soon as there is one. */
export async function nextQr(world: Surroundings, clientId: string): Promise<string> {
  await reached(world, clientId, 'qr');
  const { body } = await world.api.get(`/qr?clientId=${clientId}&format=text`);
  return String(body.qr);
}

/** Resolves when the session has that status; reads the live stream, so that nothing is polled. */
export async function reached(world: Surroundings, clientId: string, status: string): Promise<void> {
  await world.tail.until(
    (entry) => entry.kind === 'event' && entry.event.type === 'session_status' && entry.clientId === clientId,
    async () => (await world.api.get(`/qr?clientId=${clientId}&format=text`)).body.status === status,
  );
}

/** What a person writes, whoever gets it. */
export type Wish = Omit<WriteRequest, 'to'>;

/** A linked number with whom Bob has a chat. */
export interface Side {
  clientId: string;
  /** Empty when no history is kept. */
  orgId: string;
  phone: PhoneView;
  chatRoomId: string;
}

/** A world in which Bob chats with two linked numbers: one whose history is kept, and one without. */
export class Conversations {
  readonly world: World;
  readonly bob: PhoneView;
  readonly plain: Side;
  readonly hosted: Side;

  private constructor(world: World, bob: PhoneView, plain: Side, hosted: Side) {
    this.world = world;
    this.bob = bob;
    this.plain = plain;
    this.hosted = hosted;
  }

  static async start(options: WorldOptions = {}): Promise<Conversations> {
    const world = await startWorld(options);
    await world.phones.addPhone(BOB);
    const bob = await world.phones.phone(BOB.number);
    const side = async (clientId: string, person: typeof ALICE, orgId: string): Promise<Side> => {
      await linkSession(world, clientId, person);
      if (orgId) await world.api.post('/set-org-id', { clientId, orgId });
      const phone = await world.phones.phone(person.number);
      return { clientId, orgId, phone, chatRoomId: `${clientId}-${lidOf(phone)}-${lidOf(bob)}` };
    };
    return new Conversations(
      world,
      bob,
      await side('plain', ALICE, ''),
      await side('hosted', CAROL, 'workspace1'),
    );
  }

  /** Bob writes; resolves with the event. */
  async fromBob({ phone }: Side, wish: Wish): Promise<EventEnvelope> {
    return this.#write(BOB.number, phone.number, wish);
  }

  /** The linked phone's owner writes to Bob; resolves with the event. */
  async fromOwner({ phone }: Side, wish: Wish): Promise<EventEnvelope> {
    return this.#write(phone.number, BOB.number, wish);
  }

  /** The chat's stored messages. */
  async history({ chatRoomId }: Side): Promise<StoredMessage[]> {
    const { status, body } = await this.world.api.get(`/chatrooms/${chatRoomId}/messages`);
    expect(status, JSON.stringify(body)).to.equal(200);
    const messages: unknown = body.messages;
    if (!Array.isArray(messages)) throw new Error('the history is a list');
    return messages;
  }

  /** A stored message; undefined when there is none. */
  async row(side: Side, messageId: string): Promise<StoredMessage | undefined> {
    return (await this.history(side)).find((message) => message.messageId === messageId);
  }

  stop(): Promise<void> {
    return this.world.stop();
  }

  async #write(from: string, to: string, wish: Wish): Promise<EventEnvelope> {
    const { messageId } = await this.world.phones.write(from, { ...wish, to });
    return eventOf(this.world.receiver, messageId);
  }
}

export function lidOf({ lid }: Pick<PhoneView, 'lid'>): string {
  return lid.split('@')[0] ?? '';
}
