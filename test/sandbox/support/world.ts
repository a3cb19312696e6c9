import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SandboxClient } from '../../../src/client/sandbox/client.js';
import { type Sandbox, type SandboxOptions, startSandbox } from '../../../src/sandbox/index.js';
import { compiledProgram } from '../../support/compiled.js';
import { BaileysDevice } from './baileys-device.js';

export const ALICE = '+15550000001';
export const BOB = '+15550000002';
export const CAROL = '+15550000003';

/** A sandbox with Alice's, Bob's and Carol's phones, and the Baileys clients that a test connects to it. */
export class SandboxWorld {
  sandbox!: Sandbox;
  client!: SandboxClient;
  readonly #devices: BaileysDevice[] = [];
  #options: SandboxOptions = {};
  #folder?: string;

  async open(options: SandboxOptions = {}): Promise<void> {
    this.#options = options;
    await this.#start();
    await this.client.addPhone({ number: ALICE, name: 'Alice' });
    await this.client.addPhone({ number: BOB, name: 'Bob' });
    await this.client.addPhone({ number: CAROL, name: 'Carol' });
  }

  /** Opens a world that keeps its state in a folder of its own. */
  async openKept(): Promise<void> {
    this.#folder = await mkdtemp(join(tmpdir(), 'sandbox-'));
    await this.open({ dataDir: this.#folder });
  }

  /** Stops the sandbox and starts another one on the same state. */
  async restart(): Promise<void> {
    await this.sandbox.stop();
    await this.#start();
  }

  /** Starts another sandbox on the same state, at the same time. */
  startSecond(): Promise<Sandbox> {
    return startSandbox(this.#options);
  }

  /** Replaces the sandbox by one in a process of its own, on the same state. @returns what kills it. */
  async startProcess(): Promise<() => Promise<void>> {
    await this.sandbox.stop();
    const script = new URL('sandbox-process.ts', import.meta.url);
    const child = spawn(process.execPath, [compiledProgram(script), this.#folder ?? ''], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const [line] = await once(child.stdout, 'data');
    const kill = async () => {
      const exit = once(child, 'exit');
      child.kill('SIGKILL');
      await exit;
    };
    this.sandbox = {
      ...JSON.parse(String(line)),
      rootKey: this.sandbox.rootKey,
      stop: async () => undefined,
    };
    this.client = new SandboxClient(this.sandbox.url);
    return kill;
  }

  device(config?: ConstructorParameters<typeof BaileysDevice>[1]): BaileysDevice {
    const device = new BaileysDevice(this.sandbox.wsUrl, config);
    this.#devices.push(device);
    return device;
  }

  /** A client that is linked to a phone by QR and logged in. */
  async linked(
    number: string,
    config?: ConstructorParameters<typeof BaileysDevice>[1],
  ): Promise<BaileysDevice> {
    const device = this.device(config);
    const qr = await device.qr();
    const closed = device.closed();
    await this.client.scan(number, qr);
    await closed;
    await device.connect();
    await device.synced();
    return device;
  }

  async close(): Promise<void> {
    await Promise.all(this.#devices.splice(0).map((device) => device.stop()));
    await this.sandbox.stop();
    if (this.#folder) await rm(this.#folder, { recursive: true, force: true });
    this.#folder = undefined;
  }

  async #start(): Promise<void> {
    this.sandbox = await startSandbox({ checkAnswers: true, ...this.#options });
    this.client = new SandboxClient(this.sandbox.url);
  }
}

/** The phone-number jid of a number. */
export function pnJid(number: string): string {
  return `${number.slice(1)}@s.whatsapp.net`;
}

/** The network's code for why a query was refused; 200 when it was answered. */
export async function codeOf(query: Promise<unknown>): Promise<unknown> {
  try {
    await query;
    return 200;
  } catch (error) {
    return error instanceof Error && 'data' in error ? error.data : error;
  }
}
