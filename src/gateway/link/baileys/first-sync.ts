import { setImmediate } from 'node:timers/promises';
import {
  ALL_WA_PATCH_NAMES,
  type BinaryNode,
  type ChatMutation,
  decodePatches,
  decodeSyncdSnapshot,
  extractSyncdPatches,
  isPnUser,
  type LTHashState,
  newLTHashState,
  processSyncAction,
  type WAPatchName,
  type WASocket,
} from '@whiskeysockets/baileys';
import type { Logger } from '../../log.js';

const VERSIONS = 'app-state-sync-version';
/** Most answers for one collection, each with up to some hundred patches; more would mean that the network repeats itself. */
const MAX_ANSWERS = 200;
/** Changes that are reported in one turn of the event loop. */
const AT_ONCE = 100;

type Extracted = Awaited<ReturnType<typeof extractSyncdPatches>>[WAPatchName];

/**
 * Reads, once after a pairing or an adoption, everything that the devices of the account share: the names of the phone's
 * address book, and which chats are archived, muted and pinned. Later changes arrive as notifications, which the library reads.
 *
 * The library's own first sync waits for the history, which it does not get here, and holds back its events meanwhile;
 * its later syncs hold the lock of all sends until the network has answered. This sync queries without a lock, and takes
 * the lock only to write a version.
 */
export class FirstSync {
  readonly #sock: WASocket;
  /** How snapshots are downloaded. */
  readonly #options: RequestInit;
  readonly #log: Logger;
  #running = false;
  #isOpen = false;

  constructor(sock: WASocket, options: RequestInit, log: Logger) {
    this.#sock = sock;
    this.#options = options;
    this.#log = log;
  }

  /** Notes that the connection is open. */
  open(): void {
    this.#isOpen = true;
    this.begin();
  }

  /** Begins the sync if it was not done yet in this store, the connection is open and the phone has shared its keys. */
  begin(): void {
    const { creds } = this.#sock.authState;
    if (this.#running || !this.#isOpen || !creds.myAppStateKeyId || creds.accountSyncCounter > 0) return;
    this.#running = true;
    this.#sync().catch((err: unknown) => {
      // the next connection tries again
      this.#log.warn({ err }, 'names and settings of chats could not be read');
    });
  }

  async #sync(): Promise<void> {
    let states = new Map<WAPatchName, LTHashState>(
      ALL_WA_PATCH_NAMES.map((name) => [name, newLTHashState()]),
    );
    for (let answers = 0; states.size > 0; answers++) {
      if (answers === MAX_ANSWERS) throw new Error('the network always has more patches');
      states = await this.#step(states);
    }
    // the library's own mark of a finished first sync; it is written with the credentials
    this.#sock.ev.emit('creds.update', { accountSyncCounter: 1 });
  }

  /** Reads one answer. @returns the collections that have more, each with its state so far */
  async #step(states: ReadonlyMap<WAPatchName, LTHashState>): Promise<Map<WAPatchName, LTHashState>> {
    const answer: BinaryNode = await this.#sock.query(question(states));
    const extracted = await extractSyncdPatches(answer, this.#options);
    const left = new Map<WAPatchName, LTHashState>();
    for (const [name, before] of states) {
      const state = await this.#read(name, before, extracted[name]);
      if (extracted[name]?.hasMorePatches) left.set(name, state);
    }
    return left;
  }

  /** Reads the part of an answer that is about one collection. */
  async #read(name: WAPatchName, before: LTHashState, part: Extracted | undefined): Promise<LTHashState> {
    let state = before;
    if (part?.snapshot) {
      const read = await decodeSyncdSnapshot(name, part.snapshot, this.#keyOf, undefined);
      state = read.state;
      await this.#tell(Object.values(read.mutationMap));
    }
    if (part && part.patches.length > 0) {
      const read = await decodePatches(name, part.patches, state, this.#keyOf, this.#options);
      state = read.state;
      await this.#tell(Object.values(read.mutationMap));
    }
    if (state.version > before.version) await this.#keep(name, state);
    return state;
  }

  /** Stores a version, unless the library has read a newer one meanwhile. */
  async #keep(name: WAPatchName, state: LTHashState): Promise<void> {
    const { keys, creds } = this.#sock.authState;
    await keys.transaction(async () => {
      const { [name]: known } = await keys.get(VERSIONS, [name]);
      if (!known || known.version < state.version) await keys.set({ [VERSIONS]: { [name]: state } });
    }, creds.me?.id ?? '');
  }

  /** Reports changes as the library does, `AT_ONCE` at a time: an address book may have thousands of names. */
  async #tell(mutations: readonly ChatMutation[]): Promise<void> {
    const { ev, authState, signalRepository } = this.#sock;
    const { me } = authState.creds;
    if (!me) return;
    // in one commit: the library would make one for each contact
    await signalRepository.lidMapping.storeLIDPNMappings(mutations.flatMap(addressesIn));
    for (const [position, mutation] of mutations.entries()) {
      if (position % AT_ONCE === AT_ONCE - 1) await setImmediate();
      processSyncAction(mutation, ev, me);
    }
  }

  readonly #keyOf = async (id: string) =>
    (await this.#sock.authState.keys.get('app-state-sync-key', [id]))[id];
}

/** Both addresses of a contact; none if the contact has only one. */
function addressesIn({ index: [kind, pn], syncAction }: ChatMutation): { lid: string; pn: string }[] {
  const lid = syncAction.value?.contactAction?.lidJid;
  return kind === 'contact' && lid && pn && isPnUser(pn) ? [{ lid, pn }] : [];
}

/** Asks for collections: for a snapshot of those that are not known yet, then for their patches. */
function question(states: ReadonlyMap<WAPatchName, LTHashState>): BinaryNode {
  const collections = [...states].map(([name, { version }]) => ({
    tag: 'collection',
    attrs: { name, version: String(version), return_snapshot: String(version === 0) },
  }));
  return {
    tag: 'iq',
    attrs: { to: '@s.whatsapp.net', type: 'set', xmlns: 'w:sync:app:state' },
    content: [{ tag: 'sync', attrs: {}, content: collections }],
  };
}
