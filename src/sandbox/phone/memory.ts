import type { ChatstateView, ReceiptState } from '../../contract/sandbox/index.js';
import type { KeyOwner, KeyPosition, SenderKeys } from '../signal/sender-keys.js';
import { SignalDevice } from '../signal/signal-device.js';
import type { Account } from '../state/account.js';
import type { Network } from '../state/network.js';
import { isStatus } from '../state/status-feed.js';
import { Refusal } from '../wire/refusals.js';
import { GroupKeys } from './group-keys.js';
import type { Interpreted } from './interpret.js';
import {
  type PhoneChange,
  PhoneChanges,
  type PhoneMessage,
  PhoneMessages,
  viewChange,
} from './phone-messages.js';
import { chatOf, type Expiry } from './targets.js';

/** Older typing states beyond this number are dropped. */
const MAX_CHATSTATES = 1_000;

/** Everything that one phone holds: messages, changes, chats and keys. Emits an event for each change. */
export class PhoneMemory {
  readonly account: Account;
  readonly signal: SignalDevice;
  /** The phone's own group keys, and those that it was given. */
  readonly groupKeys: GroupKeys;
  readonly messages: PhoneMessages;
  /** A change of the messages. */
  readonly changes: PhoneChanges;
  readonly chatstates: ChatstateView[] = [];
  /** Everybody with whom the account has a private chat. */
  readonly partners = new Set<Account>();
  /** Timers of private chats, by the partner's number. */
  readonly timers = new Map<string, Expiry>();
  readonly #network: Network;
  /** Ids of messages with receipts that no event has shown yet. */
  readonly #receipted = new Set<string>();

  constructor(account: Account, network: Network, senderKeys: SenderKeys) {
    this.account = account;
    this.#network = network;
    this.signal = new SignalDevice(account.key, account.record.keys, network.state);
    this.groupKeys = new GroupKeys(account.key, `${account.lid}.0`, senderKeys, network.state);
    this.messages = new PhoneMessages(account.key, network.state);
    this.changes = new PhoneChanges(account.key, network.state);
  }

  /** Replaces a person's number in everything that the phone holds. */
  renumber(before: string, after: string): void {
    this.messages.renumber(before, after);
    this.changes.renumber(before, after);
    const timer = this.timers.get(before);
    this.timers.delete(before);
    if (timer !== undefined) this.timers.set(after, timer);
    for (const chatstate of this.chatstates) if (chatstate.from === before) chatstate.from = after;
  }

  /** Notes the partner of a message's chat, unless it is a group, and the timer that the message sets. */
  noteChat(message: PhoneMessage): void {
    const chatId = chatOf(message);
    const partner = this.#network.directory.byNumber(chatId);
    if (!partner) return;
    this.partners.add(partner);
    if (message.timer !== undefined)
      this.timers.set(chatId, { seconds: message.timer, setAt: message.timestamp });
  }

  /** The stored message or change of an id. */
  sent(messageId: string): PhoneMessage | PhoneChange | undefined {
    return this.messages.get(messageId) ?? this.changes.get(messageId);
  }

  /** Stores a message, or applies a change to a stored one. */
  take(interpreted: Interpreted): void {
    if ('message' in interpreted) {
      const { message } = interpreted;
      this.messages.add(message);
      this.noteChat(message);
      this.#emitMessage(message);
      return;
    }
    this.#change(interpreted);
  }

  /** Deletes a message on this phone, or only its file. @throws Refusal 404 when the phone does not hold it */
  forget(messageId: string, only?: 'file'): void {
    const message = this.messages.get(messageId);
    if (!message) throw new Refusal('message_unknown', `the phone holds no message ${messageId}`);
    if (only !== 'file') {
      this.messages.remove(messageId);
      return;
    }
    if (!message.media) throw new Refusal('file_unknown', `the message ${messageId} has no file`);
    message.media = { ...message.media, sha256: '', error: 'deleted on the phone' };
    this.messages.keep(message);
    this.#emitMessage(message);
  }

  noteRead(messageIds: string[]): void {
    this.messages.noteRead(messageIds);
  }

  /** @returns the ids whose receipt is new */
  noteReceipts(ids: string[], from: string, state: ReceiptState): string[] {
    const news = ids.filter((id) => this.messages.noteReceipt(id, from, state));
    const { number } = this.account;
    for (const messageId of news) {
      this.#network.events.emit(() => ({ type: 'receipt', number, messageId, from, state }));
      // receipts of a large group come in bursts: one event shows a burst
      if (this.#receipted.size === 0) setImmediate(() => this.#emitReceipted());
      this.#receipted.add(messageId);
    }
    return news;
  }

  noteChatstate(chatstate: ChatstateView): void {
    this.chatstates.push(chatstate);
    if (this.chatstates.length > MAX_CHATSTATES) this.chatstates.shift();
    this.#network.events.emit(() => ({ type: 'chatstate', number: this.account.number, chatstate }));
  }

  noteGroupKey(owner: KeyOwner, position: KeyPosition): void {
    this.groupKeys.note(owner, position);
  }

  #change({ change, head }: Extract<Interpreted, { change: unknown }>): void {
    const stored = this.messages.get(change.targetId);
    const target = stored && chatOf(stored) === chatOf(head) ? stored : undefined;
    const fields = target && change.apply(target);
    const { type, targetId } = change;
    const record = { ...head, type, targetId, applied: fields !== undefined, ...fields };
    this.changes.add(record);
    const { number } = this.account;
    this.#network.events.emit(() => ({ type: 'change', number, change: viewChange(record) }));
    if (!target || !fields) return;
    this.messages.keep(target);
    this.#emitMessage(target);
  }

  #emitReceipted(): void {
    const ids = [...this.#receipted];
    this.#receipted.clear();
    for (const message of ids.flatMap((id) => this.messages.get(id) ?? [])) this.#emitMessage(message);
  }

  #emitMessage(message: PhoneMessage): void {
    const { number } = this.account;
    const view = () => this.messages.view(message);
    this.#network.events.emit(() =>
      isStatus(message)
        ? { type: 'status', number, status: view() }
        : { type: 'message', number, message: view() },
    );
  }
}
