import type { KeyObject } from 'node:crypto';
import { GatewayError } from '../../../domain/errors.js';
import type { DataKeys } from './data-keys.js';
import { type Place, seal, unseal } from './envelope.js';

/** Seals and opens the values of one session. */
export interface Sealer {
  seal(place: Place, plain: Uint8Array): Uint8Array;
  /** @throws GatewayError `store_damaged` if the value was changed or moved */
  open(place: Place, sealed: Uint8Array): Uint8Array;
  /** Text to base64. Empty text stays empty: who blanks a value deletes it. */
  sealText(place: Place, plain: string): string;
  openText(place: Place, sealed: string): string;
  /** The same for a text whose absence changes what somebody may do: it is sealed also when it is empty. */
  sealRight(place: Place, plain: string): string;
  openRight(place: Place, sealed: string): string;
}

/** The sealers of all sessions. */
export interface Sealers {
  of(clientId: string): Promise<Sealer>;
  /** Reads the data keys of many sessions in one request. */
  readAhead(clientIds: readonly string[]): Promise<void>;
  /** Forgets a session's key: call it after the session was deleted. */
  drop(clientId: string): void;
}

/**
 * Caches each session's sealer: a data key never changes until its session is deleted.
 *
 * @param cachedMs milliseconds, limited if another node can delete a session and create it anew
 */
export function cachedSealers(dataKeys: Pick<DataKeys, 'of' | 'all'>, cachedMs: number): Sealers {
  const known = new Map<string, { sealer: Promise<Sealer>; until: number }>();
  /** For each running `readAhead`, the sessions that were dropped since it started. */
  const readings = new Set<Set<string>>();
  const remember = (clientId: string, key: Promise<KeyObject>) => {
    const sealer = key.then((dataKey) => sealerOf(clientId, dataKey));
    known.set(clientId, { sealer, until: performance.now() + cachedMs });
    // do not cache a failure
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
      // the key of a session that is dropped meanwhile may be the deleted one
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
      throw new GatewayError('store_damaged', `${what}: it is damaged, restore a backup.`, { cause });
    }
  };
  return {
    seal: sealed,
    open: opened,
    sealText: (place, plain) => plain && sealed(place, Buffer.from(plain)).toString('base64'),
    openText: (place, value) => value && opened(place, Buffer.from(value, 'base64')).toString(),
    sealRight: (place, plain) => sealed(place, Buffer.from(plain)).toString('base64'),
    openRight: (place, value) => opened(place, Buffer.from(value, 'base64')).toString(),
  };
}
