import { randomBytes } from 'node:crypto';
import type { WebSocket } from 'ws';
import type { Clock } from '../domain/clock.js';
import type { Account, AddressingMode } from './account.js';
import type { NetworkEvent, StatsView } from './api.js';
import { SharedSettings } from './app-state/shared-settings.js';
import type { Chat } from './chat.js';
import type { Companion } from './companion.js';
import { Connection } from './connection.js';
import { EventHub } from './events.js';
import { FaultBoard } from './faults/board.js';
import { Groups, isGroupJid } from './groups/groups.js';
import { Blobs } from './media/blobs.js';
import { PhoneFiles } from './media/files.js';
import type { MediaFolder } from './media/folder.js';
import { PictureUrls } from './media/picture-urls.js';
import { MediaTokens } from './media/tokens.js';
import { PairingDesk } from './pairing/desk.js';
import { PerAccount } from './per-account.js';
import { Phone } from './phone/phone.js';
import type { Bundle } from './prekeys.js';
import { Refusal } from './refusal.js';
import { type Device, Registry } from './registry.js';
import { SentLog } from './routing/sent-log.js';
import { SenderKeys } from './signal/sender-keys.js';
import { createSignalKeys } from './signal/signal-device.js';
import type { State } from './state/state.js';
import { Stats } from './stats.js';
import { type Authority, certificateChain } from './wire/certificate.js';
import { NETWORK_JID } from './wire/jid.js';
import { stanza } from './wire/stanza.js';

const ID_BYTES = 8;
const MESSAGE_ID_BYTES = 9;
const APP_STATE_ID_BYTES = 6;
const APP_STATE_KEY_BYTES = 32;
/** Clients ping at least each minute. */
const SILENCE_MS = 90_000;

/** What the sandbox needs of a logger; pino's fits. */
export interface Log {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

export interface NetworkOptions {
  authority: Authority;
  state: State;
  media: MediaFolder;
  clock: Clock;
  log?: Log | undefined;
  addressing?: AddressingMode | undefined;
  silenceMs?: number | undefined;
}

/** The simulated network: everybody on it, and what they share. */
export class Network {
  readonly registry = new Registry();
  readonly events = new EventHub();
  readonly faults = new FaultBoard();
  readonly stats = new Stats();
  readonly mediaTokens = new MediaTokens();
  readonly pairing: PairingDesk;
  readonly connections = new Set<Connection>();
  readonly authority: Authority;
  /** The encoded certificate chain that each client is shown. */
  readonly certificate: Buffer;
  readonly state: State;
  readonly blobs: Blobs;
  readonly files: PhoneFiles;
  readonly clock: Clock;
  readonly log: Log | undefined;
  readonly addressing: AddressingMode;
  /** Milliseconds after which a client that says nothing is dropped. */
  readonly silenceMs: number;
  /** What the devices of each account share. */
  readonly settings = new PerAccount((account) => new SharedSettings(account, this));
  readonly pictureUrls: PictureUrls;
  readonly groups: Groups;
  /** What phones encrypt with for groups, and read of them. */
  readonly senderKeys: SenderKeys;
  readonly #phones = new PerAccount((account) => new Phone(account, this));
  readonly #sentLogs = new PerAccount(() => new SentLog());

  constructor({
    authority,
    state,
    media,
    clock,
    log,
    addressing = 'lid',
    silenceMs = SILENCE_MS,
  }: NetworkOptions) {
    this.authority = authority;
    this.state = state;
    this.pictureUrls = new PictureUrls(authority.root.private, clock);
    this.groups = new Groups(state);
    this.senderKeys = new SenderKeys(state);
    this.blobs = new Blobs(media);
    this.files = new PhoneFiles(media);
    this.clock = clock;
    this.log = log;
    this.addressing = addressing;
    this.silenceMs = silenceMs;
    this.certificate = certificateChain(authority, clock.now());
    this.pairing = new PairingDesk(this);
  }

  /** Seconds since the epoch. */
  now(): number {
    return Math.floor(this.clock.now() / 1000);
  }

  /** A fresh id for a stanza of the network's own. */
  newId(): string {
    return randomBytes(ID_BYTES).toString('hex');
  }

  /** A fresh message id in the form that phones use: `3A` and 18 upper-case hex digits. */
  newMessageId(): string {
    return `3A${randomBytes(MESSAGE_ID_BYTES).toString('hex').toUpperCase()}`;
  }

  /** A new person with a phone. @throws Refusal 409 when the number is taken. */
  addPhone(number: string, name: string): Phone {
    if (this.registry.byNumber(number)) throw new Refusal(409, `${number} has a phone already`);
    const account = this.registry.create(
      {
        pn: number.slice(1),
        name,
        status: '',
        username: '',
        nextDevice: 1,
        createdAt: this.now(),
        keys: createSignalKeys(),
        appStateKey: { id: randomBytes(APP_STATE_ID_BYTES), key: randomBytes(APP_STATE_KEY_BYTES) },
      },
      this.state,
    );
    return this.phone(account);
  }

  phone(account: Account): Phone {
    return this.#phones.of(account);
  }

  /** The chat that the control API calls so: a number, or a group's jid. Undefined when there is none. */
  chat(chatId: string): Chat | undefined {
    return this.groups.byJid(chatId) ?? this.registry.byNumber(chatId);
  }

  /** @throws Refusal or GroupRefusal 404 when there is no such person or group */
  requireChat(chatId: string): Chat {
    return isGroupJid(chatId) ? this.groups.require(chatId) : this.registry.require(chatId);
  }

  sentLog(account: Account): SentLog {
    return this.#sentLogs.of(account);
  }

  /** A bundle of a device, for opening a session with it. A device that runs low on one-time keys is told so. */
  takeBundle({ account, companion }: Device): Bundle {
    if (!companion) return this.phone(account).signal.takeBundle();
    const bundle = companion.takeBundle();
    if (companion.isLowOnKeys && !companion.askedForKeys) {
      companion.askedForKeys = true;
      const attrs = { from: NETWORK_JID, type: 'encrypt', id: this.newId(), t: String(this.now()) };
      const count = stanza('count', { value: String(companion.keysLeft) });
      companion.mailbox.push(stanza('notification', attrs, [count]));
    }
    return bundle;
  }

  /** A client has opened a socket. */
  welcome(socket: WebSocket): void {
    this.connections.add(new Connection(socket, this));
  }

  /** A connection is not of use any more, whatever its socket does. */
  leave(connection: Connection): void {
    this.pairing.leave(connection);
    const { companion } = connection;
    if (companion?.connection !== connection) return;
    companion.connection = undefined;
    companion.mailbox.shut();
    this.tellDevice(companion, 'disconnected');
  }

  tellDevice(companion: Companion, change: Extract<NetworkEvent, { type: 'device' }>['change']): void {
    const { number } = companion.account;
    this.events.emit(() => ({ type: 'device', number, device: companion.view(), change }));
  }

  counters(): StatsView {
    const { logins, conflicts, dropped, repeated, loginsByDevice, stanzasIn, stanzasOut, queries } =
      this.stats;
    const companions = [...this.registry.accounts].flatMap(({ companions }) => [...companions.values()]);
    const away = companions.filter(({ connection }) => !connection);
    const here = companions.filter(({ connection }) => connection);
    return {
      connections: this.connections.size,
      logins,
      conflicts,
      dropped,
      repeated,
      loginsByDevice: Object.fromEntries(loginsByDevice),
      stanzasIn,
      stanzasOut,
      queries: Object.fromEntries(queries),
      waitingOffline: away.reduce((sum, { mailbox }) => sum + mailbox.messages, 0),
      unacknowledged: here.reduce((sum, { mailbox }) => sum + mailbox.size, 0),
      phones: this.registry.size,
      devices: companions.length,
    };
  }

  /** Resolves when the phones have worked off what has arrived. */
  async settled(): Promise<void> {
    for (const phone of this.#phones.all) await phone.settled();
  }

  /** Cuts every connection. */
  shut(): void {
    for (const connection of [...this.connections]) connection.cut();
  }
}
