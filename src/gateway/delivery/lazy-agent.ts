import type { Agent, Dispatcher } from 'undici';
import type { guardedAgent } from './guarded-agent.js';

/**
 * Connections to addresses that an API caller chose. The HTTP library is loaded with the first call: it would cost a
 * tenth of memory and start time of a daemon that makes no calls.
 */
export class LazyAgent {
  readonly #options: Parameters<typeof guardedAgent>[0];
  #agent: Promise<Agent> | undefined;
  #isDestroyed = false;

  constructor(options: Parameters<typeof guardedAgent>[0]) {
    this.#options = options;
  }

  /** @throws Error as the library, and after `destroy` */
  async request(options: Dispatcher.RequestOptions): Promise<Dispatcher.ResponseData> {
    if (this.#isDestroyed) throw new Error('aborted because the gateway stops');
    this.#agent ??= this.#open();
    return (await this.#agent).request(options);
  }

  /** Aborts calls in flight and closes all connections. */
  async destroy(): Promise<void> {
    this.#isDestroyed = true;
    await (await this.#agent)?.destroy();
  }

  async #open(): Promise<Agent> {
    const library = await import('./guarded-agent.js');
    return library.guardedAgent(this.#options);
  }
}
