import { proto } from '@whiskeysockets/baileys';
import type { State } from '../../store/state.js';

/** The collections in which settings are synchronised. */
export const COLLECTIONS = [
  'critical_block',
  'critical_unblock_low',
  'regular_high',
  'regular_low',
  'regular',
] as const;

export type CollectionName = (typeof COLLECTIONS)[number];

/** A device that lacks more patches gets `has_more_patches` and asks again. */
const MAX_PATCHES_PER_ANSWER = 100;
/** Beyond this the older half of the patches becomes one snapshot. */
const MAX_PATCHES = 200;
const SNAPSHOT_ROW = 'snapshot';

export function isCollection(name: string | undefined): name is CollectionName {
  return COLLECTIONS.some((one) => one === name);
}

/** The patches that a device lacks. */
export interface MissingPatches {
  /** Encoded `SyncdSnapshot` to start from, for a device that is far behind. */
  snapshot?: Buffer;
  /** Encoded `SyncdPatch`es, each with its version in it. */
  patches: Buffer[];
  hasMore: boolean;
}

/** One collection of an account as the network stores it, encrypted. */
export class Collection {
  readonly #state: State;
  readonly #owner: string;
  /** The version of the snapshot; older patches are gone. */
  #base = 0;
  #snapshot?: Buffer;
  #patches: Buffer[] = [];

  /** @param owner prefix of the stored rows */
  constructor(owner: string, state: State) {
    this.#owner = owner;
    this.#state = state;
  }

  get version(): number {
    return this.#base + this.#patches.length;
  }

  /**
   * Adds a patch.
   * @param base the version that the patch was made for
   * @returns false when the collection has another version
   */
  push(base: number, patch: proto.ISyncdPatch): boolean {
    if (base !== this.version) return false;
    const version = base + 1;
    const encoded = Buffer.from(proto.SyncdPatch.encode({ ...patch, version: { version } }).finish());
    this.#patches.push(encoded);
    this.#state.put('app-state', this.#row(version), () => encoded.toString('base64'));
    if (this.#patches.length > MAX_PATCHES) this.#fold(MAX_PATCHES / 2);
    return true;
  }

  /** The patches that a device at that version lacks. */
  since(version: number): MissingPatches {
    const isFarBehind = version < this.#base;
    const first = isFarBehind ? 0 : version - this.#base;
    const patches = this.#patches.slice(first, first + MAX_PATCHES_PER_ANSWER);
    return {
      ...(isFarBehind && this.#snapshot && { snapshot: this.#snapshot }),
      patches,
      hasMore: first + patches.length < this.#patches.length,
    };
  }

  /** Puts back a stored row: the snapshot or the next patch. */
  restore(row: string, value: string): void {
    const bytes = Buffer.from(value, 'base64');
    if (row === SNAPSHOT_ROW) this.#rest(bytes);
    else this.#patches.push(bytes);
  }

  #fold(count: number): void {
    const snapshot = this.#snapshot ? proto.SyncdSnapshot.decode(this.#snapshot) : {};
    const folded = fold(snapshot, this.#patches.splice(0, count));
    for (let version = this.#base + 1; version <= this.#base + count; version++)
      this.#state.remove('app-state', this.#row(version));
    const encoded = Buffer.from(proto.SyncdSnapshot.encode(folded).finish());
    this.#rest(encoded);
    this.#state.put('app-state', `${this.#owner}/${SNAPSHOT_ROW}`, () => encoded.toString('base64'));
  }

  #rest(snapshot: Buffer): void {
    this.#snapshot = snapshot;
    this.#base = Number(proto.SyncdSnapshot.decode(snapshot).version?.version ?? 0);
  }

  #row(version: number): string {
    return `${this.#owner}/${String(version).padStart(12, '0')}`;
  }
}

const { REMOVE } = proto.SyncdMutation.SyncdOperation;

/**
 * Folds patches into a snapshot: only the last value of each setting stays. That works without decrypting, because
 * the MAC of its index identifies a setting.
 */
function fold(snapshot: proto.ISyncdSnapshot, patches: Buffer[]): proto.ISyncdSnapshot {
  const records = new Map((snapshot.records ?? []).map((record) => [indexOf(record), record]));
  const decoded = patches.map((patch) => proto.SyncdPatch.decode(patch));
  for (const { operation, record } of decoded.flatMap(({ mutations }) => mutations)) {
    if (!record) continue;
    if (operation === REMOVE) records.delete(indexOf(record));
    else records.set(indexOf(record), record);
  }
  const last = decoded.at(-1);
  return {
    version: last?.version ?? snapshot.version ?? null,
    records: [...records.values()],
    mac: last?.snapshotMac ?? snapshot.mac ?? null,
    keyId: last?.keyId ?? snapshot.keyId ?? null,
  };
}

function indexOf({ index }: proto.ISyncdRecord): string {
  return Buffer.from(index?.blob ?? []).toString('base64');
}
