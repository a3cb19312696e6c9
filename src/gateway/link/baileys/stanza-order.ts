import { type BinaryNode, decodeMessageNode, jidNormalizedUser } from '@whiskeysockets/baileys';
import type { Clock } from '../../../domain/clock.js';
import { ciphertextsOf } from './incoming.js';

/**
 * Milliseconds without a begin of any decryption after which a stanza stops waiting, if no key is being read: damaged
 * keys then prevent the decryption of its predecessor.
 */
const STANDSTILL_MS = 5_000;
/** Rounds of `STANDSTILL_MS` after which a stanza stops waiting in any case. */
const MAX_ROUNDS = 12;

/** A stanza that has no place in the library's queue yet. */
interface Turn {
  chat: string;
  /** The stanza is in the library's queue of offline stanzas. */
  isQueued: boolean;
  /** Releases the next stanza of the chat. */
  onBegun?: () => void;
}

interface StanzaOrderOptions {
  clock: Clock;
  /** The own jids, as the credentials have them. */
  me(): { id: string; lid?: string | undefined } | undefined;
  /** Number of unanswered reads of keys, which tells a slow store or a frozen process from a standstill. */
  reads(): number;
  /** Aborted when the connection has ended. */
  ended: AbortSignal;
}

/**
 * Keeps the order of the messages in each chat. The library decrypts one stanza at a time, but before a stanza joins
 * that queue the library looks up its sender in the store, and one look-up may last longer than that of the next stanza.
 * Therefore a stanza is passed to the library once the decryption of its predecessor in the chat has begun.
 */
export class StanzaOrder {
  readonly #options: StanzaOrderOptions;
  /** Latest stanza of each chat. */
  readonly #latest = new Map<string, Turn>();
  readonly #turns = new WeakMap<BinaryNode, Turn>();
  /** Stanzas that were released after a wait. */
  readonly #released = new WeakSet<BinaryNode>();
  /** Functions that release the waiting stanzas. */
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
    // the library handles offline stanzas in order
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
    // release it after the current step, in which the library begins with the previous stanza
    before.onBegun = () => queueMicrotask(go);
    look(1, this.#begun);
  }

  /** The chat of a message; undefined for stanzas that the library refuses, and for messages of the own phone to its devices. */
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
