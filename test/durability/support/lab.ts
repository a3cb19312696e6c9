import { randomBytes } from 'node:crypto';
import type { RawSettings } from '../../../src/config/schema.js';
import { SandboxClient } from '../../../src/sandbox/client.js';
import { type Sandbox, startSandbox } from '../../../src/sandbox/index.js';
import { openStore } from '../../../src/store/open.js';
import type { SealedStore } from '../../../src/store/sealing/sealed-store.js';
import { Api } from '../../support/api.js';
import { DaemonProcess } from '../../support/daemon-process.js';
import { BOB, linkSession, reached } from '../../support/pairing.js';
import { startReceiver, type TestReceiver } from '../../support/receiver.js';
import { makeStorePlace, type StorePlace } from '../../support/store-place.js';
import { TailReader } from '../../support/tail-reader.js';
import { startTcpProxy, type TcpProxy } from '../../support/tcp-proxy.js';
import { makeTempDir, type TempDir } from '../../support/temp-dir.js';
import { TOKEN } from '../../support/world.js';

/**
 * A daemon in a process of its own, to be killed at any instant, between a network and a receiver that outlive it. All
 * that it tells the network goes through a wire that a test can watch and cut.
 */
export class Lab {
  readonly sandbox: Sandbox;
  readonly phones: SandboxClient;
  readonly receiver: TestReceiver;
  readonly wire: TcpProxy;
  readonly place: StorePlace;
  readonly encryptionKey = randomBytes(32);
  readonly #folder: TempDir;
  readonly #leaseSeconds: number;
  #daemon: DaemonProcess | undefined;
  #api: Api | undefined;
  #tail = new TailReader();
  #running: Promise<void>;
  #nowRunning: () => void = () => undefined;

  private constructor(
    parts: Pick<Lab, 'sandbox' | 'receiver' | 'wire' | 'place'> & { folder: TempDir; leaseSeconds: number },
  ) {
    this.sandbox = parts.sandbox;
    this.phones = new SandboxClient(parts.sandbox.url);
    this.receiver = parts.receiver;
    this.wire = parts.wire;
    this.place = parts.place;
    this.#folder = parts.folder;
    this.#leaseSeconds = parts.leaseSeconds;
    this.#running = this.#expectRun();
  }

  /**
   * Everything is up, the session `acme` is linked to Alice's phone, and Bob has one too.
   * @param options `leaseSeconds`: on MongoDB the sessions of a killed daemon are held for so long
   */
  static async start(options: { breakableStore?: boolean; leaseSeconds?: number } = {}): Promise<Lab> {
    const folder = await makeTempDir();
    const sandbox = await startSandbox();
    const receiver = await startReceiver();
    const wire = await startTcpProxy('127.0.0.1', sandbox.port);
    const place = await makeStorePlace({ breakable: options.breakableStore ?? false });
    const lab = new Lab({ sandbox, receiver, wire, place, folder, leaseSeconds: options.leaseSeconds ?? 20 });
    await lab.startDaemon();
    await lab.phones.addPhone(BOB);
    await linkSession(lab, 'acme');
    return lab;
  }

  get api(): Api {
    if (!this.#api) throw new Error('the daemon has never run');
    return this.#api;
  }

  /** Of the daemon's process. */
  get pid(): number {
    if (!this.#daemon) throw new Error('no daemon runs');
    return this.#daemon.pid;
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
    this.wire.restore();
    this.#daemon = await DaemonProcess.start(this.settings());
    this.#api = new Api(this.#daemon.url, TOKEN);
    this.#tail = await new TailReader().open(this.#daemon.url, TOKEN);
    this.#nowRunning();
  }

  /** SIGKILL, at this instant. */
  async killDaemon(): Promise<void> {
    const daemon = this.#daemon;
    this.#daemon = undefined;
    if (!daemon) return;
    this.#running = this.#expectRun();
    await daemon.kill();
    await this.#tail.close();
  }

  /** Lets the daemon finish what is in flight. */
  async stopDaemon(): Promise<void> {
    const daemon = this.#daemon;
    this.#daemon = undefined;
    this.#running = this.#expectRun();
    await this.#tail.close();
    await daemon?.stop();
  }

  /** Resolves when the session is connected. */
  connected(): Promise<void> {
    return reached(this, 'acme', 'connected');
  }

  /** Looks into the store; no daemon may run. */
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
    await this.killDaemon();
    await this.wire.stop();
    await this.sandbox.stop();
    await this.receiver.stop();
    await this.place.drop();
    await this.#folder.remove();
  }

  /** Settings of its daemons. */
  settings(): RawSettings {
    return {
      port: 0,
      network: `sandbox+ws://127.0.0.1:${this.wire.port}/ws/chat`,
      token: TOKEN,
      nodeName: 'node-1',
      dataDir: this.dataDir,
      store: this.place.setting,
      encryptionKey: this.encryptionKey.toString('hex'),
      leaseSeconds: this.#leaseSeconds,
    };
  }

  #expectRun(): Promise<void> {
    return new Promise((resolve) => {
      this.#nowRunning = resolve;
    });
  }
}
