import {
  type ChatMutation,
  decodePatches,
  decodeSyncdSnapshot,
  encodeSyncdPatch,
  type LTHashState,
  newLTHashState,
  proto,
  type WAPatchCreate,
} from '@whiskeysockets/baileys';
import type { Account, Companion } from '../../state/account.js';
import { COLLECTIONS, type Collection, type CollectionName } from './collection.js';
import { saltPatch } from './salt-patch.js';

/** Where a replica reads and writes patches. */
interface Source {
  collection(name: CollectionName): Collection;
  /**
   * Uploads a patch of the phone.
   * @param except a device that needs no notification
   * @returns false when the collection has another version
   */
  push(name: CollectionName, base: number, patch: proto.ISyncdPatch, except?: Companion): boolean;
  /** Called for every change, in the order of the patches. */
  changed(mutation: ChatMutation): void;
}

/**
 * The phone's copy of its account's settings. It verifies all MACs and hashes of the other devices' patches, as a real
 * phone does, and writes its own patches.
 */
export class Replica {
  /** The number of patches that the phone could not verify. */
  rejected = 0;
  readonly #account: Account;
  readonly #source: Source;
  readonly #states = new Map<CollectionName, LTHashState>();
  #work: Promise<void> = Promise.resolve();

  constructor(account: Account, source: Source) {
    this.#account = account;
    this.#source = source;
  }

  /** Reads the new patches of some or all collections. */
  catchUp(names: readonly CollectionName[] = COLLECTIONS): Promise<void> {
    return this.#inTurn(async () => {
      for (const name of names) await this.#read(name);
    });
  }

  /** The phone changes a setting. @param except a device that needs no notification */
  write(change: WAPatchCreate, except?: Companion): Promise<void> {
    return this.#inTurn(async () => {
      while (!(await this.#tryToWrite(change, except)));
    });
  }

  /** The phone writes the salt for first contacts. */
  writeSalt(salt: Buffer): Promise<void> {
    const encode = (before: LTHashState) => saltPatch(salt, this.#account.record.appStateKey, before);
    return this.#inTurn(async () => {
      while (!(await this.#tryToPush('regular_high', encode)));
    });
  }

  async #tryToWrite(change: WAPatchCreate, except?: Companion): Promise<boolean> {
    const { type: name, index, syncAction: value } = change;
    const keyId = this.#account.record.appStateKey.id.toString('base64');
    const encode = (before: LTHashState) => encodeSyncdPatch(change, keyId, before, this.#keyOf);
    if (!(await this.#tryToPush(name, encode, except))) return false;
    this.#source.changed({ index, syncAction: { value } });
    return true;
  }

  async #tryToPush(
    name: CollectionName,
    encode: (before: LTHashState) => Promise<{ patch: proto.ISyncdPatch; state: LTHashState }>,
    except?: Companion,
  ): Promise<boolean> {
    await this.#read(name);
    const before = this.#state(name);
    const { patch, state } = await encode(before);
    if (!this.#source.push(name, before.version, patch, except)) return false;
    this.#states.set(name, state);
    return true;
  }

  async #read(name: CollectionName): Promise<void> {
    const collection = this.#source.collection(name);
    while (this.#state(name).version < collection.version) {
      const { snapshot, patches } = collection.since(this.#state(name).version);
      if (snapshot) await this.#begin(name, proto.SyncdSnapshot.decode(snapshot));
      for (const patch of patches) await this.#take(name, proto.SyncdPatch.decode(patch));
    }
  }

  /** Starts from a snapshot, even when its MAC is wrong: there is no better one. */
  async #begin(name: CollectionName, snapshot: proto.SyncdSnapshot): Promise<void> {
    const { state, mutationMap } = await decodeSyncdSnapshot(name, snapshot, this.#keyOf, undefined);
    this.#states.set(name, state);
    for (const mutation of Object.values(mutationMap)) this.#source.changed(mutation);
  }

  async #take(name: CollectionName, patch: proto.SyncdPatch): Promise<void> {
    const before = this.#state(name);
    const warnings = new WarningCounter();
    try {
      const decoded = await decodePatches(name, [patch], before, this.#keyOf, {}, undefined, warnings, true);
      this.#states.set(name, decoded.state);
      if (warnings.count === 0)
        for (const one of Object.values(decoded.mutationMap)) this.#source.changed(one);
    } catch {
      warnings.count++;
      this.#states.set(name, { ...before, version: before.version + 1 });
    }
    if (warnings.count > 0) this.rejected++;
  }

  #state(name: CollectionName): LTHashState {
    return this.#states.get(name) ?? newLTHashState();
  }

  readonly #keyOf = async (keyId: string) => {
    const { id, key } = this.#account.record.appStateKey;
    return keyId === id.toString('base64') ? { keyData: key } : undefined;
  };

  #inTurn(work: () => Promise<void>): Promise<void> {
    const turn = this.#work.then(work);
    this.#work = turn.catch(() => undefined);
    return turn;
  }
}

/** Counts warnings: the decoder reports skipped patches only in its log. */
class WarningCounter implements NonNullable<Parameters<typeof decodePatches>[6]> {
  readonly level = 'warn';
  count = 0;

  child(): WarningCounter {
    return this;
  }
  trace(): void {}
  debug(): void {}
  info(): void {}
  warn(): void {
    this.count++;
  }
  error(): void {
    this.count++;
  }
}
