import type { SessionRecord, SessionStore } from '../../store/store.js';

type Changes = Partial<Omit<SessionRecord, 'clientId'>>;

/** Writes a session's record in order; what a store that is away does not take is written with the next change. */
export class RecordWriter {
  readonly #clientId: string;
  readonly #sessions: Pick<SessionStore, 'update'>;
  #writes: Promise<unknown> = Promise.resolve();
  /** Changes that the store does not have yet. */
  #unsaved: Changes = {};

  constructor(clientId: string, sessions: Pick<SessionStore, 'update'>) {
    this.#clientId = clientId;
    this.#sessions = sessions;
  }

  /** Resolves when it is in the store. */
  write(changes: Changes): Promise<unknown> {
    Object.assign(this.#unsaved, changes);
    this.#writes = this.#writes.catch(() => undefined).then(() => this.#save());
    return this.#writes;
  }

  /** Resolves when everything is in the store, or was tried once more. */
  async flush(): Promise<void> {
    await this.#writes.catch(() => this.#save()).catch(() => undefined);
  }

  /** Resolves, or rejects, when nothing is being written. */
  idle(): Promise<unknown> {
    return this.#writes;
  }

  async #save(): Promise<void> {
    const changes = this.#unsaved;
    if (Object.keys(changes).length === 0) return;
    this.#unsaved = {};
    try {
      await this.#sessions.update(this.#clientId, changes);
    } catch (error) {
      this.#unsaved = { ...changes, ...this.#unsaved };
      throw error;
    }
  }
}
