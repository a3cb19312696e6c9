import { LRUCache } from 'lru-cache';
import type { CommitLog } from './commits.js';

/** Bytes of a cached value beside what it holds, about. */
const AROUND = 250;

/**
 * Values of sessions that this process holds, as they are in the store: while a process holds a session, nobody else writes
 * them. What was cached under an earlier lease, or before a failure whose outcome is unknown, counts no more.
 */
export class HeldCache<V> {
  readonly #log: Pick<CommitLog, 'knowledgeOf'>;
  readonly #values: LRUCache<string, { knowledge: object; value: V }>;

  /**
   * @param maxBytes of all values together
   * @param sizeOf bytes of a value
   */
  constructor(log: Pick<CommitLog, 'knowledgeOf'>, maxBytes: number, sizeOf: (value: V) => number) {
    this.#log = log;
    this.#values = new LRUCache({
      maxSize: maxBytes,
      sizeCalculation: ({ value }, key) => AROUND + key.length + sizeOf(value),
    });
  }

  /** Undefined if the value is not known here. */
  get(clientId: string, key: string): V | undefined {
    const id = `${clientId} ${key}`;
    const cached = this.#values.get(id);
    if (!cached) return undefined;
    if (cached.knowledge === this.#log.knowledgeOf(clientId)) return cached.value;
    this.#values.delete(id);
    return undefined;
  }

  /** Keeps what was read or written, if nobody else can change it. */
  set(clientId: string, key: string, value: V): void {
    const knowledge = this.#log.knowledgeOf(clientId);
    if (knowledge) this.#values.set(`${clientId} ${key}`, { knowledge, value });
  }

  /** Drops a value; true if it was known here. */
  take(clientId: string, key: string): boolean {
    const isKnown = this.get(clientId, key) !== undefined;
    this.#values.delete(`${clientId} ${key}`);
    return isKnown;
  }

  /** Drops the values of a session. */
  forget(clientId: string): void {
    for (const key of this.#values.keys()) if (key.startsWith(`${clientId} `)) this.#values.delete(key);
  }

  clear(): void {
    this.#values.clear();
  }
}
