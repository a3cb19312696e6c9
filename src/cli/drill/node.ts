import { extname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { type RawSettings, SETTING_NAMES, SETTINGS } from '../../config/schema.js';
import { systemClock, wait } from '../../domain/clock.js';
import { DaemonClient } from '../client.js';
import type { Command } from './command.js';
import { cleanEnvironment, Program } from './program.js';
import type { Reaper } from './reaper.js';
import { freePort, startTcpProxy, type TcpProxy } from './tcp-proxy.js';

/** A daemon that ended although the drill had not ended it. */
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
  /** The store: its server, and its URL by way of a port of this machine; undefined for SQLite. */
  store:
    | { direct: string; host: string; port: number; urlBy: ((port: number) => string) | undefined }
    | undefined;
  settings: RawSettings;
}

/** Milliseconds for an orderly stop; a node of several hands its sessions over first. */
const STOP_MS = 90_000;
/** Milliseconds after which a supervisor starts a daemon again that ended by itself. */
const SUPERVISOR_MS = 1_000;

/** A daemon in a process of its own, with a relay on its way to the network and one on its way to the store. */
export class DrillNode {
  readonly name: string;
  readonly client: DaemonClient;
  readonly dataDir: string;
  /** Its way to the network. */
  readonly wire: TcpProxy;
  /** Its way to the server of the store, if there is one that a relay can stand before. */
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

  /** The id of its process; undefined while it does not run. */
  get pid(): number | undefined {
    return this.#program?.pid;
  }

  /** Resolves when it listens. @param clockShiftMs how far its wall clock is ahead */
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

  /** SIGKILL. Resolves when it is gone. */
  async kill(): Promise<void> {
    await this.#take()?.kill();
  }

  /** SIGTERM. Resolves when it has ended. */
  async stop(): Promise<void> {
    await this.#take()?.stop(STOP_MS);
  }

  /** SIGSTOP. */
  freeze(): void {
    this.#program?.signal('SIGSTOP');
  }

  /** SIGCONT. */
  wake(): void {
    this.#program?.signal('SIGCONT');
  }

  /** Lets every write to a file fail, or no longer. */
  async refuseFiles(refused: boolean): Promise<void> {
    const program = this.#program;
    if (program?.runs) await program.limitFiles(refused ? 0 : 'unlimited');
  }

  /** Kills it and frees its relays. */
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

  /** Starts it again after an end that nobody asked for, as a supervisor does. */
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

/** The settings as environment variables, beside what every program needs. */
function environmentOf(settings: RawSettings): NodeJS.ProcessEnv {
  const named = SETTING_NAMES.flatMap((name) =>
    settings[name] === undefined ? [] : [[SETTINGS[name].env, String(settings[name])]],
  );
  return { ...cleanEnvironment(), ...Object.fromEntries(named) };
}

/** URL of the module that moves the clock of a daemon; of its source when the command runs from sources. */
function shiftedClock(): string {
  const own = fileURLToPath(import.meta.url);
  return pathToFileURL(join(own, '..', `shifted-clock${extname(own)}`)).href;
}
