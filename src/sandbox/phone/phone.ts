import { randomBytes } from 'node:crypto';
import type { StatusRequest, WriteRequest } from '../../contract/sandbox/index.js';
import { callAt } from '../../domain/clock.js';
import { routeReceipt } from '../routing/receipts.js';
import type { Bundle } from '../signal/prekeys.js';
import { SenderKeys } from '../signal/sender-keys.js';
import { createSignalKeys } from '../signal/signal-device.js';
import type { Account, AccountPhone, Companion } from '../state/account.js';
import type { Network } from '../state/network.js';
import type { AccountRecord } from '../state/records.js';
import { STATUS_JID, type Stanza, stanza } from '../wire/stanza.js';
import { SharedSettings } from './app-state/shared-settings.js';
import { greet } from './greeting.js';
import { answerMediaRetry, downloadMedia } from './media.js';
import { PhoneMemory } from './memory.js';
import { authorJid, openMessage } from './open-message.js';
import { groupForReceipts } from './phone-messages.js';
import { answerResend, type ResendRequest } from './resend.js';
import { answerRetry, askAgain, repeatMessage } from './retry.js';
import { deleteStatus, postStatus } from './statuses.js';
import { writeMessage } from './write.js';

const APP_STATE_ID_BYTES = 6;
const APP_STATE_KEY_BYTES = 32;

/** All phones of the network. They share one set of group keys. */
export class Phones {
  readonly senderKeys: SenderKeys;
  readonly #network: Network;
  readonly #phones = new Map<Account, Phone>();

  constructor(network: Network) {
    this.#network = network;
    this.senderKeys = new SenderKeys(network.state);
  }

  get all(): Iterable<Phone> {
    return this.#phones.values();
  }

  /** A new person with a phone. @throws Refusal 409 when the number is taken */
  create(number: string, name: string): Account {
    const record = {
      pn: number.slice(1),
      name,
      status: '',
      username: '',
      nextDevice: 1,
      createdAt: this.#network.now(),
      keys: createSignalKeys(),
      appStateKey: { id: randomBytes(APP_STATE_ID_BYTES), key: randomBytes(APP_STATE_KEY_BYTES) },
    };
    return this.#withPhone(this.#network.directory.create(record));
  }

  /** Puts back a stored account with its phone. */
  restore(record: AccountRecord): void {
    this.#withPhone(this.#network.directory.add(record));
  }

  of(account: Account): Phone {
    const phone = this.#phones.get(account);
    if (!phone) throw new Error(`${account.number} has no phone yet`);
    return phone;
  }

  /** @throws Refusal 404 when nobody has the number */
  require(number: string): Phone {
    return this.of(this.#network.directory.require(number));
  }

  #withPhone(account: Account): Account {
    const phone = new Phone(account, this.#network, this.senderKeys);
    account.phone = phone;
    this.#phones.set(account, phone);
    return account;
  }

  /** Resolves when all phones have processed what has arrived. */
  async settled(): Promise<void> {
    for (const phone of this.all) await phone.settled();
  }
}

/**
 * A simulated person's phone: device 0 of its account, always online. It decrypts what arrives and encrypts what
 * the person writes, one thing at a time, because both advance the same Signal sessions.
 */
export class Phone extends PhoneMemory implements AccountPhone {
  /** The settings that the phone shares with its linked devices. */
  readonly settings: SharedSettings;
  readonly #network: Network;
  #work: Promise<void> = Promise.resolve();

  constructor(account: Account, network: Network, senderKeys: SenderKeys) {
    super(account, network, senderKeys);
    this.#network = network;
    this.settings = new SharedSettings(account, this.messages, network);
  }

  /** Takes messages, and receipts that ask for a message or its file again. */
  accept(received: Stanza): void {
    if (received.tag === 'message') this.#queue(() => this.#open(received));
    else if (received.attrs.type === 'server-error')
      this.#queue(() => answerMediaRetry(this.#network, this.account, this.messages, received));
    else if (received.attrs.type === 'retry') this.#queue(() => answerRetry(this.#network, this, received));
  }

  /** A bundle with a fresh one-time key. */
  takeBundle(): Bundle {
    return this.signal.takeBundle();
  }

  /** Sends a newly linked device the settings key and the history. */
  greet(companion: Companion): void {
    this.#queue(async () => {
      await this.settings.introduce(companion);
      await greet(this.#network, this, companion);
    });
  }

  /** The phone begins with new keys; its messages come from a backup. */
  renewKeys(): Promise<void> {
    return this.#inTurn(async () => {
      this.signal.reset();
      this.groupKeys.reset();
      this.account.keep();
    });
  }

  /** The person writes. @returns the message's id */
  write(request: WriteRequest): Promise<string> {
    return this.#inTurn(() => writeMessage(this.#network, this, request));
  }

  /** Encrypts a message once more under its id. @throws Refusal 404 when the phone has not written it */
  repeat(messageId: string): Promise<void> {
    return this.#inTurn(() => repeatMessage(this.#network, this, messageId));
  }

  /** The person posts a status. @returns the message's id */
  postStatus(request: StatusRequest): Promise<string> {
    return this.#inTurn(() => postStatus(this.#network, this, request));
  }

  /** The person deletes an own status. @throws Refusal 404 when the phone has posted none of this id */
  deleteStatus(messageId: string): Promise<string> {
    return this.#inTurn(() => deleteStatus(this.#network, this, messageId));
  }

  /** The person reads or plays messages. @throws Refusal 404 when the phone holds no such message of somebody else */
  read(messageIds: string[], type: 'read' | 'played' = 'read'): void {
    for (const [first, ...rest] of groupForReceipts(this.messages, messageIds)) {
      if (!first) continue;
      const { directory } = this.#network;
      const author = directory.require(first.from).jid('lid');
      const shared = directory.shared(first.to);
      const to = shared ? { to: shared.chatId, participant: author } : { to: author };
      const list = rest.map(({ messageId }) => stanza('item', { id: messageId }));
      const receipt = stanza('receipt', { id: first.messageId, ...to, type }, [stanza('list', {}, list)]);
      routeReceipt(this.#network, { account: this.account }, receipt);
    }
  }

  /** Resolves when everything that has arrived so far is processed. */
  async settled(): Promise<void> {
    await this.#work;
  }

  async #open(message: Stanza): Promise<void> {
    const { id = '', from, participant, category } = message.attrs;
    const known = this.sent(id);
    if (!known && this.#network.faults.take('ask-again', this.account)) {
      askAgain(this.#network, this, message);
      return;
    }
    try {
      const opened = await openMessage(this.#network, this, message);
      if (opened && 'request' in opened) this.#resend(opened);
      if (category === 'peer' || !opened || 'request' in opened) return;
      if (!known && 'message' in opened) await downloadMedia(this.#network, opened.message);
      if (!known) this.take(opened);
      // WhatsApp reports no delivery of a status (whatsapp-rust `receipt.rs`)
      if (from !== STATUS_JID && this.#network.directory.byJid(authorJid(message)) !== this.account) {
        const receipt = stanza('receipt', { id, to: from, participant });
        routeReceipt(this.#network, { account: this.account }, receipt);
      }
    } catch (error) {
      this.#network.log?.debug({ err: error, id }, 'a phone could not decrypt');
      // an earlier copy was decrypted: do not ask for another one
      if (!known) askAgain(this.#network, this, message);
    }
  }

  /** Sends messages again that a linked device could not read. */
  #resend(request: ResendRequest): void {
    const { faults, clock } = this.#network;
    if (faults.take('no-resend', this.account)) return;
    const answer = () => this.#queue(() => answerResend(this.#network, this, request));
    const late = faults.take('late-resend', this.account);
    if (late) callAt(clock, clock.now() + late.ms, answer);
    else answer();
  }

  #queue(work: () => Promise<void>): void {
    this.#inTurn(work).catch((error: unknown) => this.#network.log?.error({ err: error }, 'a phone failed'));
  }

  #inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    const turn = this.#work.then(work);
    this.#work = turn.then(
      () => undefined,
      () => undefined,
    );
    return turn;
  }
}
