import type { State } from './state/state.js';
import { decodeStanza, encodeStanza } from './wire/codec.js';
import { NETWORK_JID } from './wire/jid.js';
import { type Stanza, stanza } from './wire/stanza.js';

/** A device that stays away loses the oldest first. */
const MAX_WAITING = 20_000;

interface Letter {
  key: string;
  /** Its row in the kept state; grows with time. */
  row: string;
  stanza: Stanza;
}

/** Where a mailbox hands stanzas to while its device is connected. */
export type Outlet = (stanza: Stanza) => void;

/**
 * What the network holds for one linked device until the device acknowledges it: messages, receipts and
 * notifications. Everything that is still there at a new connection is delivered again.
 */
export class Mailbox {
  readonly #letters = new Map<string, Letter>();
  readonly #state: State;
  readonly #owner: string;
  #sequence = 0;
  #outlet?: Outlet;
  /** Connected and told how much is waiting, but has not asked for it yet. */
  #announcedTo?: Outlet;
  /** Messages whose failure the device has reported by a retry receipt: their negative ack must not settle the retry. */
  readonly #retried = new Set<string>();

  /** @param owner the device's key in the kept state. */
  constructor(owner: string, state: State) {
    this.#owner = owner;
    this.#state = state;
  }

  get size(): number {
    return this.#letters.size;
  }

  /** Messages only, without receipts and notifications. */
  get messages(): number {
    let count = 0;
    for (const letter of this.#letters.values()) {
      if (letter.stanza.tag === 'message') count++;
    }
    return count;
  }

  /** Holds a stanza until it is settled, and hands it over now if the device is there. */
  push(letter: Stanza): void {
    const key = keyOf(letter);
    if (this.#letters.has(key)) this.#drop(key);
    const entry = {
      key,
      row: `${this.#owner}/${String(++this.#sequence).padStart(12, '0')}`,
      stanza: letter,
    };
    this.#letters.set(key, entry);
    this.#state.put('mailbox', entry.row, () => encodeStanza(letter).toString('base64'));
    if (this.#letters.size > MAX_WAITING) this.#dropOldest();
    this.#outlet?.(letter);
  }

  /** Puts back what was kept, in its order. */
  restore(row: string, encoded: string): void {
    const letter = decodeStanza(Buffer.from(encoded, 'base64'));
    this.#letters.set(keyOf(letter), { key: keyOf(letter), row, stanza: letter });
    this.#sequence = Math.max(this.#sequence, Number(row.slice(row.lastIndexOf('/') + 1)));
  }

  /** The device has it. */
  settle(tag: string, attrs: { id?: string; from?: string; participant?: string; type?: string }): void {
    this.#drop(keyOf({ tag, attrs: { id: '', ...attrs } }));
  }

  /** The device asked the sender to send that message again. */
  settleForRetry(id: string): void {
    this.settle('message', { id });
    this.#retried.add(id);
  }

  /** A negative ack of a message: settles it, unless a retry is on its way. */
  settleFailed(id: string): void {
    if (!this.#retried.delete(id)) this.settle('message', { id });
  }

  /** The device is connected and ready: it learns what waits, and gets it as soon as it asks. */
  open(outlet: Outlet): void {
    this.shut();
    if (this.#letters.size > 0) {
      this.#announcedTo = outlet;
      outlet(this.#preview());
      return;
    }
    outlet(offlineEnd(0));
    this.#outlet = outlet;
  }

  /** The device asks for what waits. */
  deliverWaiting(): void {
    const outlet = this.#announcedTo;
    if (!outlet) return;
    this.#announcedTo = undefined;
    let position = 0;
    for (const letter of this.#letters.values()) {
      const attrs = { ...letter.stanza.attrs, offline: String(position++) };
      outlet({ ...letter.stanza, attrs });
    }
    outlet(offlineEnd(position));
    this.#outlet = outlet;
  }

  /** The device is gone. */
  shut(): void {
    this.#outlet = undefined;
    this.#announcedTo = undefined;
    this.#retried.clear();
  }

  /** Forgets everything, kept rows included. */
  discard(): void {
    this.shut();
    for (const key of [...this.#letters.keys()]) this.#drop(key);
  }

  #preview(): Stanza {
    const count = new Map<string, number>();
    for (const { stanza: letter } of this.#letters.values())
      count.set(letter.tag, (count.get(letter.tag) ?? 0) + 1);
    const waiting = (tag: string) => String(count.get(tag) ?? 0);
    const preview = stanza('offline_preview', {
      count: String(this.#letters.size),
      message: waiting('message'),
      notification: waiting('notification'),
      receipt: waiting('receipt'),
      appdata: '0',
      call: waiting('call'),
    });
    return stanza('ib', { from: NETWORK_JID }, [preview]);
  }

  #dropOldest(): void {
    const [oldest] = this.#letters.keys();
    if (oldest !== undefined) this.#drop(oldest);
  }

  #drop(key: string): void {
    const letter = this.#letters.get(key);
    if (!letter) return;
    this.#letters.delete(key);
    this.#state.remove('mailbox', letter.row);
  }
}

function offlineEnd(count: number): Stanza {
  return stanza('ib', { from: NETWORK_JID }, [stanza('offline', { count: String(count) })]);
}

/** Messages and notifications are acknowledged by id; receipts by id, chat, sender and type. */
function keyOf({ tag, attrs }: Stanza): string {
  if (tag !== 'receipt') return `${tag}/${attrs.id}`;
  const { id, from, participant = '', type = '' } = attrs;
  return `receipt/${id}/${from}/${participant}/${type}`;
}
