import { type Clock, wait } from '../../domain/clock.js';
import type { SessionRecord, SessionStore } from '../../store/store.js';
import type { SessionView } from '../services.js';
import type { ApiSecretHasher } from './api-secret.js';
import type { Session } from './session.js';
import { sessionView } from './views.js';

/** Milliseconds between two looks at the secrets of all sessions: whoever tries wrong ones must not keep the store busy. */
const LOOK_MS = 1_000;

export interface DirectoryOptions {
  store: { sessions: Pick<SessionStore, 'get' | 'list'> };
  /** The sessions of this node: their records are newer than what the store has. */
  own(): ReadonlyMap<string, Session>;
  /** Other nodes may hold sessions of the same store. */
  shared: boolean;
  hasher: ApiSecretHasher;
  clock: Clock;
}

/** All sessions, wherever they are held. */
export class SessionDirectory {
  readonly #options: DirectoryOptions;
  #known: readonly SessionRecord[] = [];
  #lookedAt = Number.NEGATIVE_INFINITY;
  #look: Promise<void> | undefined;

  constructor(options: DirectoryOptions) {
    this.#options = options;
  }

  /** By clientId; only one when it is named. @throws GatewayError store_unavailable */
  async list(only?: string): Promise<SessionView[]> {
    const { own, shared } = this.#options;
    const records = new Map<string, SessionRecord>();
    for (const record of shared ? await this.#stored(only) : []) records.set(record.clientId, record);
    for (const { record } of own().values()) records.set(record.clientId, record);
    return [...records.values()]
      .filter(({ clientId }) => only === undefined || clientId === only)
      .sort((a, b) => (a.clientId < b.clientId ? -1 : 1))
      .map((record) => sessionView({ record }));
  }

  /** The session that a per-session secret belongs to. @throws GatewayError store_unavailable */
  async ofSecret(secret: string): Promise<string | undefined> {
    const { own, shared, hasher } = this.#options;
    const matches = hasher.matcher(secret);
    const find = (records: Iterable<SessionRecord>): string | undefined => {
      let found: string | undefined;
      // no early end: the time must not tell how many sessions stand before the right one
      for (const { clientId, apiSecretHash } of records) if (matches(apiSecretHash)) found = clientId;
      return found;
    };
    const here = find([...own().values()].map(({ record }) => record));
    if (here !== undefined || !shared) return here;
    const known = find(this.#known) ?? (await this.#lookAgain().then(() => find(this.#known)));
    if (known === undefined) return undefined;
    // its owner may have changed it since
    const record = await this.#options.store.sessions.get(known);
    return record && matches(record.apiSecretHash) ? known : undefined;
  }

  async #stored(only: string | undefined): Promise<SessionRecord[]> {
    const { sessions } = this.#options.store;
    if (only === undefined) return sessions.list();
    const record = await sessions.get(only);
    return record ? [record] : [];
  }

  /** Resolves when all sessions have been looked at anew; who comes while that waits for its time waits with it. */
  #lookAgain(): Promise<void> {
    this.#look ??= this.#lookInTime().finally(() => {
      this.#look = undefined;
    });
    return this.#look;
  }

  async #lookInTime(): Promise<void> {
    const { clock, store } = this.#options;
    await wait(clock, Math.max(0, this.#lookedAt + LOOK_MS - clock.now()));
    this.#lookedAt = clock.now();
    this.#known = (await store.sessions.list()).filter(({ apiSecretHash }) => apiSecretHash !== '');
  }
}
