import type { SandboxClient } from '../../../src/sandbox/client.js';
import type { RawRole } from '../roles/raw.js';
import type { Worker } from './worker.js';

/** The bare library, in a process that does nothing else. */
export class RawSide {
  readonly worker: Worker<RawRole>;
  readonly #phones: SandboxClient;

  readonly #folder: string;

  /** @param folder where it keeps keys; empty: in memory */
  constructor(worker: Worker<RawRole>, phones: SandboxClient, folder: string) {
    this.worker = worker;
    this.#phones = phones;
    this.#folder = folder;
  }

  /** Links a number. */
  async link(number: string): Promise<void> {
    await this.#phones.scan(number, await this.worker.ask('qr', { number, folder: this.#folder }));
    await this.worker.ask('opened', { number });
  }

  async end(): Promise<void> {
    await this.worker.stop();
  }
}
