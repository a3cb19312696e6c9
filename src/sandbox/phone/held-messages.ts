import type { MessageView, ReceiptState } from '../api.js';
import { Refusal } from '../refusal.js';
import type { State } from '../state/state.js';
import type { StanzaShape } from './content/content.js';
import { HeldRows } from './held-rows.js';
import { renameKey, renumberMessage } from './renumber.js';

/** Beyond this a phone forgets what became of the oldest messages. */
const MAX_RECEIPTS = 10_000;

const STEPS: readonly ReceiptState[] = ['delivered', 'read', 'played'];

/** What is needed to encrypt a message again. */
export interface Sent {
  /** The `proto.Message`, encoded. */
  source: Buffer;
  /** Of what this phone sent itself. */
  shape?: StanzaShape;
}

/** A message as a phone keeps it. */
export type HeldMessage = Omit<MessageView, 'receipts'> &
  Sent & {
    /** The person has read it, on whichever device. */
    isRead?: boolean;
  };

/**
 * Messages, in groups that one receipt can tell of: of the same author in the same chat.
 * @throws Refusal 404 when one of them is not held, or the phone's own.
 */
export function groupForReceipts(held: HeldMessages, messageIds: string[]): HeldMessage[][] {
  const groups = new Map<string, HeldMessage[]>();
  for (const id of messageIds) {
    const message = held.get(id);
    if (!message || message.fromMe) throw new Refusal(404, `no message ${id} from somebody else is held`);
    const key = `${message.from} ${message.to}`;
    groups.set(key, [...(groups.get(key) ?? []), message]);
  }
  return [...groups.values()];
}

/** What one phone holds, oldest first. */
export class HeldMessages {
  readonly #messages: HeldRows<HeldMessage>;
  /** Receipts may come before the author's phone has its own copy, so they are kept apart. */
  readonly #receipts = new Map<string, Record<string, ReceiptState>>();
  readonly #state: State;
  readonly #owner: string;

  /** @param owner the phone's key in the kept state. */
  constructor(owner: string, state: State) {
    this.#owner = owner;
    this.#state = state;
    this.#messages = new HeldRows('message', owner, state);
  }

  get(messageId: string): HeldMessage | undefined {
    return this.#messages.get(messageId);
  }

  add(message: HeldMessage): void {
    const oldest = this.#messages.add(message);
    if (oldest !== undefined) this.remove(oldest);
  }

  /** Keeps what has changed in a held message. */
  keep(message: HeldMessage): void {
    this.#messages.keep(message);
  }

  /** The person has read messages, on whichever device. */
  noteRead(messageIds: string[]): void {
    for (const messageId of messageIds) {
      const message = this.get(messageId);
      if (!message || message.isRead) continue;
      message.isRead = true;
      this.keep(message);
    }
  }

  /** Somebody has another number. */
  renumber(before: string, after: string): void {
    for (const message of this.#messages.all()) {
      if (renumberMessage(message, before, after)) this.keep(message);
    }
    for (const [messageId, receipts] of this.#receipts) {
      if (!(before in receipts)) continue;
      const renamed = renameKey(receipts, before, after);
      this.#receipts.set(messageId, renamed);
      this.#keepReceipts(messageId, renamed);
    }
  }

  remove(messageId: string): void {
    this.#messages.remove(messageId);
    this.#forgetReceipts(messageId);
  }

  /** @returns false when it is known already. */
  noteReceipt(messageId: string, number: string, state: ReceiptState): boolean {
    const receipts = this.#receipts.get(messageId) ?? {};
    const known = receipts[number];
    if (known && STEPS.indexOf(known) >= STEPS.indexOf(state)) return false;
    // in place: in a large group there are hundreds of a message
    receipts[number] = state;
    this.#receipts.set(messageId, receipts);
    this.#keepReceipts(messageId, receipts);
    const [oldest] = this.#receipts.keys();
    if (this.#receipts.size > MAX_RECEIPTS && oldest !== undefined) this.#forgetReceipts(oldest);
    return true;
  }

  view(held: HeldMessage): MessageView {
    const { source: _, shape: __, isRead: ___, ...message } = held;
    return { ...message, receipts: { ...this.#receipts.get(held.messageId) } };
  }

  /** Oldest first. */
  all(): Generator<HeldMessage> {
    return this.#messages.all();
  }

  views(): MessageView[] {
    return [...this.#messages.all()].map((message) => this.view(message));
  }

  restoreMessage(row: string, value: string): HeldMessage {
    return this.#messages.restore(row, value);
  }

  restoreReceipts(messageId: string, value: string): void {
    this.#receipts.set(messageId, JSON.parse(value));
  }

  #keepReceipts(messageId: string, receipts: Record<string, ReceiptState>): void {
    this.#state.put('receipt', `${this.#owner}/${messageId}`, () => JSON.stringify(receipts));
  }

  #forgetReceipts(messageId: string): void {
    if (this.#receipts.delete(messageId)) this.#state.remove('receipt', `${this.#owner}/${messageId}`);
  }
}
