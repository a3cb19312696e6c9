import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SandboxClient } from '../../../src/client/sandbox/client.js';
import type { GatewayRole } from '../roles/gateway.js';
import type { RawRole } from '../roles/raw.js';
import type { SandboxRole } from '../roles/sandbox.js';
import { type DaemonSettings, GatewaySide, RawSide } from './sides.js';
import { Worker } from './worker.js';

/** The sandbox network in a process of its own, and the means to set up both sides against it. */
export class Lab {
  readonly sandbox: Worker<SandboxRole>;
  readonly phones: SandboxClient;
  /** The network's WebSocket, and the key that signs its certificate, in base64. */
  readonly network: { wsUrl: string; rootKey: string };
  readonly #cleanup: (() => Promise<unknown>)[] = [];
  readonly #profiles;
  #people = 0;

  private constructor(
    sandbox: Worker<SandboxRole>,
    network: { url: string; wsUrl: string; rootKey: string },
    profiles: string | undefined,
  ) {
    this.#profiles = profiles;
    this.sandbox = sandbox;
    this.phones = new SandboxClient(network.url);
    this.network = { wsUrl: network.wsUrl, rootKey: network.rootKey };
  }

  /** @param profiles folder for CPU profiles of the gateways */
  static async open(profiles?: string): Promise<Lab> {
    const sandbox = new Worker<SandboxRole>('sandbox');
    return new Lab(sandbox, await sandbox.ask('start', {}), profiles);
  }

  /**
   * A gateway in a process and a folder of its own.
   * @param prepare makes its store before it starts, and says what else it is started with
   */
  async gateway(
    prepare: (dataDir: string) => Promise<Omit<DaemonSettings, 'wsUrl' | 'dataDir'>> = async () => ({}),
  ): Promise<GatewaySide> {
    const dataDir = await this.#folder();
    const store = await prepare(dataDir);
    const make = () => new Worker<GatewayRole>('gateway', this.#profiles);
    const side = new GatewaySide(make, this.phones, { wsUrl: this.network.wsUrl, dataDir, ...store });
    this.#cleanup.push(() => side.end());
    await side.start();
    return side;
  }

  /** The bare library in a process of its own, with its keys in memory or in files. */
  async raw(keys: 'memory' | 'files' = 'memory'): Promise<RawSide> {
    const folder = keys === 'files' ? await this.#folder() : '';
    const worker = new Worker<RawRole>('raw');
    const side = new RawSide(worker, this.phones, folder);
    this.#cleanup.push(() => side.end());
    await worker.ask('use', this.network);
    return side;
  }

  /** A new person with a phone. */
  async person(name: string): Promise<{ number: string; lid: string }> {
    const number = `+1555${String(++this.#people).padStart(7, '0')}`;
    const { lid } = await this.phones.addPhone({ number, name });
    return { number, lid };
  }

  async #folder(): Promise<string> {
    const path = await mkdtemp(join(tmpdir(), 'switchboard-bench-'));
    this.#cleanup.push(() => rm(path, { recursive: true, force: true }));
    return path;
  }

  /** Ends every process and removes every folder. */
  async close(): Promise<void> {
    for (const step of this.#cleanup.splice(0).reverse()) await step();
    await this.sandbox.stop();
  }
}
