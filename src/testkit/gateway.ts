import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { isObject, type JsonObject } from '../domain/json.js';
import type { RawSettings } from '../gateway/config/schema.js';

/** Settings of the gateway by the names in docs/settings.md, without those that the kit chooses. */
export type GatewaySettings = Omit<
  RawSettings,
  'dataDir' | 'encryptionKey' | 'host' | 'network' | 'port' | 'store' | 'token' | 'workers'
>;

/**
 * The simulated network and the gateway, in a thread of the test's process. They need a thread, because the protocol
 * library leaves timers behind that would keep the process alive for half a minute, replaces functions of `console`, and
 * would stop under fake timers of a test runner.
 */
export class GatewayThread {
  readonly url: string;
  readonly sandboxUrl: string;
  readonly #worker: Worker;
  readonly #folder: string;

  private constructor(worker: Worker, folder: string, url: string, sandboxUrl: string) {
    this.#worker = worker;
    this.#folder = folder;
    this.url = url;
    this.sandboxUrl = sandboxUrl;
  }

  /** @throws Error with the reason why the gateway does not start, such as a wrong setting */
  static async start(token: string, settings: GatewaySettings): Promise<GatewayThread> {
    const dataDir = await mkdtemp(join(tmpdir(), 'switchboard-testkit-'));
    const workerData = { logLevel: 'silent', ...settings, dataDir, token, host: '127.0.0.1', port: 0 };
    // do not inherit the loaders of a test runner
    const options = { workerData, execArgv: [] };
    const worker = new Worker(new URL('./gateway-thread.js', import.meta.url), options);
    try {
      const { url, sandboxUrl, problem } = await nextMessage(worker);
      if (problem !== undefined) throw new Error(`the gateway did not start: ${problem}`);
      return new GatewayThread(worker, dataDir, String(url), String(sandboxUrl));
    } catch (error) {
      await worker.terminate();
      await rm(dataDir, { recursive: true, force: true });
      throw error;
    }
  }

  /** Ends the gateway and the network, and deletes their data. */
  async stop(): Promise<void> {
    const stopped = nextMessage(this.#worker);
    this.#worker.postMessage('stop');
    try {
      await stopped;
    } finally {
      await this.#worker.terminate();
      await rm(this.#folder, { recursive: true, force: true });
    }
  }
}

function nextMessage(worker: Worker): Promise<JsonObject> {
  return new Promise((resolve, reject) => {
    const settle = (act: () => void) => {
      worker.off('message', take).off('error', reject).off('exit', end);
      act();
    };
    const take = (message: unknown) => settle(() => resolve(isObject(message) ? message : {}));
    const end = (code: number) =>
      settle(() => reject(new Error(`the thread of the gateway ended with ${code}`)));
    worker.once('message', take).once('error', reject).once('exit', end);
  });
}
