import { LRUCache } from 'lru-cache';

/**
 * A cache of at most so many entries, of which the least recently used goes first. Its memory grows with its entries: the
 * library's `max` reserves about 24 bytes for each possible entry from the start, in every session.
 */
export function boundedCache<Value extends object | string | number | boolean>(
  entries: number,
  options: Pick<LRUCache.Options<string, Value, unknown>, 'ttl' | 'perf' | 'dispose'> = {},
): LRUCache<string, Value> {
  return new LRUCache<string, Value>({ ...options, maxSize: entries, sizeCalculation: () => 1 });
}
