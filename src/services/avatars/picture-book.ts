import { LRUCache } from 'lru-cache';
import type { PictureRecord, PictureStore } from '../../store/store.js';

/** Pictures kept at hand, over all sessions; the store has them all. */
const CACHED_PICTURES = 20_000;
/** Stands for a picture that nobody has asked for yet. */
const UNASKED = 'unasked';

/** What was told of pictures, from memory where possible: every event asks for one. */
export class PictureBook {
  readonly #store: PictureStore;
  readonly #cache = new LRUCache<string, PictureRecord | typeof UNASKED>({ max: CACHED_PICTURES });

  constructor(store: PictureStore) {
    this.#store = store;
  }

  async get(clientId: string, jid: string, preview: boolean): Promise<PictureRecord | undefined> {
    const key = keyOf(clientId, jid, preview);
    const cached = this.#cache.get(key);
    if (cached) return cached === UNASKED ? undefined : cached;
    const found = await this.#store.get(clientId, jid, preview);
    // what was put meanwhile is newer
    if (!this.#cache.has(key)) this.#cache.set(key, found ?? UNASKED);
    return found;
  }

  async put(clientId: string, picture: PictureRecord): Promise<void> {
    await this.#store.put(clientId, picture);
    this.#cache.set(keyOf(clientId, picture.jid, picture.preview), picture);
  }

  /** Forgets a session's pictures here; the store's are deleted with the session. */
  forget(clientId: string): void {
    for (const key of this.#cache.keys()) if (key.startsWith(`${clientId} `)) this.#cache.delete(key);
  }
}

function keyOf(clientId: string, jid: string, preview: boolean): string {
  return `${clientId} ${jid} ${preview ? 'preview' : 'full'}`;
}
