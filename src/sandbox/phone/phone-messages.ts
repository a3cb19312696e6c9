import Joi from 'joi';
import type { ChangeView, DeviceCopy, MessageView, ReceiptState } from '../../contract/sandbox/index.js';
import { isStatus } from '../state/status-feed.js';
import type { State } from '../store/state.js';
import { readRow, storedBytes } from '../store/stored-row.js';
import { Refusal } from '../wire/refusals.js';
import type { Stanza } from '../wire/stanza.js';

/** Beyond this the receipts of the oldest messages are dropped. */
const MAX_RECEIPTS = 10_000;

const STEPS: readonly ReceiptState[] = ['delivered', 'read', 'played'];
const RECEIPTS = Joi.object<Record<string, ReceiptState>>()
  .pattern(Joi.string(), Joi.valid(...STEPS))
  .required();

/** The visible part of a message stanza. */
export interface StanzaShape {
  /** The stanza's `type`. */
  type: string;
  /** Further attributes of the stanza. */
  attrs?: Record<string, string>;
  /** Elements beside the ciphertext. */
  extras?: Stanza[];
  /** Further attributes of each `<enc>`. */
  enc?: Record<string, string>;
  /** What the linked devices of others get in place of a readable copy. */
  deviceCopy?: DeviceCopy;
}

/** The data to encrypt a message again. */
export interface Sent {
  /** The `proto.Message`, encoded. */
  source: Buffer;
  /** Of the phone's own messages. */
  shape?: StanzaShape;
}

/** A message as a phone stores it. */
export type PhoneMessage = Omit<MessageView, 'receipts'> &
  Sent & {
    /** The person has read it, on any device. */
    isRead?: boolean;
  };

/**
 * Groups messages by author and chat: one receipt covers a group.
 * @throws Refusal 404 when the phone has no such message or the message is the phone's own
 */
export function groupForReceipts(messages: PhoneMessages, messageIds: string[]): PhoneMessage[][] {
  const groups = new Map<string, PhoneMessage[]>();
  for (const id of messageIds) {
    const message = messages.get(id);
    if (!message || message.fromMe)
      throw new Refusal('message_unknown', `no message ${id} from somebody else is stored`);
    const key = `${message.from} ${message.to}`;
    groups.set(key, [...(groups.get(key) ?? []), message]);
  }
  return [...groups.values()];
}

/** The messages of one phone, oldest first. */
export class PhoneMessages {
  readonly #messages: PhoneRows<PhoneMessage>;
  /** Stored apart: a receipt may come before the author's phone has its own copy. */
  readonly #receipts = new Map<string, Record<string, ReceiptState>>();
  readonly #state: State;
  readonly #owner: string;

  /** @param owner the phone's key in the stored state */
  constructor(owner: string, state: State) {
    this.#owner = owner;
    this.#state = state;
    this.#messages = new PhoneRows('message', owner, state);
  }

  get(messageId: string): PhoneMessage | undefined {
    return this.#messages.get(messageId);
  }

  add(message: PhoneMessage): void {
    const oldest = this.#messages.add(message);
    if (oldest !== undefined) this.remove(oldest);
  }

  /** Stores the changes of a message. */
  keep(message: PhoneMessage): void {
    this.#messages.keep(message);
  }

  /** The person has read messages, on any device. */
  noteRead(messageIds: string[]): void {
    for (const messageId of messageIds) {
      const message = this.get(messageId);
      if (!message || message.isRead) continue;
      message.isRead = true;
      this.keep(message);
    }
  }

  /** Replaces a person's number. */
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

  /** @returns false when the receipt is not new */
  noteReceipt(messageId: string, number: string, state: ReceiptState): boolean {
    const receipts = this.#receipts.get(messageId) ?? {};
    const known = receipts[number];
    if (known && STEPS.indexOf(known) >= STEPS.indexOf(state)) return false;
    // in place: a message in a large group has hundreds of receipts
    receipts[number] = state;
    this.#receipts.set(messageId, receipts);
    this.#keepReceipts(messageId, receipts);
    const [oldest] = this.#receipts.keys();
    if (this.#receipts.size > MAX_RECEIPTS && oldest !== undefined) this.#forgetReceipts(oldest);
    return true;
  }

  view(stored: PhoneMessage): MessageView {
    const { source: _, shape: __, isRead: ___, ...message } = stored;
    return { ...message, receipts: { ...this.#receipts.get(stored.messageId) } };
  }

  /** Oldest first. */
  all(): Generator<PhoneMessage> {
    return this.#messages.all();
  }

  /** The messages of all chats. */
  views(): MessageView[] {
    return [...this.#messages.all()]
      .filter((message) => !isStatus(message))
      .map((message) => this.view(message));
  }

  restoreMessage(row: string, value: string): PhoneMessage {
    return this.#messages.restore(row, value);
  }

  restoreReceipts(messageId: string, value: string): void {
    this.#receipts.set(messageId, readRow(RECEIPTS, value));
  }

  #keepReceipts(messageId: string, receipts: Record<string, ReceiptState>): void {
    this.#state.put('receipt', `${this.#owner}/${messageId}`, () => JSON.stringify(receipts));
  }

  #forgetReceipts(messageId: string): void {
    if (this.#receipts.delete(messageId)) this.#state.remove('receipt', `${this.#owner}/${messageId}`);
  }
}

/** Replaces a number wherever a message names people. @returns whether the message changed */
function renumberMessage(message: PhoneMessage, before: string, after: string): boolean {
  const votes = message.poll?.votes ?? {};
  const named = [
    message.from,
    message.to,
    ...message.mentions,
    ...Object.keys({ ...message.reactions, ...votes }),
  ];
  if (!named.includes(before)) return false;
  const swap = (number: string) => (number === before ? after : number);
  Object.assign(message, {
    from: swap(message.from),
    to: swap(message.to),
    mentions: message.mentions.map(swap),
  });
  message.reactions = renameKey(message.reactions, before, after);
  if (message.poll) message.poll = { ...message.poll, votes: renameKey(votes, before, after) };
  return true;
}

/** A copy with one key renamed. */
function renameKey<Value>(
  values: Record<string, Value>,
  before: string,
  after: string,
): Record<string, Value> {
  return Object.fromEntries(
    Object.entries(values).map(([key, value]) => [key === before ? after : key, value]),
  );
}

/** A change as a phone stores it. */
export type PhoneChange = ChangeView & Sent;

/** The changes of one phone's messages, oldest first. */
export class PhoneChanges {
  readonly #changes: PhoneRows<PhoneChange>;

  /** @param owner the phone's key in the stored state */
  constructor(owner: string, state: State) {
    this.#changes = new PhoneRows('change', owner, state);
  }

  get(messageId: string): PhoneChange | undefined {
    return this.#changes.get(messageId);
  }

  add(change: PhoneChange): void {
    const oldest = this.#changes.add(change);
    if (oldest !== undefined) this.#changes.remove(oldest);
  }

  /** Replaces a person's number. */
  renumber(before: string, after: string): void {
    for (const change of this.#changes.all()) {
      if (change.from !== before && change.to !== before) continue;
      if (change.from === before) change.from = after;
      if (change.to === before) change.to = after;
      this.#changes.keep(change);
    }
  }

  views(): ChangeView[] {
    return [...this.#changes.all()].map(viewChange);
  }

  restore(row: string, value: string): void {
    this.#changes.restore(row, value);
  }
}

export function viewChange({ source: _, shape: __, ...view }: PhoneChange): ChangeView {
  return view;
}

/** Beyond this a phone drops the oldest. */
const MAX_ROWS = 10_000;
const SEQUENCE_DIGITS = 12;

/** The stored rows of one kind of one phone, oldest first. */
class PhoneRows<Item extends { messageId: string; source: Buffer }> {
  readonly #schema = Joi.object<Item>({ messageId: Joi.string().required(), source: storedBytes }).unknown();
  readonly #rows = new Map<string, { row: string; item: Item }>();
  readonly #state: State;
  readonly #kind: 'message' | 'change';
  readonly #owner: string;
  #sequence = 0;

  /** @param owner the phone's key in the stored state */
  constructor(kind: 'message' | 'change', owner: string, state: State) {
    this.#kind = kind;
    this.#owner = owner;
    this.#state = state;
  }

  get(messageId: string): Item | undefined {
    return this.#rows.get(messageId)?.item;
  }

  /** @returns the id of the oldest when there are too many; the caller removes it */
  add(item: Item): string | undefined {
    const row = `${this.#owner}/${String(++this.#sequence).padStart(SEQUENCE_DIGITS, '0')}`;
    this.#rows.set(item.messageId, { row, item });
    this.keep(item);
    const [oldest] = this.#rows.keys();
    return this.#rows.size > MAX_ROWS ? oldest : undefined;
  }

  keep(item: Item): void {
    const row = this.#rows.get(item.messageId)?.row;
    const serialise = () => JSON.stringify({ ...item, source: item.source.toString('base64') });
    if (row !== undefined) this.#state.put(this.#kind, row, serialise);
  }

  remove(messageId: string): void {
    const row = this.#rows.get(messageId)?.row;
    this.#rows.delete(messageId);
    if (row !== undefined) this.#state.remove(this.#kind, row);
  }

  /** Puts back a stored row. */
  restore(row: string, value: string): Item {
    const item = readRow(this.#schema, value);
    this.#rows.set(item.messageId, { row, item });
    this.#sequence = Math.max(this.#sequence, Number(row.slice(row.lastIndexOf('/') + 1)));
    return item;
  }

  /** Oldest first. */
  *all(): Generator<Item> {
    for (const { item } of this.#rows.values()) yield item;
  }
}
