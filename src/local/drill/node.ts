import { extname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { systemClock, wait } from '../../domain/clock.js';
import { type RawSettings, SETTING_NAMES, SETTINGS } from '../../gateway/config/schema.js';
import { DaemonClient } from '../../terminal/cli/client.js';
import type { Command } from './command.js';
import { cleanEnvironment, Program } from './program.js';
import type { Reaper } from './reaper.js';
import { freePort, startTcpProxy, type TcpProxy } from './tcp-proxy.js';

/** A daemon that ended by itself. */
export interface UnexpectedEnd {
  node: string;
  at: number;
  /** Exit code or signal. */
  end: string;
}

export interface NodeOptions {
  name: string;
  command: Command;
  reaper: Reaper;
  /** Folder for its data, and for logs. */
  folder: string;
  logs: string;
  token: string;
  sandboxPort: number;
  /** The MongoDB: its server, and its URL through a local port; undefined for SQLite. */
  store:
    | { direct: string; host: string; port: number; urlBy: ((port: number) => string) | undefined }
    | undefined;
  settings: RawSettings;
}

/** Milliseconds for an orderly stop; in a cluster the node first hands its sessions over. */
const STOP_MS = 90_000;
/** Milliseconds after which the supervisor restarts a daemon that ended by itself. */
const SUPERVISOR_MS = 1_000;

/** A daemon in a process of its own, with one relay to the network and one to the store. */
export class DrillNode {
  readonly name: string;
  readonly client: DaemonClient;
  readonly dataDir: string;
  /** Relay to the network. */
  readonly wire: TcpProxy;
  /** Relay to the MongoDB server, if a relay is possible. */
  readonly storeWire: TcpProxy | undefined;
  /** Daemons that ended by themselves; each was started again. */
  readonly ends: UnexpectedEnd[] = [];
  readonly #options: NodeOptions;
  readonly #environment: NodeJS.ProcessEnv;
  #program: Program | undefined;
  #isClosed = false;

  private constructor(
    options: NodeOptions,
    parts: Pick<DrillNode, 'client' | 'dataDir' | 'wire' | 'storeWire'>,
    environment: NodeJS.ProcessEnv,
  ) {
    this.name = options.name;
    this.client = parts.client;
    this.dataDir = parts.dataDir;
    this.wire = parts.wire;
    this.storeWire = parts.storeWire;
    this.#options = options;
    this.#environment = environment;
  }

  /** Prepares a node without starting it. */
  static async prepare(options: NodeOptions): Promise<DrillNode> {
    const { name, folder, token, sandboxPort, store, settings } = options;
    const port = await freePort();
    const wire = await startTcpProxy('127.0.0.1', sandboxPort);
    const storeWire = store?.urlBy && (await startTcpProxy(store.host, store.port));
    const storeUrl = storeWire && store?.urlBy ? store.urlBy(storeWire.port) : (store?.direct ?? 'sqlite');
    const url = `http://127.0.0.1:${port}`;
    const dataDir = join(folder, name);
    const environment = environmentOf({
      ...settings,
      host: '127.0.0.1',
      port,
      dataDir,
      token,
      store: storeUrl,
      network: `sandbox+ws://127.0.0.1:${wire.port}/ws/chat`,
      nodeName: name,
      nodeUrl: store ? url : '',
      publicUrl: 'http://gateway.example',
      logLevel: 'warn',
    });
    const client = new DaemonClient({ url, token });
    return new DrillNode(options, { client, dataDir, wire, storeWire }, environment);
  }

  /** The process id; undefined while the daemon does not run. */
  get pid(): number | undefined {
    return this.#program?.pid;
  }

  /** Starts the daemon; resolves when it listens. @param clockShiftMs milliseconds by which its wall clock is ahead */
  async start(clockShiftMs = 0): Promise<void> {
    const { command, logs, name, reaper } = this.#options;
    const shifted = clockShiftMs === 0 ? [] : ['--import', shiftedClock()];
    const program = await Program.start({
      name,
      command: process.execPath,
      args: [...command.execArgv, ...shifted, command.script, 'start', '--json'],
      env: { ...this.#environment, DRILL_CLOCK_SHIFT_MS: String(clockShiftMs) },
      ...{ logs, reaper },
      ready: /^\{"url":/,
    });
    this.#program = program;
    void this.#superviseEnd(program);
  }

  /** Kills the daemon with SIGKILL; resolves when it has ended. */
  async kill(): Promise<void> {
    await this.#take()?.kill();
  }

  /** Stops the daemon with SIGTERM; resolves when it has ended. */
  async stop(): Promise<void> {
    await this.#take()?.stop(STOP_MS);
  }

  /** Freezes the daemon with SIGSTOP. */
  freeze(): void {
    this.#program?.signal('SIGSTOP');
  }

  /** Continues a frozen daemon with SIGCONT. */
  wake(): void {
    this.#program?.signal('SIGCONT');
  }

  /** Makes every write to a file fail, or succeed again. */
  async refuseFiles(refused: boolean): Promise<void> {
    const program = this.#program;
    if (program?.runs) await program.limitFiles(refused ? 0 : 'unlimited');
  }

  /** Kills the daemon and frees its relays. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.kill();
    await Promise.all([this.wire.stop(), this.storeWire?.stop()]);
  }

  #take(): Program | undefined {
    const program = this.#program;
    this.#program = undefined;
    return program;
  }

  /** Restarts the daemon after an unexpected end, like a supervisor. */
  async #superviseEnd(program: Program): Promise<void> {
    await program.ended();
    while (this.#program === program && !this.#isClosed) {
      this.ends.push({ node: this.name, at: Date.now(), end: program.end });
      await wait(systemClock, SUPERVISOR_MS);
      if (this.#program !== program || this.#isClosed) return;
      await this.start().catch(() => undefined);
    }
  }
}

/** The environment of a daemon: its settings, and what every program needs. */
function environmentOf(settings: RawSettings): NodeJS.ProcessEnv {
  const named = SETTING_NAMES.flatMap((name) =>
    settings[name] === undefined ? [] : [[SETTINGS[name].env, String(settings[name])]],
  );
  return { ...cleanEnvironment(), ...Object.fromEntries(named) };
}

/** URL of the module that shifts the clock of a daemon: its source, if the command runs from sources. */
function shiftedClock(): string {
  const own = fileURLToPath(import.meta.url);
  return pathToFileURL(join(own, '..', `shifted-clock${extname(own)}`)).href;
}
