import { randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { SandboxClient } from '../../../../src/client/sandbox/client.js';
import type { RawSettings } from '../../../../src/gateway/config/schema.js';
import { openStore } from '../../../../src/gateway/store/open.js';
import type { SealedStore } from '../../../../src/gateway/store/sealing/sealed-store.js';
import type { ClusterStore, LeaseRecord } from '../../../../src/gateway/store/store.js';
import { type Sandbox, startSandbox } from '../../../../src/sandbox/index.js';
import { DaemonProcess } from '../../../support/daemon-process.js';
import { startReceiver, type TestReceiver } from '../../../support/receiver.js';
import { TailReader } from '../../../support/tail-reader.js';
import { freePort, startTcpProxy, type TcpProxy } from '../../../support/tcp-proxy.js';
import { makeTempDir, type TempDir } from '../../../support/temp-dir.js';
import { until } from '../../../support/until.js';
import { Api, BOB, type LinkedSession, linkSession, TOKEN } from '../../../support/world.js';
import {
  makeTestDatabase,
  serverAddress,
  type TestDatabase,
  throughProxy,
} from '../../store/support/mongo.js';

/** While sessions are linked no lease is lost, however slow the machine is. */
const LEASE_SECONDS_FOR_LINKING = 60;
/** The network drops a silent client before another node can have its session. */
const SILENCE_MS = 3_000;

interface LabParts {
  sandbox: Sandbox;
  receiver: TestReceiver;
  database: TestDatabase;
  store: SealedStore;
  nodes: ClusterNode[];
  folder: TempDir;
}

/** Daemon processes on one MongoDB database, on one network, with one receiver; every way between them can be broken. */
export class ClusterLab {
  readonly phones: SandboxClient;
  readonly sandbox: Sandbox;
  readonly receiver: TestReceiver;
  readonly nodes: readonly ClusterNode[];
  /** The tests' own way to the database. */
  readonly store: SealedStore;
  sessions: readonly LinkedSession[] = [];
  readonly #database: TestDatabase;
  readonly #folder: TempDir;

  private constructor({ sandbox, receiver, database, store, nodes, folder }: LabParts) {
    this.sandbox = sandbox;
    this.phones = new SandboxClient(sandbox.url);
    this.receiver = receiver;
    this.nodes = nodes;
    this.store = store;
    this.#database = database;
    this.#folder = folder;
  }

  /**
   * Sessions `s0`, `s1`, … are linked, and Bob has a phone too. No node runs.
   * @param server of MongoDB
   */
  static async start(
    server: string,
    {
      sessions,
      leaseSeconds,
      // it only observes
      policies = 'default: gentle\n',
      settings = {},
    }: { sessions: number; leaseSeconds: number; policies?: string; settings?: RawSettings },
  ): Promise<ClusterLab> {
    const sandbox = await startSandbox({ silenceMs: SILENCE_MS, checkAnswers: true });
    const receiver = await startReceiver();
    const database = makeTestDatabase(server);
    const folder = await makeTempDir();
    const encryptionKey = randomBytes(32);
    const store = await openStore({ url: database.url, dataDir: folder.path, encryptionKey });
    const policy = join(folder.path, 'policy.yaml');
    await writeFile(policy, policies);
    const nodes = await prepareNodes({
      sandboxPort: sandbox.port,
      mongo: serverAddress(server),
      storeBy: (port) => throughProxy(database, port),
      settings: {
        token: TOKEN,
        encryptionKey: encryptionKey.toString('hex'),
        leaseSeconds,
        policy,
        // as behind a load balancer
        publicUrl: 'https://gateway.example',
        ...settings,
      },
    });
    const lab = new ClusterLab({ sandbox, receiver, database, store, nodes, folder });
    try {
      await lab.#link(sessions);
      return lab;
    } catch (error) {
      await lab.stop();
      throw error;
    }
  }

  async startAll(): Promise<void> {
    await Promise.all(this.nodes.map((node) => node.start()));
  }

  get cluster(): ClusterStore {
    if (!this.store.cluster) throw new Error('the store has nothing for nodes');
    return this.store.cluster;
  }

  node(index: number): ClusterNode {
    const node = this.nodes[index];
    if (!node) throw new Error(`there is no node ${index}`);
    return node;
  }

  session(index: number): LinkedSession {
    const session = this.sessions[index];
    if (!session) throw new Error(`there is no session ${index}`);
    return session;
  }

  /** The lease of a session, as soon as it has one. */
  async lease(clientId: string): Promise<LeaseRecord> {
    let lease: LeaseRecord | undefined;
    await until(`somebody to hold ${clientId}`, async () => {
      lease = await this.cluster.leases.holder(clientId);
      return lease !== undefined;
    });
    if (!lease) throw new Error('unreachable: there is one');
    return lease;
  }

  /** The node that holds a session. */
  async ownerOf(clientId: string): Promise<ClusterNode> {
    const { nodeId } = await this.lease(clientId);
    const owner = (await this.#names()).get(nodeId);
    const node = this.nodes.find(({ name }) => name === owner);
    if (!node) throw new Error(`no node of the lab holds ${clientId}`);
    return node;
  }

  /** The nodes that do not hold a session. */
  async othersThan(clientId: string): Promise<ClusterNode[]> {
    const owner = await this.ownerOf(clientId);
    return this.nodes.filter((node) => node !== owner);
  }

  /** Ids of the sessions that a node holds. */
  async heldBy(node: ClusterNode): Promise<string[]> {
    const names = await this.#names();
    const leases = await this.cluster.leases.list();
    return leases.filter(({ nodeId }) => names.get(nodeId) === node.name).map(({ clientId }) => clientId);
  }

  /** How often the sessions have been taken up so far, all together. */
  async takenUp(): Promise<number> {
    const leases = await this.cluster.leases.list();
    return leases.reduce((sum, { epoch }) => sum + epoch, 0);
  }

  /** Resolves when each running node holds its share and all sessions are connected. */
  async balanced(): Promise<void> {
    const running = this.nodes.filter(({ runs }) => runs).length;
    const most = Math.ceil(this.sessions.length / running);
    await until('each node to have its share', async () => {
      const counts = [...(await this.cluster.leases.counts()).values()];
      const held = counts.reduce((sum, count) => sum + count, 0);
      return held === this.sessions.length && counts.every((count) => count <= most);
    });
    await this.connected();
  }

  /** Resolves when the network has a connection of every session. */
  async connected(): Promise<void> {
    await until('all sessions to be connected', async () => {
      const phones = await this.phones.phones();
      const devices = phones.flatMap((phone) => phone.devices);
      return devices.length === this.sessions.length && devices.every(({ connected }) => connected);
    });
  }

  /** Moves a session to another node: the one that holds it is drained, and may hold sessions again afterwards. */
  async move(clientId: string): Promise<void> {
    const { nodeId } = await this.lease(clientId);
    await this.cluster.nodes.drain(nodeId, true);
    await until('another node to have the session', async () => {
      const lease = await this.cluster.leases.holder(clientId);
      return lease !== undefined && lease.nodeId !== nodeId;
    });
    await this.connected();
    await this.cluster.nodes.drain(nodeId, false);
  }

  /** Resolves when no work is in flight: no journal entries, no open sends, nothing in the network. */
  async settled(): Promise<void> {
    await until('everything to be finished', async () => {
      const { waitingOffline, unacknowledged } = await this.phones.stats();
      const sends = await Promise.all(this.sessions.map(({ clientId }) => this.store.sends.open(clientId)));
      const open = await this.store.journal.countOpen();
      return waitingOffline + unacknowledged + open + sends.flat().length === 0;
    });
  }

  /** Frees everything. */
  async stop(): Promise<void> {
    await Promise.all(this.nodes.map((node) => node.destroy()));
    await this.sandbox.stop();
    await this.receiver.stop();
    await this.store.close();
    await this.#database.drop();
    await this.#folder.remove();
  }

  async #names(): Promise<Map<string, string>> {
    const nodes = await this.cluster.nodes.list(Number.MAX_SAFE_INTEGER);
    return new Map(nodes.map(({ nodeId, name }) => [nodeId, name]));
  }

  async #link(count: number): Promise<void> {
    const first = this.node(0);
    await first.start({ leaseSeconds: LEASE_SECONDS_FOR_LINKING });
    await this.phones.addPhone(BOB);
    const { phones, receiver } = this;
    const tail = await new TailReader().open(first.api.url, TOKEN);
    const world = { phones, receiver, api: first.api, tail };
    const people = Array.from({ length: count }, (_, index) => ({
      number: `+1555010${String(index).padStart(4, '0')}`,
      name: `Person ${index}`,
    }));
    this.sessions = await Promise.all(people.map((person, index) => linkSession(world, `s${index}`, person)));
    await tail.close();
    await first.stop();
  }
}

function prepareNodes(around: NodeSurroundings): Promise<ClusterNode[]> {
  const names = ['node-1', 'node-2', 'node-3'];
  return Promise.all(names.map((name) => ClusterNode.prepare(name, around)));
}

/** Milliseconds between two pings of a link, for a network that bears three seconds of silence. */
const PING_EVERY_MS = 750;

/** Where the world of a node is. */
export interface NodeSurroundings {
  /** Of the network. */
  sandboxPort: number;
  mongo: readonly [host: string, port: number];
  /** The store's URL by way of a relay. */
  storeBy(port: number): string;
  /** The settings of all nodes. */
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

  /** Creates a node without starting it. */
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

  /** Stops the node after it has handed over its sessions. */
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
