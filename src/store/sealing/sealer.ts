import type { KeyObject } from 'node:crypto';
import { GatewayError } from '../../domain/errors.js';
import type { DataKeys } from './data-keys.js';
import { type Place, seal, unseal } from './envelope.js';

/** Seals and opens the values of one session. */
export interface Sealer {
  seal(place: Place, plain: Uint8Array): Uint8Array;
  /** @throws GatewayError `store_unavailable` when the value was changed or moved */
  open(place: Place, sealed: Uint8Array): Uint8Array;
  /** Text to text. Empty text stays empty: there is nothing to hide. */
  sealText(place: Place, plain: string): string;
  openText(place: Place, sealed: string): string;
}

/** The sealers of all sessions. */
export interface Sealers {
  of(clientId: string): Promise<Sealer>;
  /** Asks the store at most once for many that are about to be needed. */
  readAhead(clientIds: readonly string[]): Promise<void>;
  /** To be called when the session has been deleted. */
  drop(clientId: string): void;
}

/**
 * Remembers each session's sealer: its data key never changes until the session is deleted.
 *
 * @param believedMs milliseconds for which it is believed that nobody else has deleted the session and made it anew
 */
export function rememberedSealers(dataKeys: DataKeys, believedMs: number): Sealers {
  const known = new Map<string, { sealer: Promise<Sealer>; until: number }>();
  /** What has been dropped since each reading of all keys began. */
  const readings = new Set<Set<string>>();
  const remember = (clientId: string, key: Promise<KeyObject>) => {
    const sealer = key.then((dataKey) => sealerOf(clientId, dataKey));
    known.set(clientId, { sealer, until: performance.now() + believedMs });
    // a failure is for this caller alone; the next one tries again
    sealer.catch(() => known.delete(clientId));
    return sealer;
  };
  const remembered = (clientId: string) => {
    const one = known.get(clientId);
    return one && performance.now() < one.until ? one.sealer : undefined;
  };
  return {
    of: (clientId) => remembered(clientId) ?? remember(clientId, dataKeys.of(clientId)),
    async readAhead(clientIds) {
      if (clientIds.filter((clientId) => !remembered(clientId)).length < 2) return;
      // what is dropped meanwhile may have been read before it was made anew
      const dropped = new Set<string>();
      readings.add(dropped);
      const keys = await dataKeys.all().finally(() => readings.delete(dropped));
      for (const [clientId, key] of keys) {
        if (!remembered(clientId) && !dropped.has(clientId)) void remember(clientId, Promise.resolve(key));
      }
    },
    drop(clientId) {
      known.delete(clientId);
      for (const dropped of readings) dropped.add(clientId);
    },
  };
}

function sealerOf(clientId: string, key: KeyObject): Sealer {
  const sealed = (place: Place, plain: Uint8Array) => seal(key, [clientId, ...place], plain);
  const opened = (place: Place, value: Uint8Array) => {
    try {
      return unseal(key, [clientId, ...place], value);
    } catch (cause) {
      const what = `A stored value of session ${clientId} (${place[0]}) cannot be decrypted`;
      throw new GatewayError('store_unavailable', `${what}: it is damaged, restore a backup.`, { cause });
    }
  };
  return {
    seal: sealed,
    open: opened,
    sealText: (place, plain) => plain && sealed(place, Buffer.from(plain)).toString('base64'),
    openText: (place, value) => value && opened(place, Buffer.from(value, 'base64')).toString(),
  };
}
