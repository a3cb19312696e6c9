import { PN_SERVER } from '../../domain/address.js';
import type { State } from '../store/state.js';
import { Refusal } from '../wire/refusals.js';
import { parseDeviceJid, STATUS_JID } from '../wire/stanza.js';
import { Account, type AddressingMode, type Companion, type Device, lidOf } from './account.js';
import { Channels } from './channel.js';
import { Group, Groups, isGroupJid } from './group.js';
import type { AccountRecord } from './records.js';
import { STATUS_FEED, type StatusFeed } from './status-feed.js';

const E164 = /^\+[1-9][0-9]{4,14}$/;

/** The other side of a chat. */
export type Chat = Account | Group;

/** All people, devices and groups of the network. */
export class Directory {
  readonly groups: Groups;
  readonly channels: Channels;
  readonly #state: State;
  readonly #byPn = new Map<string, Account>();
  readonly #byLid = new Map<string, Account>();
  readonly #byKey = new Map<string, Account>();

  constructor(state: State) {
    this.#state = state;
    this.groups = new Groups(state);
    this.channels = new Channels(state);
  }

  get accounts(): Iterable<Account> {
    return this.#byPn.values();
  }

  get size(): number {
    return this.#byPn.size;
  }

  /** Creates and stores an account. @throws Refusal 409 when the number is taken */
  create(record: Omit<AccountRecord, 'lid' | 'key'>): Account {
    const { pn } = record;
    if (this.#byPn.has(pn)) throw new Refusal('phone_taken', `+${pn} has a phone already`);
    const account = this.add({ ...record, lid: this.#freeLid(pn), key: this.#freeKey(pn) });
    account.keep();
    return account;
  }

  add(record: AccountRecord): Account {
    const account = new Account(record, this.#state);
    this.#byPn.set(account.pn, account);
    this.#byLid.set(account.lid, account);
    this.#byKey.set(account.key, account);
    return account;
  }

  /** Gives a person another number. @throws Refusal 409 when it is taken */
  renumber(account: Account, number: string): void {
    if (this.byNumber(number)) throw new Refusal('phone_taken', `${number} has a phone already`);
    this.#byPn.delete(account.pn);
    account.record.key ??= account.pn;
    account.record.pn = number.slice(1);
    this.#byPn.set(account.pn, account);
    account.keep();
  }

  /** The account whose stored rows begin with this key. */
  byKey(key: string): Account | undefined {
    return this.#byKey.get(key);
  }

  byPn(pn: string): Account | undefined {
    return this.#byPn.get(pn);
  }

  byLid(lid: string): Account | undefined {
    return this.#byLid.get(lid);
  }

  /** The account of an E.164 number. */
  byNumber(number: string): Account | undefined {
    return E164.test(number) ? this.#byPn.get(number.slice(1)) : undefined;
  }

  /** @throws Refusal 404 when nobody has the number */
  require(number: string): Account {
    const account = this.byNumber(number);
    if (!account) throw new Refusal('phone_unknown', `no phone has the number ${number}`);
    return account;
  }

  /** A linked device by its id. @throws Refusal 404 when nobody has the number, or there is no such device */
  requireDevice(number: string, id: number): Companion {
    const companion = this.require(number).companions.get(id);
    if (!companion) throw new Refusal('device_unknown', `${number} has no device ${id}`);
    return companion;
  }

  /** The person of a jid, in either addressing and with any device. */
  byJid(jid: string | undefined): Account | undefined {
    const parsed = parseDeviceJid(jid);
    if (!parsed) return undefined;
    return (parsed.server === PN_SERVER ? this.#byPn : this.#byLid).get(parsed.user);
  }

  /** The device of a jid; undefined when it is not linked. */
  device(jid: string | undefined): Device | undefined {
    const account = this.byJid(jid);
    const id = parseDeviceJid(jid)?.device ?? 0;
    if (!account || id === 0) return account && { account };
    const companion = account.companions.get(id);
    return companion && { account, companion };
  }

  /** The chat of a stored message: of a number, of a group's jid, or the statuses. */
  chat(chatId: string): Chat | StatusFeed | undefined {
    return this.shared(chatId) ?? this.byNumber(chatId);
  }

  /** The group of a jid, or the statuses: where one ciphertext is for many people. */
  shared(jid: string | undefined): Group | StatusFeed | undefined {
    return jid === STATUS_JID ? STATUS_FEED : this.groups.byJid(jid);
  }

  /** @throws Refusal or GroupRefusal 404 when there is no such person or group */
  requireChat(chatId: string): Chat {
    return isGroupJid(chatId) ? this.groups.require(chatId) : this.require(chatId);
  }

  /** The members of a group, in the order in which they joined. */
  membersOf(group: Group): Account[] {
    return [...group.members].flatMap(([lid]) => this.byLid(lid) ?? []);
  }

  /** The person, everybody with a chat with the person, and everybody in a group with the person. */
  contactsOf(account: Account): Set<Account> {
    const fellows = this.groups.of(account).flatMap((group) => this.membersOf(group));
    return new Set([account, ...account.phone.partners, ...fellows]);
  }

  #freeLid(pn: string): string {
    let lid = lidOf(pn);
    while (this.#byLid.has(lid)) lid = String(BigInt(lid) + 1n);
    return lid;
  }

  /** A former owner of the number keeps the rows that begin with it. */
  #freeKey(pn: string): string {
    let key = pn;
    for (let count = 2; this.#byKey.has(key); count++) key = `${pn}-${count}`;
    return key;
  }
}

/** The jid of a chat on the wire. */
export function jidOf(chat: Chat | StatusFeed, mode: AddressingMode): string {
  return chat instanceof Account ? chat.privateJid(mode) : chat.chatId;
}

/** The jid of a person's device in a chat: groups never hide the LID, other chats may. */
export function jidIn(chat: Chat | StatusFeed, person: Account, mode: AddressingMode, device = 0): string {
  return chat instanceof Group ? person.jid(mode, device) : person.privateJid(mode, device);
}
