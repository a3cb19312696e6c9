import type { AsyncResource } from 'node:async_hooks';
import {
  type BinaryNode,
  type BinaryNodeAttributes,
  DEFAULT_CONNECTION_CONFIG,
  isPnUser,
  type SignalRepositoryWithLIDStore,
  type SocketConfig,
} from '@whiskeysockets/baileys';
import type { Clock } from '../../domain/clock.js';
import { KeyedLock } from '../../domain/keyed-lock.js';
import type { JournalEntry } from '../../domain/signal-state.js';
import type { LinkKeys } from '../link.js';
import { journalled } from './auth-state.js';
import type { DecryptedPart } from './incoming.js';
import { ciphertextsOf, encodeStanza, journalIdOf } from './stanza.js';

type MakeRepository = SocketConfig['makeSignalRepository'];

/**
 * libsignal queues its work by session address, for the whole process and not for each account; work that waits there
 * would run in the asynchronous context, and so in the transaction, of whoever came first. Waiting here keeps each in
 * its own. It also keeps a send and a receipt of one person apart, who may be addressed by LID and by number.
 */
const sessions = new KeyedLock();
/** Recipients whose session is known to be usable, at most. */
const MAX_USABLE = 5_000;

/** A message stanza whose parts are being decrypted. */
export interface LiveStanza {
  node: BinaryNode;
  /** Ciphertexts that have not been tried yet. */
  waiting: number;
  parts: DecryptedPart[];
  /** A part could not be decrypted: the library asks for the message again. */
  failed: boolean;
  /** Every part had been recorded and announced before. */
  finished: boolean;
}

export interface JournalOptions {
  keys: LinkKeys;
  clock: Clock;
  /** A context outside of every transaction. */
  outside: AsyncResource;
  /** True when what the own phone sent to this device must not be forgotten before it has been read. */
  announcesHistory(attrs: BinaryNodeAttributes, plain: Uint8Array): boolean;
  /** Told once of every stanza whose parts are all decrypted and committed, before any receipt leaves. */
  onDecrypted(stanza: LiveStanza): void;
}

/**
 * The transactional inbox. What a decryption returns is committed in the same step as the ratchet that allowed it, and a
 * stanza that the network delivers again is answered from there, because its key is used up.
 */
export class Journal {
  readonly #options: JournalOptions;
  /** By ciphertext, as the very object that the library hands to the decryption; forgotten with it. */
  readonly #live = new WeakMap<Uint8Array, LiveStanza>();
  readonly #outside: AsyncResource;
  /** Recipients for whom something has been encrypted: their session need not be read again to see that it is there. */
  readonly #usable = new Set<string>();
  #deletions = 0;

  constructor(options: JournalOptions) {
    this.#options = options;
    this.#outside = options.outside;
  }

  /** Notes a message stanza; must be called before the library begins to decrypt it. */
  note(node: BinaryNode): void {
    const ciphertexts = ciphertextsOf(node);
    const stanza: LiveStanza = {
      node,
      waiting: ciphertexts.length,
      parts: [],
      failed: false,
      finished: true,
    };
    for (const ciphertext of ciphertexts) this.#live.set(ciphertext, stanza);
  }

  /** Sessions were deleted, nobody says whose. */
  forgetSessions(): void {
    this.#deletions += 1;
    this.#usable.clear();
  }

  /**
   * The library's Signal repository with the journal in front. Every step of a ratchet is its own transaction, committed
   * before its result is used: the library would otherwise write an outbound step only after the message has left, and a
   * crash in between would use the same key twice.
   */
  readonly makeRepository: MakeRepository = (auth, logger, pnToLid) => {
    const library = DEFAULT_CONNECTION_CONFIG.makeSignalRepository(auth, logger, pnToLid);
    const { keys } = auth;
    if (!('transaction' in keys)) return library;
    const step = <T>(jid: string, work: (jid: string) => Promise<T>): Promise<T> =>
      this.#outside.runInAsyncScope(async () => {
        const session = await sessionJid(library, jid);
        return sessions.run(library.jidToSignalProtocolAddress(session), () => work(session));
      });
    const decrypted = (ciphertext: Uint8Array, mutex: string, decrypt: () => Promise<Uint8Array>) =>
      this.#open(ciphertext, (id, live) =>
        keys.transaction(async () => {
          const entry = this.#entry(id, await decrypt(), live);
          await keys.set(journalled(entry));
          return entry;
        }, mutex),
      );
    return {
      ...library,
      validateSession: async (jid) =>
        this.#usable.has(jid) ? { exists: true } : library.validateSession(jid),
      encryptMessage: async (args) => {
        const deletions = this.#deletions;
        const encrypted = await step(args.jid, (jid) => library.encryptMessage({ ...args, jid }));
        if (deletions === this.#deletions) this.#noteUsable(args.jid);
        return encrypted;
      },
      injectE2ESession: (args) => step(args.jid, (jid) => library.injectE2ESession({ ...args, jid })),
      decryptMessage: (args) =>
        step(args.jid, (jid) =>
          decrypted(args.ciphertext, jid, () => library.decryptMessage({ ...args, jid })),
        ),
      decryptGroupMessage: (args) =>
        this.#outside.runInAsyncScope(() =>
          sessions.run(`${args.group} ${args.authorJid}`, () =>
            decrypted(args.msg, args.group, () => library.decryptGroupMessage(args)),
          ),
        ),
      encryptGroupMessage: (args) => this.#outside.runInAsyncScope(() => library.encryptGroupMessage(args)),
    };
  };

  #noteUsable(jid: string): void {
    if (this.#usable.size >= MAX_USABLE) this.#usable.clear();
    this.#usable.add(jid);
  }

  async #open(
    ciphertext: Uint8Array,
    commit: (id: string, live: LiveStanza | undefined) => Promise<JournalEntry>,
  ): Promise<Uint8Array> {
    const live = this.#live.get(ciphertext);
    const id = journalIdOf(ciphertext);
    try {
      const entry = await this.#recallOr(id, live, () => commit(id, live));
      this.#settle(live, entry);
      return Buffer.from(entry.plain);
    } catch (error) {
      this.#settle(live, undefined);
      throw error;
    }
  }

  /**
   * Redeliveries wait at the network until the next connection, so only those are looked up first; anything else is
   * looked up when it could not be decrypted.
   */
  async #recallOr(
    id: string,
    live: LiveStanza | undefined,
    commit: () => Promise<JournalEntry>,
  ): Promise<JournalEntry> {
    const waited = live?.node.attrs.offline !== undefined;
    const known = waited ? await this.#options.keys.journalEntry(id) : undefined;
    if (known) return known;
    try {
      return await commit();
    } catch (error) {
      const entry = waited ? undefined : await this.#options.keys.journalEntry(id);
      if (entry) return entry;
      throw error;
    }
  }

  #entry(id: string, plain: Uint8Array, live: LiveStanza | undefined): JournalEntry {
    const now = this.#options.clock.now();
    const attrs = live?.node.attrs;
    // what the own phone sends to its companions is for the library alone and never announced, but for its past
    const isForLibrary = attrs?.category === 'peer' && !this.#options.announcesHistory(attrs, plain);
    return {
      id,
      messageId: attrs?.id ?? '',
      plain,
      stanza: live
        ? encodeStanza({ attrs: live.node.attrs, parts: ciphertextsOf(live.node).map(journalIdOf) })
        : new Uint8Array(),
      receivedAt: now,
      ...(isForLibrary && { closedAt: now }),
    };
  }

  #settle(live: LiveStanza | undefined, entry: JournalEntry | undefined): void {
    if (!live) return;
    live.waiting -= 1;
    if (entry) {
      live.parts.push({ journalId: entry.id, plain: entry.plain, receivedAt: entry.receivedAt });
      live.finished &&= entry.closedAt !== undefined;
    } else {
      live.failed = true;
    }
    if (live.waiting === 0 && !live.failed) this.#options.onDecrypted(live);
  }
}

/** Sessions with a person whose LID is known live under that, however the person is addressed. */
async function sessionJid(repository: SignalRepositoryWithLIDStore, jid: string): Promise<string> {
  return (isPnUser(jid) && (await repository.lidMapping.getLIDForPN(jid))) || jid;
}
