import type { State } from '../store/state.js';
import {
  CHANNEL_SERVER,
  decodeStanza,
  encodeStanza,
  NETWORK_JID,
  STATUS_JID,
  type Stanza,
  stanza,
} from '../wire/stanza.js';

/** Beyond this the oldest stanzas of an absent device are dropped. */
const MAX_WAITING = 20_000;

/** The `error` of a client that failed to handle a message (rc14 `NACK_REASONS.UnhandledError`). */
const UNHANDLED = '500';

interface WaitingStanza {
  key: string;
  /** Key of the stored row; rows sort by age. */
  row: string;
  stanza: Stanza;
}

/** The delivery of the queue to a device that has just connected. */
interface OfflineDelivery {
  send: (stanza: Stanza) => void;
  queue: WaitingStanza[];
  /** Position in the queue. */
  next: number;
  sent: number;
}

/**
 * The messages, receipts and notifications that one linked device has not acknowledged. At each new connection they
 * are delivered again.
 */
export class Mailbox {
  readonly #waiting = new Map<string, WaitingStanza>();
  readonly #state: State;
  readonly #owner: string;
  #sequence = 0;
  #send?: (stanza: Stanza) => void;
  /** Set while the device is connected and has not got the whole queue. */
  #offline?: OfflineDelivery | undefined;
  /** Set while the device is connected and a refused message withholds the rest of the queue. */
  #withheldFrom?: (stanza: Stanza) => void;
  /**
   * Keys of the messages, mostly statuses and channel posts, that got a negative ack. The network keeps the first one, delivers it alone at
   * each connection, and withholds the rest of the queue until it gets a plain ack (Baileys PR #2779).
   */
  readonly #refused = new Set<string>();
  /** Messages that the device asked for again: the ack of the first copy must not settle the second. */
  readonly #retried = new Set<string>();

  /** @param owner the device's key in the stored state */
  constructor(owner: string, state: State) {
    this.#owner = owner;
    this.#state = state;
  }

  get size(): number {
    return this.#waiting.size;
  }

  /** True from `open` until `shut`. */
  get isOpen(): boolean {
    return Boolean(this.#send ?? this.#offline ?? this.#withheldFrom);
  }

  /** Messages only, without receipts and notifications. */
  get messages(): number {
    let count = 0;
    for (const waiting of this.#waiting.values()) {
      if (waiting.stanza.tag === 'message') count++;
    }
    return count;
  }

  /** Holds a stanza until it is settled; a connected device gets it at once. */
  push(pushed: Stanza): void {
    const key = keyOf(pushed);
    if (this.#waiting.has(key)) this.#drop(key);
    const entry = {
      key,
      row: `${this.#owner}/${String(++this.#sequence).padStart(12, '0')}`,
      stanza: pushed,
    };
    this.#waiting.set(key, entry);
    this.#state.put('mailbox', entry.row, () => encodeStanza(pushed).toString('base64'));
    if (this.#waiting.size > MAX_WAITING) this.#dropOldest();
    if (this.#offline) this.#offline.queue.push(entry);
    else this.#send?.(pushed);
  }

  /** Puts back a stored row; rows must come in their order. */
  restore(row: string, encoded: string): void {
    const waiting = decodeStanza(Buffer.from(encoded, 'base64'));
    this.#waiting.set(keyOf(waiting), { key: keyOf(waiting), row, stanza: waiting });
    this.#sequence = Math.max(this.#sequence, Number(row.slice(row.lastIndexOf('/') + 1)));
  }

  /** The device has acknowledged a stanza. */
  settle(tag: string, attrs: { id?: string; from?: string; participant?: string; type?: string }): void {
    this.#drop(keyOf({ tag, attrs: { id: '', ...attrs } }));
  }

  /** The device asked the sender to send that message again. */
  settleForRetry(id: string): void {
    if (this.#isPost(id) || !this.#waiting.has(`message/${id}`)) return;
    this.settle('message', { id });
    this.#retried.add(id);
  }

  /** A plain ack of a message: settles it, unless the device asked for it again before. */
  settleAcked(id: string): void {
    if (!this.#retried.delete(id)) this.settle('message', { id });
  }

  /**
   * A negative ack of a message: settles it, unless the device asked for it again. A post, and a message that the client
   * failed to handle, block the queue.
   */
  settleFailed(id: string, error: string): void {
    if (this.#retried.delete(id)) return;
    if (this.#isPost(id) || error === UNHANDLED) this.#refused.add(`message/${id}`);
    else this.settle('message', { id });
  }

  /**
   * The device is ready: sends a preview of the waiting stanzas, the stanzas, and the end of the queue. The device need not
   * ask: whatsmeow (`connectionevents.go`) has no `offline_batch`, and Baileys asks once for 100 and gets all.
   * @param limit how many stanzas come before the device asks for more
   */
  open(send: (stanza: Stanza) => void, limit = Number.POSITIVE_INFINITY): void {
    this.shut();
    if (this.#waiting.size > 0) send(this.#preview());
    this.#deliver(send, limit);
  }

  /** The device asks for more of the queue. Without effect once it has the whole queue. */
  request(count: number): void {
    if (this.#offline) this.#deliverOffline(this.#offline, count);
  }

  /** Delivers what is waiting, or only the first refused message while there is one. */
  #deliver(send: (stanza: Stanza) => void, limit = Number.POSITIVE_INFINITY): void {
    const refused = [...this.#waiting.values()].find(({ key }) => this.#refused.has(key));
    if (refused) {
      this.#withheldFrom = send;
      send({ ...refused.stanza, attrs: { ...refused.stanza.attrs, offline: '0' } });
      return;
    }
    this.#offline = { send, queue: [...this.#waiting.values()], next: 0, sent: 0 };
    this.#deliverOffline(this.#offline, limit);
  }

  /** Delivers some more of the queue, and its end after the last stanza. */
  #deliverOffline(offline: OfflineDelivery, limit: number): void {
    const { send, queue } = offline;
    const end = offline.sent + limit;
    for (; offline.next < queue.length && offline.sent < end; offline.next++) {
      const waiting = queue[offline.next];
      if (!waiting || this.#waiting.get(waiting.key) !== waiting) continue;
      const attrs = { ...waiting.stanza.attrs, offline: String(offline.sent++) };
      send({ ...waiting.stanza, attrs });
    }
    if (offline.next < queue.length) return;
    this.#offline = undefined;
    send(offlineEnd(offline.sent));
    this.#send = send;
  }

  /** The device has disconnected. */
  shut(): void {
    this.#send = undefined;
    this.#offline = undefined;
    this.#withheldFrom = undefined;
    this.#retried.clear();
  }

  /** Drops everything, stored rows included. */
  discard(): void {
    this.shut();
    for (const key of [...this.#waiting.keys()]) this.#drop(key);
  }

  #preview(): Stanza {
    const count = new Map<string, number>();
    for (const { stanza: waiting } of this.#waiting.values())
      count.set(waiting.tag, (count.get(waiting.tag) ?? 0) + 1);
    const waiting = (tag: string) => String(count.get(tag) ?? 0);
    const preview = stanza('offline_preview', {
      count: String(this.#waiting.size),
      message: waiting('message'),
      notification: waiting('notification'),
      receipt: waiting('receipt'),
      appdata: '0',
      call: waiting('call'),
    });
    return stanza('ib', { from: NETWORK_JID }, [preview]);
  }

  #dropOldest(): void {
    const [oldest] = this.#waiting.keys();
    if (oldest !== undefined) this.#drop(oldest);
  }

  #drop(key: string): void {
    const waiting = this.#waiting.get(key);
    if (!waiting) return;
    this.#waiting.delete(key);
    this.#state.remove('mailbox', waiting.row);
    const send = this.#withheldFrom;
    if (!this.#refused.delete(key) || !send) return;
    this.#withheldFrom = undefined;
    this.#deliver(send);
  }

  /** True for a status or the post of a channel. */
  #isPost(id: string): boolean {
    const from = this.#waiting.get(`message/${id}`)?.stanza.attrs.from;
    return from === STATUS_JID || from?.endsWith(CHANNEL_SERVER) === true;
  }
}

function offlineEnd(count: number): Stanza {
  return stanza('ib', { from: NETWORK_JID }, [stanza('offline', { count: String(count) })]);
}

/** Acks name messages and notifications by id, receipts by id, chat, sender and type. */
function keyOf({ tag, attrs }: Stanza): string {
  if (tag !== 'receipt') return `${tag}/${attrs.id}`;
  const { id, from, participant = '', type = '' } = attrs;
  return `receipt/${id}/${from}/${participant}/${type}`;
}
