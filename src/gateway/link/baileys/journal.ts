import type { AsyncResource } from 'node:async_hooks';
import {
  type BinaryNode,
  type BinaryNodeAttributes,
  DEFAULT_CONNECTION_CONFIG,
  isPnUser,
  NO_MESSAGE_FOUND_ERROR_TEXT,
  type SignalRepositoryWithLIDStore,
  type SocketConfig,
} from '@whiskeysockets/baileys';
import { boundedCache } from '../../../domain/bounded-cache.js';
import type { MonotonicClock } from '../../../domain/clock.js';
import { KeyedLock } from '../../../domain/keyed-lock.js';
import { keepOtherSessions } from '../../../domain/signal-sessions.js';
import type { JournalEntry } from '../../../domain/signal-state.js';
import type { LinkKeys } from '../link.js';
import type { InboundGate } from './inbound-gate.js';
import { ciphertextsOf, encodeStanza, journalIdOf, type LiveStanza, padded, readStanza } from './incoming.js';
import { journalled } from './keys.js';
import { MalformedContent } from './retry-reasons.js';
import { hasKeyOf } from './sender-keys.js';

type MakeRepository = SocketConfig['makeSignalRepository'];

/**
 * libsignal queues its work by session address for the whole process, not for each account; queued work would run in the
 * asynchronous context, and so in the transaction, of the first caller. Queueing here keeps each caller in its own. It
 * also serialises a send and a receipt of one person who is addressed by LID in one and by number in the other.
 */
const sessions = new KeyedLock();
/** Recipients whose session is known to be usable: the limit of the cache. */
const MAX_USABLE = 5_000;

interface JournalOptions {
  keys: LinkKeys;
  clock: MonotonicClock;
  gate: InboundGate;
  /** An asynchronous context outside of all transactions. */
  outside: AsyncResource;
  /** True for a message of the own phone that announces history, which must stay in the journal until the history is read. */
  announcesHistory(attrs: BinaryNodeAttributes, plain: Uint8Array): boolean;
  /** Called when the library begins to decrypt a stanza, for each of its parts. */
  onBegun(node: BinaryNode): void;
  /**
   * Called once for each stanza whose content is decrypted and committed, before its receipt leaves.
   * @returns false when the content is no message
   */
  onDecrypted(stanza: LiveStanza): boolean;
  /** Called once for each stanza that cannot be read; its acknowledgement leaves when the promise has resolved. */
  onFailed(stanza: LiveStanza, error: unknown): Promise<void>;
}

/**
 * The transactional inbox. A plaintext is committed together with the ratchet step that decrypted it. A redelivered
 * stanza is read from the journal, because its key is used up.
 */
export class Journal {
  readonly #options: JournalOptions;
  /** Stanzas by ciphertext; the key is the object that the library passes to the decryption. */
  readonly #live = new WeakMap<Uint8Array, LiveStanza>();
  readonly #outside: AsyncResource;
  /** Recipients for whom a message was encrypted: their session exists, which saves a read of the store. */
  readonly #usable = boundedCache<true>(MAX_USABLE);
  #deletions = 0;

  constructor(options: JournalOptions) {
    this.#options = options;
    this.#outside = options.outside;
  }

  /** Registers a message stanza; must be called before the library begins to decrypt it. */
  note(node: BinaryNode): void {
    const ciphertexts = ciphertextsOf(node);
    const stanza: LiveStanza = {
      node,
      journalIds: ciphertexts.map(journalIdOf),
      waiting: ciphertexts.length,
      parts: [],
      finished: true,
      arrivedAt: this.#options.clock.monotonic(),
    };
    for (const ciphertext of ciphertexts) this.#live.set(ciphertext, stanza);
  }

  /** Forgets which sessions exist, because sessions were deleted. */
  forgetSessions(): void {
    this.#deletions += 1;
    this.#usable.clear();
  }

  /**
   * The library's Signal repository, wrapped by the journal. Each ratchet step is its own transaction, committed before its
   * result is used: the library writes an outbound step only after the message has left, and a crash in between would
   * use one key twice.
   */
  readonly makeRepository: MakeRepository = (auth, logger, pnToLid) => {
    const library = DEFAULT_CONNECTION_CONFIG.makeSignalRepository(auth, logger, pnToLid);
    const { keys } = auth;
    if (!('transaction' in keys)) return library;
    const { gate } = this.#options;
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
    const recordOf = async (address: string) => (await keys.get('session', [address]))[address];
    return {
      ...library,
      validateSession: async (jid) =>
        this.#usable.has(jid) ? { exists: true } : library.validateSession(jid),
      encryptMessage: async (args) => {
        const deletions = this.#deletions;
        const encrypted = await step(args.jid, (jid) => library.encryptMessage({ ...args, jid }));
        if (deletions === this.#deletions) this.#usable.set(args.jid, true);
        return encrypted;
      },
      injectE2ESession: (args) => step(args.jid, (jid) => library.injectE2ESession({ ...args, jid })),
      decryptMessage: (args) => {
        this.#begin(args.ciphertext);
        return gate.run(() =>
          step(args.jid, (jid) => {
            const address = library.jidToSignalProtocolAddress(jid);
            return decrypted(args.ciphertext, jid, async () => {
              const before = await recordOf(address);
              const plain = await library.decryptMessage({ ...args, jid });
              const after = await recordOf(address);
              // a first message names its session, so that no other one is tried
              if (args.type === 'pkmsg' || !after || after === before) return plain;
              keepOtherSessions(before, after);
              await keys.set({ session: { [address]: after } });
              return plain;
            });
          }),
        );
      },
      decryptGroupMessage: (args) => {
        this.#begin(args.msg);
        return gate.run(() =>
          this.#outside.runInAsyncScope(() =>
            sessions.run(`${args.group} ${args.authorJid}`, () =>
              decrypted(args.msg, args.group, () => library.decryptGroupMessage(args)),
            ),
          ),
        );
      },
      processSenderKeyDistributionMessage: (args) => {
        const { groupId, axolotlSenderKeyDistributionMessage: distribution } = args.item;
        if (!groupId || !distribution) return library.processSenderKeyDistributionMessage(args);
        const id = senderKeyId(groupId, library.jidToSignalProtocolAddress(args.authorJid));
        // a sender that encrypts a message again also sends its key again
        return keys.transaction(async () => {
          const { [id]: known } = await keys.get('sender-key', [id]);
          if (!hasKeyOf(known, distribution)) await library.processSenderKeyDistributionMessage(args);
        }, groupId);
      },
      encryptGroupMessage: (args) => this.#outside.runInAsyncScope(() => library.encryptGroupMessage(args)),
    };
  };

  /** Commits a message that arrived unencrypted, and reports it like a decrypted one. @param plain the encoded message, without padding */
  takePlain(node: BinaryNode, plain: Uint8Array): Promise<void> {
    return this.#options.gate.run(() => this.#takePlain(node, plain));
  }

  async #takePlain(node: BinaryNode, plain: Uint8Array): Promise<void> {
    const { keys, onDecrypted } = this.#options;
    const { id, from, participant } = node.attrs;
    const head = JSON.stringify([id, from, participant]);
    const journalId = journalIdOf(Buffer.concat([Buffer.from(head), plain]));
    const known = await keys.journalEntry(journalId);
    const stanza = encodeStanza({ attrs: node.attrs, parts: [journalId] });
    const entry = known ?? {
      id: journalId,
      messageId: id ?? '',
      plain: padded(plain),
      stanza,
      receivedAt: this.#options.clock.now(),
    };
    if (!known) await keys.commit({ journal: [entry] });
    onDecrypted(readStanza(node, entry));
  }

  #begin(ciphertext: Uint8Array): void {
    const live = this.#live.get(ciphertext);
    if (live) this.#options.onBegun(live.node);
  }

  async #open(
    ciphertext: Uint8Array,
    commit: (id: string, live: LiveStanza) => Promise<JournalEntry>,
  ): Promise<Uint8Array> {
    const live = this.#live.get(ciphertext);
    // the message of this ciphertext could not be announced
    if (!live) throw new Error('this ciphertext is of no message stanza');
    const id = journalIdOf(ciphertext);
    const [entry, error] = await this.#recallOr(id, live, () => commit(id, live)).then(
      (found) => [found, undefined] as const,
      (reason: unknown) => [undefined, reason] as const,
    );
    await this.#settle(live, entry, error);
    if (!entry) throw error;
    return Buffer.from(entry.plain);
  }

  /**
   * Looks a stanza up in the journal. The network redelivers after a reconnect, so offline stanzas are looked up first;
   * others only if they cannot be decrypted.
   */
  async #recallOr(id: string, live: LiveStanza, commit: () => Promise<JournalEntry>): Promise<JournalEntry> {
    const waited = live.node.attrs.offline !== undefined;
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

  #entry(id: string, plain: Uint8Array, { node: { attrs }, journalIds }: LiveStanza): JournalEntry {
    const now = this.#options.clock.now();
    // the library alone handles what the own phone sends to its linked devices, except history
    const isForLibrary = attrs.category === 'peer' && !this.#options.announcesHistory(attrs, plain);
    return {
      id,
      messageId: attrs.id ?? '',
      plain,
      stanza: encodeStanza({ attrs, parts: journalIds }),
      receivedAt: now,
      ...(isForLibrary && { closedAt: now }),
    };
  }

  /** Notes the outcome of a part. After the last part it reports the stanza. @throws when the stanza cannot be read */
  async #settle(live: LiveStanza, entry: JournalEntry | undefined, error: unknown): Promise<void> {
    live.waiting -= 1;
    if (entry) {
      live.parts.push({ journalId: entry.id, plain: entry.plain, receivedAt: entry.receivedAt });
      live.finished &&= entry.closedAt !== undefined;
    } else {
      live.fault ??= error;
    }
    if (live.waiting > 0) {
      if (entry || isOfPhone(live)) return;
      throw new Error(NO_MESSAGE_FOUND_ERROR_TEXT);
    }
    // in a group the last part is the message; the earlier part brings a key, which this device may already have
    const isComplete = live.fault === undefined || (entry && live.node.attrs.participant !== undefined);
    const fault = isComplete ? !this.#options.onDecrypted(live) && new MalformedContent() : live.fault;
    if (!fault || isOfPhone(live)) return;
    await this.#options.onFailed(live, fault);
    // for this error text the library sends a plain acknowledgement and no retry receipt
    throw new Error(NO_MESSAGE_FOUND_ERROR_TEXT);
  }
}

/** True for a message of the own phone to its devices, which is not requested again. */
function isOfPhone({ node }: LiveStanza): boolean {
  return node.attrs.category === 'peer';
}

/** The id of a sender key in the store, as the library's `SenderKeyName` writes it. */
function senderKeyId(group: string, address: string): string {
  const dot = address.lastIndexOf('.');
  return `${group}::${address.slice(0, dot)}::${address.slice(dot + 1)}`;
}

/** The session of a person whose LID is known is stored under the LID, whatever address is used. */
async function sessionJid(repository: SignalRepositoryWithLIDStore, jid: string): Promise<string> {
  return (isPnUser(jid) && (await repository.lidMapping.getLIDForPN(jid))) || jid;
}
