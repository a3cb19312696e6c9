import { setImmediate } from 'node:timers/promises';
import PQueue from 'p-queue';
import type { Logger } from '../../log.js';
import type { Contacts, Learnt } from '../contacts.js';

export interface ContactNewsOptions {
  contacts: Pick<Contacts, 'learn'>;
  log: Logger;
}

/**
 * What links tell of people: learnt in its order, one after another for each session. The members of all groups of a number
 * come at once and are thousands; a store that answers at once would otherwise keep everybody else waiting.
 */
export class ContactNews {
  readonly #options: ContactNewsOptions;
  readonly #queues = new Map<string, PQueue>();
  /** Sessions of which nothing more comes. */
  readonly #finishing = new Set<string>();
  #isStopping = false;

  constructor(options: ContactNewsOptions) {
    this.#options = options;
  }

  note(clientId: string, learnt: Learnt): void {
    let queue = this.#queues.get(clientId);
    if (!queue) {
      queue = new PQueue({ concurrency: 1 });
      this.#queues.set(clientId, queue);
      queue.once('idle', () => this.#queues.delete(clientId));
    }
    void queue.add(() => this.#learn(clientId, learnt));
  }

  /** The session is being deleted: nothing more is learnt for it once this has resolved. */
  async end(clientId: string): Promise<void> {
    const queue = this.#queues.get(clientId);
    queue?.clear();
    await queue?.onIdle();
  }

  /** Resolves when everything of a session is learnt, but for the members of groups: they are told again to whoever has it next. */
  async finish(clientId: string): Promise<void> {
    this.#finishing.add(clientId);
    await this.#queues.get(clientId)?.onIdle();
    this.#finishing.delete(clientId);
  }

  /** Resolves when everything is learnt, but for the members of groups: they are told again. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    await Promise.all([...this.#queues.values()].map((queue) => queue.onIdle()));
  }

  /** Never rejects. */
  async #learn(clientId: string, learnt: Learnt): Promise<void> {
    const { contacts, log } = this.#options;
    const isEnding = this.#isStopping || this.#finishing.has(clientId);
    if (isEnding && learnt.source === 'group') return;
    await setImmediate();
    await contacts
      .learn(clientId, learnt)
      .catch((err: unknown) => log.warn({ err, clientId }, 'contact not kept'));
  }
}
