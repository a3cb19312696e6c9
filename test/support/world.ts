import { randomBytes } from 'node:crypto';
import { loadConfig } from '../../src/config/index.js';
import type { RawSettings } from '../../src/config/schema.js';
import { createDaemon, type Daemon, type DaemonOverrides } from '../../src/daemon.js';
import { createLog } from '../../src/log.js';
import { SandboxClient } from '../../src/sandbox/client.js';
import type { Sandbox } from '../../src/sandbox/index.js';
import { startSandbox } from '../../src/sandbox/index.js';
import { openStore } from '../../src/store/open.js';
import type { Store } from '../../src/store/store.js';
import { Api } from './api.js';
import { startReceiver, type TestReceiver } from './receiver.js';
import { makeStorePlace } from './store-place.js';
import { TailReader } from './tail-reader.js';
import { makeTempDir } from './temp-dir.js';

/** The master token of test daemons. */
export const TOKEN = 'test-master-token-0123456789';

const ENCRYPTION_KEY = randomBytes(32);

/** A sandbox network, a daemon that uses it, and a webhook receiver: all real, on free ports and in a fresh folder. */
export interface World {
  sandbox: Sandbox;
  phones: SandboxClient;
  receiver: TestReceiver;
  dataDir: string;
  daemon: Daemon;
  api: Api;
  tail: TailReader;
  /** Looks into the store; the daemon must be stopped. */
  inspect<T>(look: (store: Store) => Promise<T>): Promise<T>;
  /** Stops the daemon and starts it again on the same data. */
  restartDaemon(): Promise<void>;
  /** Stops the daemon only. */
  stopDaemon(): Promise<void>;
  /** Starts the daemon again. */
  startDaemon(): Promise<void>;
  stop(): Promise<void>;
}

export interface WorldOptions {
  settings?: RawSettings;
  overrides?: DaemonOverrides;
}

/** Delays between attempts to connect that no test has to wait for. */
export const QUICK_BACKOFF = { baseMs: 20, capMs: 200, random: () => 0.5 };

export async function startWorld(options: WorldOptions = {}): Promise<World> {
  const folder = await makeTempDir();
  const dataDir = folder.path;
  const sandbox = await startSandbox({ port: 0 });
  const receiver = await startReceiver();
  const place = await makeStorePlace();
  const start = () => startDaemon(dataDir, sandbox, place.setting, options);
  const daemon = await start();
  const world: World = {
    sandbox,
    phones: new SandboxClient(sandbox.url),
    receiver,
    dataDir,
    daemon,
    api: new Api(daemon.url, TOKEN),
    tail: await new TailReader().open(daemon.url, TOKEN),
    async inspect(look) {
      const store = await openStore({ url: place.setting, dataDir, encryptionKey: ENCRYPTION_KEY });
      try {
        return await look(store);
      } finally {
        await store.close();
      }
    },
    async stopDaemon() {
      await world.tail.close();
      await world.daemon.stop();
    },
    async startDaemon() {
      world.daemon = await start();
      world.api = new Api(world.daemon.url, TOKEN);
      world.tail = await new TailReader().open(world.daemon.url, TOKEN);
    },
    async restartDaemon() {
      await world.stopDaemon();
      await world.startDaemon();
    },
    async stop() {
      await world.stopDaemon();
      await sandbox.stop();
      await receiver.stop();
      await place.drop();
      await folder.remove();
    },
  };
  return world;
}

async function startDaemon(
  dataDir: string,
  sandbox: Sandbox,
  store: string,
  { settings, overrides }: WorldOptions,
): Promise<Daemon> {
  const config = await loadConfig({
    flags: {
      port: 0,
      network: `sandbox+${sandbox.wsUrl}`,
      token: TOKEN,
      nodeName: 'node-1',
      dataDir,
      store,
      encryptionKey: ENCRYPTION_KEY.toString('hex'),
      ...settings,
    },
    env: {},
    defaultDataDir: dataDir,
  });
  const log = createLog({ level: process.env.TEST_LOG ?? 'silent', pretty: false });
  return createDaemon(config, { log, backoff: QUICK_BACKOFF, ...overrides });
}
