import { type BinaryNode, decodeMessageNode, jidNormalizedUser } from '@whiskeysockets/baileys';
import type { Clock } from '../../domain/clock.js';
import { ciphertextsOf } from './incoming.js';

/**
 * Milliseconds in which no stanza began. If no key is being read then, damaged keys keep the stanza that is waited for from the
 * decryption, and the wait for it ends.
 */
const STANDSTILL_MS = 5_000;
/** After so many times `STANDSTILL_MS` it is given up, whatever else begins. */
const MAX_ROUNDS = 12;

/** A stanza that has no place in the library's queue yet. */
interface Turn {
  chat: string;
  /** It stands in the library's queue of stanzas that waited offline. */
  isQueued: boolean;
  /** Lets the next stanza of the chat go. */
  onBegun?: () => void;
}

interface StanzaOrderOptions {
  clock: Clock;
  /** The own jids, as the credentials have them. */
  me(): { id: string; lid?: string | undefined } | undefined;
  /** Reads of keys that have no answer yet: a store that is slow, or a process that was frozen, keeps no stanza from its turn. */
  reads(): number;
  /** Aborted when the connection has ended. */
  ended: AbortSignal;
}

/**
 * Keeps the order of the messages in each chat. The library decrypts one stanza at a time, but before a stanza joins that queue
 * the library looks up its sender in the store, and one look-up may last longer than that of the next stanza. A stanza therefore
 * goes to the library when the one before it in its chat has begun to be decrypted.
 */
export class StanzaOrder {
  readonly #options: StanzaOrderOptions;
  /** The latest of each chat. */
  readonly #latest = new Map<string, Turn>();
  readonly #turns = new WeakMap<BinaryNode, Turn>();
  /** Stanzas that have waited. */
  readonly #released = new WeakSet<BinaryNode>();
  /** Those that wait, with what lets them go. */
  readonly #waiting = new Set<() => void>();
  #begun = 0;

  constructor(options: StanzaOrderOptions) {
    this.#options = options;
    const stopAll = () => {
      for (const release of this.#waiting) release();
    };
    options.ended.addEventListener('abort', stopAll, { once: true });
  }

  /**
   * Takes a stanza that must wait for another one.
   * @param release called when its turn has come; not after the end of the connection: the network then delivers it again
   * @returns false when the stanza need not wait
   */
  holds(node: BinaryNode, release: () => void): boolean {
    if (this.#released.has(node)) return false;
    const chat = this.#chatOf(node);
    if (chat === undefined) return false;
    const before = this.#latest.get(chat);
    // the library handles these one after the other
    const isOffline = node.attrs.offline !== undefined && ciphertextsOf(node).length > 0;
    const isHeld = before !== undefined && !(before.isQueued && isOffline);
    const turn = { chat, isQueued: isOffline && !isHeld };
    this.#latest.set(chat, turn);
    this.#turns.set(node, turn);
    if (isHeld) this.#releaseAfter(before, node, release);
    return isHeld;
  }

  /** Notes that a stanza is being decrypted, or needs no decryption. */
  begin(node: BinaryNode): void {
    const turn = this.#turns.get(node);
    if (!turn) return;
    this.#turns.delete(node);
    this.#begun += 1;
    if (this.#latest.get(turn.chat) === turn) this.#latest.delete(turn.chat);
    turn.onBegun?.();
  }

  #releaseAfter(before: Turn, node: BinaryNode, release: () => void): void {
    const { clock, reads, ended } = this.#options;
    let cancel: () => void = () => undefined;
    const go = () => {
      if (!this.#waiting.delete(go)) return;
      cancel();
      if (ended.aborted) return;
      this.#released.add(node);
      release();
    };
    const look = (round: number, seen: number) => {
      cancel = clock.after(STANDSTILL_MS, () => {
        if (round === MAX_ROUNDS || (seen === this.#begun && reads() === 0)) go();
        else look(round + 1, this.#begun);
      });
    };
    this.#waiting.add(go);
    // the library is in the middle of the one before
    before.onBegun = () => queueMicrotask(go);
    look(1, this.#begun);
  }

  /** The chat of a message; undefined for what the library refuses, and for what the own phone sends to its devices. */
  #chatOf(node: BinaryNode): string | undefined {
    if (node.attrs.category === 'peer') return undefined;
    const me = this.#options.me();
    try {
      const { fullMessage } = decodeMessageNode(node, me?.id ?? '', me?.lid ?? '');
      return jidNormalizedUser(fullMessage.key.remoteJid ?? undefined);
    } catch {
      return undefined;
    }
  }
}
