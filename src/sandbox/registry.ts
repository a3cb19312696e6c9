import { PN_SERVER } from '../domain/address.js';
import { Account, type AccountRecord, lidOf } from './account.js';
import type { Companion } from './companion.js';
import { Refusal } from './refusal.js';
import type { State } from './state/state.js';
import { parseDeviceJid } from './wire/jid.js';

/** A device of somebody: the phone itself, or one of the linked ones. */
export interface Device {
  account: Account;
  /** Undefined for the phone. */
  companion?: Companion;
}

const E164 = /^\+[1-9][0-9]{4,14}$/;

/** Everybody on the network, by number and by hidden id. */
export class Registry {
  readonly #byPn = new Map<string, Account>();
  readonly #byLid = new Map<string, Account>();
  readonly #byKey = new Map<string, Account>();

  get accounts(): Iterable<Account> {
    return this.#byPn.values();
  }

  get size(): number {
    return this.#byPn.size;
  }

  add(account: Account): void {
    this.#byPn.set(account.pn, account);
    this.#byLid.set(account.lid, account);
    this.#byKey.set(account.key, account);
  }

  /** Gives a person another number. @throws Refusal 409 when somebody has it */
  renumber(account: Account, number: string): void {
    if (this.byNumber(number)) throw new Refusal(409, `${number} has a phone already`);
    this.#byPn.delete(account.pn);
    account.record.key ??= account.pn;
    account.record.pn = number.slice(1);
    this.#byPn.set(account.pn, account);
    account.keep();
  }

  /** The account whose rows in the kept state begin so. */
  byKey(key: string): Account | undefined {
    return this.#byKey.get(key);
  }

  /** A hidden id for a new number that nobody else has. */
  freeLid(pn: string): string {
    let lid = lidOf(pn);
    while (this.#byLid.has(lid)) lid = String(BigInt(lid) + 1n);
    return lid;
  }

  /** Who had the number before keeps the rows that begin with it. */
  #freeKey(pn: string): string {
    let key = pn;
    for (let count = 2; this.#byKey.has(key); count++) key = `${pn}-${count}`;
    return key;
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

  /** @throws Refusal 404 when nobody has that number. */
  require(number: string): Account {
    const account = this.byNumber(number);
    if (!account) throw new Refusal(404, `no phone has the number ${number}`);
    return account;
  }

  /** The person that a jid names, in either addressing, whatever its device. */
  byJid(jid: string | undefined): Account | undefined {
    const parsed = parseDeviceJid(jid);
    if (!parsed) return undefined;
    return (parsed.server === PN_SERVER ? this.#byPn : this.#byLid).get(parsed.user);
  }

  /** The device that a jid names; undefined when it is not (or no longer) linked. */
  device(jid: string | undefined): Device | undefined {
    const account = this.byJid(jid);
    const id = parseDeviceJid(jid)?.device ?? 0;
    if (!account || id === 0) return account && { account };
    const companion = account.companions.get(id);
    return companion && { account, companion };
  }

  /** Creates a kept account for a new number. */
  create(record: Omit<AccountRecord, 'lid'>, state: State): Account {
    const key = this.#freeKey(record.pn);
    const account = new Account({ ...record, lid: this.freeLid(record.pn), key }, state);
    this.add(account);
    account.keep();
    return account;
  }
}

/** All devices of a person, the phone first. */
export function devicesOf(account: Account): Device[] {
  return [{ account }, ...[...account.companions.values()].map((companion) => ({ account, companion }))];
}

/** The device number of a device. */
export function deviceId(device: Device): number {
  return device.companion?.id ?? 0;
}
