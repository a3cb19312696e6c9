import type { RawSettings } from '../../../src/config/schema.js';
import { Api } from '../../support/api.js';
import { DaemonProcess } from '../../support/daemon-process.js';
import { freePort } from '../../support/free-port.js';
import { startTcpProxy, type TcpProxy } from '../../support/tcp-proxy.js';
import { makeTempDir, type TempDir } from '../../support/temp-dir.js';
import { TOKEN } from '../../support/world.js';

/** Milliseconds between two pings of a link, for a network that bears three seconds of silence. */
const PING_EVERY_MS = 750;

/** Where the world of a node is. */
export interface NodeSurroundings {
  /** Of the network. */
  sandboxPort: number;
  mongo: readonly [host: string, port: number];
  /** The store's URL by way of a relay. */
  storeBy(port: number): string;
  /** What all nodes are told. */
  settings: RawSettings;
}

/** A daemon process with a relay on each of its ways: to the network, to the store, and from the other nodes. */
export class ClusterNode {
  readonly name: string;
  /** Its way to the network. */
  readonly wire: TcpProxy;
  /** Its way to the store. */
  readonly store: TcpProxy;
  /** By which the other nodes reach it; clients need not. */
  readonly door: TcpProxy;
  /** For clients. */
  readonly api: Api;
  readonly #settings: RawSettings;
  readonly #folder: TempDir;
  #process: DaemonProcess | undefined;

  private constructor(
    parts: Pick<ClusterNode, 'name' | 'wire' | 'store' | 'door' | 'api'> & {
      settings: RawSettings;
      folder: TempDir;
    },
  ) {
    this.name = parts.name;
    this.wire = parts.wire;
    this.store = parts.store;
    this.door = parts.door;
    this.api = parts.api;
    this.#settings = parts.settings;
    this.#folder = parts.folder;
  }

  /** Makes one; it does not run yet. */
  static async prepare(name: string, around: NodeSurroundings): Promise<ClusterNode> {
    const port = await freePort();
    const folder = await makeTempDir();
    const wire = await startTcpProxy('127.0.0.1', around.sandboxPort);
    const store = await startTcpProxy(...around.mongo);
    const door = await startTcpProxy('127.0.0.1', port);
    const settings = {
      ...around.settings,
      port,
      nodeName: name,
      nodeUrl: `http://127.0.0.1:${door.port}`,
      network: `sandbox+ws://127.0.0.1:${wire.port}/ws/chat`,
      store: around.storeBy(store.port),
      dataDir: folder.path,
    };
    const api = new Api(`http://127.0.0.1:${port}`, TOKEN);
    return new ClusterNode({ name, wire, store, door, api, settings, folder });
  }

  get runs(): boolean {
    return this.#process !== undefined;
  }

  /** Resolves when it listens. @param settings that are others than usual */
  async start(settings: RawSettings = {}): Promise<void> {
    this.wire.restore();
    this.#process = await DaemonProcess.start(
      { ...this.#settings, ...settings },
      { pingEveryMs: PING_EVERY_MS },
    );
  }

  /** Lets it hand over and finish. */
  async stop(): Promise<void> {
    const running = this.#process;
    this.#process = undefined;
    await running?.stop();
  }

  /** SIGKILL, at this instant. Resolves when it is gone. */
  async kill(): Promise<void> {
    const running = this.#process;
    this.#process = undefined;
    await running?.kill();
  }

  /** SIGSTOP. */
  pause(): void {
    this.#process?.pause();
  }

  /** SIGCONT. */
  wake(): void {
    this.#process?.wake();
  }

  /** Frees everything. */
  async destroy(): Promise<void> {
    await this.kill();
    await Promise.all([this.wire.stop(), this.store.stop(), this.door.stop()]);
    await this.#folder.remove();
  }
}
