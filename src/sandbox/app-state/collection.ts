import { proto } from '@whiskeysockets/baileys';
import type { State } from '../state/state.js';

/** The groups in which the settings of an account are synchronised. */
export const COLLECTIONS = [
  'critical_block',
  'critical_unblock_low',
  'regular_high',
  'regular_low',
  'regular',
] as const;

export type CollectionName = (typeof COLLECTIONS)[number];

/** A device that lacks more is told that there is more, and asks again. */
const MAX_PATCHES_PER_ANSWER = 100;

export function isCollection(name: string | undefined): name is CollectionName {
  return COLLECTIONS.some((one) => one === name);
}

/** What a device lacks. */
export interface Arrears {
  /** Encoded `SyncdPatch`es, each with its version in it. */
  patches: Buffer[];
  hasMore: boolean;
}

/** One collection of an account as the network keeps it: it cannot read the patches, it only counts them. */
export class Collection {
  readonly #state: State;
  readonly #owner: string;
  readonly #patches: Buffer[] = [];

  /** @param owner its key in the kept state. */
  constructor(owner: string, state: State) {
    this.#owner = owner;
    this.#state = state;
  }

  get version(): number {
    return this.#patches.length;
  }

  /**
   * Takes a patch.
   * @param base the version that it was made for
   * @returns false when the collection has another version meanwhile
   */
  push(base: number, patch: proto.ISyncdPatch): boolean {
    if (base !== this.version) return false;
    const version = base + 1;
    const encoded = Buffer.from(proto.SyncdPatch.encode({ ...patch, version: { version } }).finish());
    this.#patches.push(encoded);
    const row = `${this.#owner}/${String(version).padStart(12, '0')}`;
    this.#state.put('app-state', row, () => encoded.toString('base64'));
    return true;
  }

  /** What a device at that version lacks. */
  since(version: number): Arrears {
    const patches = this.#patches.slice(version, version + MAX_PATCHES_PER_ANSWER);
    return { patches, hasMore: version + patches.length < this.version };
  }

  /** Puts back what was kept, in its order. */
  restore(encoded: string): void {
    this.#patches.push(Buffer.from(encoded, 'base64'));
  }
}
