import type { SandboxClient } from '../../../src/sandbox/client.js';
import type { RawRole } from '../roles/raw.js';
import type { Worker } from './worker.js';

/** The bare library, in a process that does nothing else. */
export class RawSide {
  readonly worker: Worker<RawRole>;
  readonly #phones: SandboxClient;

  constructor(worker: Worker<RawRole>, phones: SandboxClient) {
    this.worker = worker;
    this.#phones = phones;
  }

  /** Links a number. */
  async link(number: string): Promise<void> {
    await this.#phones.scan(number, await this.worker.ask('qr', { number }));
    await this.worker.ask('opened', { number });
  }

  async end(): Promise<void> {
    await this.worker.stop();
  }
}
