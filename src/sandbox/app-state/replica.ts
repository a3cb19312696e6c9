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
import type { Account } from '../account.js';
import { COLLECTIONS, type Collection, type CollectionName } from './collection.js';

type Logger = NonNullable<Parameters<typeof decodePatches>[6]>;

/** What a replica needs of the network. */
export interface Source {
  collection(name: CollectionName): Collection;
  /** Offers a patch of the phone's own. @returns false when the collection has another version meanwhile. */
  push(name: CollectionName, base: number, patch: proto.ISyncdPatch): boolean;
  /** Told of every change, in the order of the patches. */
  changed(mutation: ChatMutation): void;
}

/**
 * The phone's copy of its account's settings. It reads the patches of the other devices with every check of their
 * MACs and hashes, as a phone does, and writes its own.
 */
export class Replica {
  /** How many patches the phone could not verify: a client made them wrong. */
  rejected = 0;
  readonly #account: Account;
  readonly #source: Source;
  readonly #states = new Map<CollectionName, LTHashState>();
  #work: Promise<void> = Promise.resolve();

  constructor(account: Account, source: Source) {
    this.#account = account;
    this.#source = source;
  }

  /** Reads what is new in a collection, or in all; resolves when it is known. */
  catchUp(names: readonly CollectionName[] = COLLECTIONS): Promise<void> {
    return this.#inTurn(async () => {
      for (const name of names) await this.#read(name);
    });
  }

  /** The phone changes a setting. */
  write(change: WAPatchCreate): Promise<void> {
    return this.#inTurn(async () => {
      while (!(await this.#tryToWrite(change)));
    });
  }

  async #tryToWrite(change: WAPatchCreate): Promise<boolean> {
    const { type: name, index, syncAction: value } = change;
    await this.#read(name);
    const before = this.#state(name);
    const keyId = this.#account.record.appStateKey.id.toString('base64');
    const { patch, state } = await encodeSyncdPatch(change, keyId, before, this.#keyOf);
    if (!this.#source.push(name, before.version, patch)) return false;
    this.#states.set(name, state);
    this.#source.changed({ index, syncAction: { value } });
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

  /** Starts from a snapshot; one that does not fit its MAC is read all the same, as nobody has a better one. */
  async #begin(name: CollectionName, snapshot: proto.SyncdSnapshot): Promise<void> {
    const { state, mutationMap } = await decodeSyncdSnapshot(name, snapshot, this.#keyOf, undefined);
    this.#states.set(name, state);
    for (const mutation of Object.values(mutationMap)) this.#source.changed(mutation);
  }

  async #take(name: CollectionName, patch: proto.SyncdPatch): Promise<void> {
    const before = this.#state(name);
    const complaints = new Complaints();
    try {
      const decoded = await decodePatches(
        name,
        [patch],
        before,
        this.#keyOf,
        {},
        undefined,
        complaints,
        true,
      );
      this.#states.set(name, decoded.state);
      if (complaints.count === 0)
        for (const one of Object.values(decoded.mutationMap)) this.#source.changed(one);
    } catch {
      complaints.count++;
      this.#states.set(name, { ...before, version: before.version + 1 });
    }
    if (complaints.count > 0) this.rejected++;
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

/** The decoder tells of patches that it skips in its log only. */
class Complaints implements Logger {
  readonly level = 'warn';
  count = 0;

  child(): Complaints {
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
