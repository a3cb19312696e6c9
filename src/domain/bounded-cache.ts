import { LRUCache } from 'lru-cache';

/**
 * A cache with a limit of entries, which evicts the least recently used one. Memory grows with the entries, because the
 * library's `max` option would reserve about 24 bytes for each possible entry from the start, in every session.
 */
export function boundedCache<Value extends object | string | number | boolean>(
  entries: number,
  options: Pick<LRUCache.Options<string, Value, unknown>, 'ttl' | 'perf' | 'dispose'> = {},
): LRUCache<string, Value> {
  return new LRUCache<string, Value>({ ...options, maxSize: entries, sizeCalculation: () => 1 });
}
