import { createHash } from 'node:crypto';
import { proto } from '@whiskeysockets/baileys';
import Joi from 'joi';
import type {
  ChatstateView,
  DeviceDetails,
  DeviceView,
  PayloadView,
  PhoneView,
  ReceiptState,
} from '../../contract/sandbox/index.js';
import { LID_SERVER, PN_SERVER } from '../../domain/address.js';
import type { Bundle, PreKey } from '../signal/prekeys.js';
import type { KeyOwner, KeyPosition } from '../signal/sender-keys.js';
import type { State } from '../store/state.js';
import { readRow } from '../store/stored-row.js';
import { deviceJid, type Stanza, stanza } from '../wire/stanza.js';
import { Mailbox } from './mailbox.js';
import {
  type AccountRecord,
  type CompanionRecord,
  type StoredPicture,
  serialiseAccount,
  serialiseCompanion,
} from './records.js';
import type { Registration } from './registration.js';

/** Ids with keys, in base64. */
const PRE_KEYS = Joi.array().items(
  Joi.array<[number, string]>().ordered(Joi.number().required(), Joi.string().required()),
);

/** How stanzas name people: by LID, as on the real network today, or by phone number. */
export type AddressingMode = 'lid' | 'pn';

/** An account's phone (its device 0), as the network uses it. */
export interface AccountPhone {
  /** Everybody with whom the account has a private chat. */
  readonly partners: ReadonlySet<Account>;
  /** Takes a stanza that the network routes to the phone. */
  accept(stanza: Stanza): void;
  /** A bundle with a fresh one-time key. */
  takeBundle(): Bundle;
  noteRead(messageIds: string[]): void;
  /** @returns the ids whose receipt is new */
  noteReceipts(messageIds: string[], from: string, state: ReceiptState): string[];
  noteChatstate(chatstate: ChatstateView): void;
  noteGroupKey(owner: KeyOwner, position: KeyPosition): void;
  /** Replaces a person's number in everything that the phone holds. */
  renumber(before: string, after: string): void;
}

/** A client's socket, as the network uses it. */
export interface ClientConnection {
  /** Where it came from, as `ip:port`. */
  readonly address: string;
  /** Set when the client is a device that is not linked yet. */
  readonly registration?: Registration | undefined;
  /** The linked device, from login on. */
  companion?: Companion | undefined;
  /** True once the network has closed it, though its socket may wait for the client. */
  readonly isClosed: boolean;
  send(stanza: Stanza): void;
  /** Sends bytes instead of an encoded stanza. */
  sendRaw(bytes: Buffer): void;
  /** Sends a last stanza, if given, and closes in good order: after a last stanza, the client may close first. */
  close(last?: Stanza): void;
  /** Closes because another connection of the same device took over. */
  replace(): void;
  /** Terminates the socket without a closing stanza. */
  cut(): void;
  /** Stops reading and sending, but leaves the socket open. */
  mute(): void;
  /** Unlinks the device of the connection, or the one whose login is refused. @param last what its connections end with */
  unlink(last: Stanza, companion?: Companion): void;
  /** From now on the connection is cut when the client stays silent. */
  watchSilence(): void;
}

/** LIDs have fifteen digits here, so that none looks like a phone number in use. */
const LID_BASE = 100_000_000_000_000n;
const LID_RANGE = 900_000_000_000_000n;

/** A person on the network: a number, a LID, and the linked devices. */
export class Account {
  readonly record: AccountRecord;
  readonly companions = new Map<number, Companion>();
  readonly #state: State;
  #phone?: AccountPhone;

  constructor(record: AccountRecord, state: State) {
    this.record = record;
    this.#state = state;
  }

  /** An account gets its phone as soon as it is made. */
  get phone(): AccountPhone {
    if (!this.#phone) throw new Error(`${this.number} has no phone yet`);
    return this.#phone;
  }

  set phone(phone: AccountPhone) {
    this.#phone = phone;
  }

  get pn(): string {
    return this.record.pn;
  }

  /** The prefix of its stored rows; it stays when the number changes. */
  get key(): string {
    return this.record.key ?? this.record.pn;
  }

  get lid(): string {
    return this.record.lid;
  }

  /** E.164 with `+`. */
  get number(): string {
    return `+${this.record.pn}`;
  }

  /** The control API's id of the chat with the person. */
  get chatId(): string {
    return this.number;
  }

  /** The jid of a device; device 0 is the phone and stands for the person too. */
  jid(mode: AddressingMode, device = 0): string {
    return mode === 'lid' ? deviceJid(this.lid, LID_SERVER, device) : deviceJid(this.pn, PN_SERVER, device);
  }

  /** The jid in a private chat, where the LID may be hidden. */
  privateJid(mode: AddressingMode, device = 0): string {
    return this.jid(this.record.hideLid ? 'pn' : mode, device);
  }

  view(): PhoneView {
    const {
      name,
      status,
      textStatus,
      username,
      businessName = '',
      picture,
      hideLid = false,
      passkey,
      privacy = {},
    } = this.record;
    const devices = [...this.companions.values()].map((companion) => companion.view());
    return {
      number: this.number,
      name,
      jid: this.jid('pn'),
      lid: this.jid('lid'),
      status: textStatus?.text ?? status,
      username,
      businessName,
      pictureId: versionOf(picture),
      pictureHidden: privacy.profile === 'none',
      onlyAdminsAddMe: (privacy.groupadd ?? 'all') !== 'all',
      hideLid,
      passkey: passkey?.isRequired ? 'required' : 'off',
      devices,
    };
  }

  keep(): void {
    this.#state.put('account', this.key, () => serialiseAccount(this.record));
  }
}

/** The LID of a number: stable, and no phone number. */
export function lidOf(pn: string): string {
  const digest = createHash('sha256').update(`lid ${pn}`).digest().readBigUInt64BE();
  return String(LID_BASE + (digest % LID_RANGE));
}

/** With this many one-time keys left, the device is asked for more. */
const FEW_KEYS = 2;

/** A device that is linked to somebody's phone. */
export class Companion {
  readonly account: Account;
  readonly record: CompanionRecord;
  readonly mailbox: Mailbox;
  /** The open connection, from login on. */
  connection?: ClientConnection | undefined;
  /** The payload of the last login. */
  login?: PayloadView;
  /** True from the request for more keys until the upload. */
  askedForKeys = false;
  /** Whether it has ever uploaded one-time keys. */
  hasUploaded = false;
  readonly #preKeys = new Map<number, PreKey>();
  /** The ids of keys that others got since the start of the network. */
  readonly #handedOut = new Set<number>();
  readonly #state: State;

  constructor(account: Account, record: CompanionRecord, state: State) {
    this.account = account;
    this.record = record;
    this.#state = state;
    this.mailbox = new Mailbox(this.row, state);
  }

  get id(): number {
    return this.record.id;
  }

  /** The key of its stored row. */
  get row(): string {
    return `${this.account.key}:${this.record.id}`;
  }

  /** The one-time keys that are left. */
  get preKeys(): PreKey[] {
    return [...this.#preKeys.values()];
  }

  hasHandedOut(id: number): boolean {
    return this.#handedOut.has(id);
  }

  get keysLeft(): number {
    return this.#preKeys.size;
  }

  get isLowOnKeys(): boolean {
    return this.#preKeys.size <= FEW_KEYS;
  }

  addPreKeys(keys: PreKey[]): void {
    this.hasUploaded = true;
    for (const key of keys) this.#preKeys.set(key.id, key);
    this.askedForKeys = false;
    this.#keepPreKeys();
  }

  /** A bundle; its one-time key is never handed out again. */
  takeBundle(): Bundle {
    const { registrationId, identity, signedPreKey } = this.record;
    const [preKey] = this.#preKeys.values();
    if (!preKey) return { registrationId, identity, signedPreKey };
    this.#preKeys.delete(preKey.id);
    this.#handedOut.add(preKey.id);
    this.#keepPreKeys();
    return { registrationId, identity, signedPreKey, preKey };
  }

  view(): DeviceView {
    return { id: this.id, platform: this.record.platform, connected: this.connection !== undefined };
  }

  details(): DeviceDetails {
    const { registrationId, payload } = this.record;
    return {
      ...this.view(),
      registrationId,
      preKeys: this.keysLeft,
      address: this.connection?.address,
      registration: payload,
      login: this.login,
    };
  }

  keep(): void {
    this.#state.put('companion', this.row, () => serialiseCompanion(this.record));
  }

  restorePreKeys(value: string): void {
    this.hasUploaded = true;
    for (const [id, key] of readRow(PRE_KEYS, value))
      this.#preKeys.set(id, { id, value: Buffer.from(key, 'base64') });
  }

  /** Removes all its stored rows. */
  discard(): void {
    this.mailbox.discard();
    this.#state.remove('companion', this.row);
    this.#state.remove('shelf', this.row);
  }

  #keepPreKeys(): void {
    const keys = () => [...this.#preKeys.values()].map((key) => [key.id, key.value.toString('base64')]);
    this.#state.put('shelf', this.row, () => JSON.stringify(keys()));
  }
}

/** The version of a picture as the network shows it; empty when there is none. */
export function versionOf(picture: StoredPicture | undefined): string {
  return picture?.image ? String(picture.version) : '';
}

const ISSUER = 'smb:wa';

/** The certificate of a business name, for its messages; empty for people. */
export function verifiedName({ record: { businessName } }: Account): Stanza[] {
  if (!businessName) return [];
  const details = proto.VerifiedNameCertificate.Details.encode({
    issuer: ISSUER,
    verifiedName: businessName,
  }).finish();
  const certificate = proto.VerifiedNameCertificate.encode({ details }).finish();
  return [stanza('verified_name', { v: '1' }, certificate)];
}

/** A device of an account: the phone or a linked device. */
export interface Device {
  account: Account;
  /** Undefined for the phone. */
  companion?: Companion;
}

/** All devices of a person, the phone first. */
export function devicesOf(account: Account): Device[] {
  return [{ account }, ...[...account.companions.values()].map((companion) => ({ account, companion }))];
}

export function deviceId(device: Device): number {
  return device.companion?.id ?? 0;
}

/** A device's key in logs and maps. */
export function deviceRow(device: Device): string {
  return `${device.account.key}:${deviceId(device)}`;
}
