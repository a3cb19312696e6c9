import type { Account } from '../account.js';
import type { ChatstateView, ReceiptState, WriteRequest } from '../api.js';
import type { Companion } from '../companion.js';
import type { Network } from '../network.js';
import { Refusal } from '../refusal.js';
import { routeReceipt } from '../routing/receipts.js';
import { SignalDevice } from '../signal/signal-device.js';
import { type Stanza, stanza } from '../wire/stanza.js';
import { greet } from './greeting.js';
import { GroupKeys } from './group-keys.js';
import { type HeldChange, HeldChanges, viewChange } from './held-changes.js';
import { groupForReceipts, type HeldMessage, HeldMessages } from './held-messages.js';
import type { Interpreted } from './interpret.js';
import { downloadMedia } from './media.js';
import { answerMediaRetry } from './media-retry.js';
import { authorJid, openMessage } from './open-message.js';
import { answerRetry, askAgain } from './retry.js';
import { chatOf } from './targets.js';
import { writeMessage } from './write.js';

/** Typing states beyond this are forgotten, oldest first. */
const MAX_CHATSTATES = 1_000;

/**
 * A simulated person's phone: device 0 of its account, always online. It decrypts what arrives and encrypts what
 * the person writes; one thing at a time, because both move the same Signal sessions.
 */
export class Phone {
  readonly account: Account;
  readonly signal: SignalDevice;
  readonly held: HeldMessages;
  /** Keys of groups: the phone's own, and those that it was given. */
  readonly groupKeys: GroupKeys;
  /** What changed the held messages. */
  readonly changes: HeldChanges;
  readonly chatstates: ChatstateView[] = [];
  /** Everybody that this account has a chat with. */
  readonly partners = new Set<Account>();
  readonly #network: Network;
  /** Ids of messages whose receipts nobody was told of yet. */
  readonly #receipted = new Set<string>();
  #work: Promise<void> = Promise.resolve();

  constructor(account: Account, network: Network) {
    this.account = account;
    this.#network = network;
    this.signal = new SignalDevice(account.key, account.record.keys, network.state);
    this.groupKeys = new GroupKeys(account.key, `${account.lid}.0`, network.senderKeys, network.state);
    this.held = new HeldMessages(account.key, network.state);
    this.changes = new HeldChanges(account.key, network.state);
  }

  /** Takes what the network brings: messages, and receipts that ask for one, or for its file, again. */
  accept(letter: Stanza): void {
    if (letter.tag === 'message') void this.#inTurn(() => this.#open(letter));
    else if (letter.attrs.type === 'server-error')
      void this.#inTurn(() => answerMediaRetry(this.#network, this, letter));
    else if (letter.attrs.type === 'retry') void this.#inTurn(() => answerRetry(this.#network, this, letter));
  }

  /** Tells a newly linked device what it needs to know. */
  greet(companion: Companion): void {
    void this.#inTurn(() => greet(this.#network, this, companion));
  }

  /** The person writes. @returns the message's id. */
  async write(request: WriteRequest): Promise<string> {
    let messageId = '';
    await this.#inTurn(async () => {
      messageId = await writeMessage(this.#network, this, request);
    }, true);
    return messageId;
  }

  /** The person reads messages, or plays them. @throws Refusal 404 when the phone holds no such message of somebody else. */
  read(messageIds: string[], type: 'read' | 'played' = 'read'): void {
    for (const [first, ...rest] of groupForReceipts(this.held, messageIds)) {
      if (!first) continue;
      const { registry, groups } = this.#network;
      const author = registry.require(first.from).jid('lid');
      const group = groups.byJid(first.to);
      const way = group ? { to: group.jid(), participant: author } : { to: author };
      const list = rest.map(({ messageId }) => stanza('item', { id: messageId }));
      const receipt = stanza('receipt', { id: first.messageId, ...way, type }, [stanza('list', {}, list)]);
      routeReceipt(this.#network, { account: this.account }, receipt);
    }
  }

  /** Somebody has another number: what the phone holds of the person goes by that from now on. */
  renumber(before: string, after: string): void {
    this.held.renumber(before, after);
    this.changes.renumber(before, after);
    for (const chatstate of this.chatstates) if (chatstate.from === before) chatstate.from = after;
  }

  /** There is a chat of that name: a number, or a group's jid. */
  meet(chatId: string): void {
    const partner = this.#network.registry.byNumber(chatId);
    if (partner) this.partners.add(partner);
  }

  /** A message or change of that id, as it is kept. */
  sent(messageId: string): HeldMessage | HeldChange | undefined {
    return this.held.get(messageId) ?? this.changes.get(messageId);
  }

  /** Keeps a message, or changes one as somebody wants it, and tells who watches. */
  take(interpreted: Interpreted): void {
    if ('message' in interpreted) this.#hold(interpreted.message);
    else this.#change(interpreted);
  }

  /** The person deletes a message on the phone, or only its file. @throws Refusal 404 when it does not hold that. */
  forget(messageId: string, only?: 'file'): void {
    const message = this.held.get(messageId);
    if (!message) throw new Refusal(404, `the phone holds no message ${messageId}`);
    if (only !== 'file') {
      this.held.remove(messageId);
      return;
    }
    if (!message.media) throw new Refusal(404, `the message ${messageId} has no file`);
    message.media = { ...message.media, sha256: '', error: 'deleted on the phone' };
    this.held.keep(message);
    this.#tellMessage(message);
  }

  /** @returns the ids of which that was news. */
  noteReceipts(ids: string[], from: string, state: ReceiptState): string[] {
    const news = ids.filter((id) => this.held.noteReceipt(id, from, state));
    const { number } = this.account;
    for (const messageId of news) {
      this.#network.events.emit(() => ({ type: 'receipt', number, messageId, from, state }));
      this.#tellSoon(messageId);
    }
    return news;
  }

  noteChatstate(chatstate: ChatstateView): void {
    this.chatstates.push(chatstate);
    if (this.chatstates.length > MAX_CHATSTATES) this.chatstates.shift();
    this.#network.events.emit(() => ({ type: 'chatstate', number: this.account.number, chatstate }));
  }

  /** Resolves when everything that has arrived so far is worked off. */
  async settled(): Promise<void> {
    await this.#work;
  }

  async #open(letter: Stanza): Promise<void> {
    const { id = '', from, participant, category } = letter.attrs;
    const known = this.sent(id);
    try {
      const opened = await openMessage(this.#network, this, letter);
      if (category === 'peer' || !opened) return;
      if (!known && 'message' in opened) await downloadMedia(this.#network, opened.message);
      if (!known) this.take(opened);
      if (this.#network.registry.byJid(authorJid(letter)) !== this.account) {
        const receipt = stanza('receipt', { id, to: from, participant });
        routeReceipt(this.#network, { account: this.account }, receipt);
      }
    } catch (error) {
      this.#network.log?.debug({ err: error, id }, 'a phone could not decrypt');
      // a copy that was decrypted before is no reason to ask for it again
      if (!known) askAgain(this.#network, this, letter);
    }
  }

  #hold(message: HeldMessage): void {
    this.held.add(message);
    this.meet(chatOf(message));
    this.#tellMessage(message);
  }

  #change({ change, head }: Extract<Interpreted, { change: unknown }>): void {
    const held = this.held.get(change.targetId);
    const target = held && chatOf(held) === chatOf(head) ? held : undefined;
    const fields = target && change.apply(target);
    const { type, targetId } = change;
    const record = { ...head, type, targetId, applied: fields !== undefined, ...fields };
    this.changes.add(record);
    const { number } = this.account;
    this.#network.events.emit(() => ({ type: 'change', number, change: viewChange(record) }));
    if (!target || !fields) return;
    this.held.keep(target);
    this.#tellMessage(target);
  }

  /** Receipts come in crowds: who watches is told once of all that come together. */
  #tellSoon(messageId: string): void {
    if (this.#receipted.size === 0) setImmediate(() => this.#tellReceipted());
    this.#receipted.add(messageId);
  }

  #tellReceipted(): void {
    const ids = [...this.#receipted];
    this.#receipted.clear();
    for (const message of ids.flatMap((id) => this.held.get(id) ?? [])) this.#tellMessage(message);
  }

  #tellMessage(message: HeldMessage): void {
    const { number } = this.account;
    this.#network.events.emit(() => ({ type: 'message', number, message: this.held.view(message) }));
  }

  #inTurn(work: () => Promise<void>, isAnswered = false): Promise<void> {
    const turn = this.#work.then(work);
    this.#work = turn.catch((error: unknown) => {
      if (!isAnswered) this.#network.log?.error({ err: error }, 'a phone failed');
    });
    return isAnswered ? turn : this.#work;
  }
}
