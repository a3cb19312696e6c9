import { randomBytes } from 'node:crypto';
import type { NetworkEvent, StatsView } from '../../contract/sandbox/index.js';
import type { VirtualClock } from '../../domain/virtual-clock.js';
import { MediaHost } from '../media/host.js';
import type { MediaFolder } from '../media/store.js';
import type { Bundle } from '../signal/prekeys.js';
import type { State } from '../store/state.js';
import { type Authority, certificateChain, createAuthority, generateKeyPair } from '../wire/keys.js';
import { NETWORK_JID, type Stanza, type StanzaContent, stanza } from '../wire/stanza.js';
import type { Account, AddressingMode, ClientConnection, Companion, Device } from './account.js';
import { CallBoard } from './call-board.js';
import { ChannelWatchers } from './channel-watchers.js';
import { Directory } from './directory.js';
import { FaultBoard } from './faults.js';
import { PresenceBoard } from './presence-board.js';
import { NetworkRules } from './rules.js';
import { SentLog } from './sent-log.js';
import { Visits } from './visits.js';

const ID_BYTES = 8;
const MESSAGE_ID_BYTES = 9;
/** Clients ping at least once a minute. */
const SILENCE_MS = 90_000;
/** Start of the certificates that have expired: they are valid for ten years. */
const LONG_AGO_MS = Date.UTC(1972, 0);

/** Logger of the sandbox; pino's fits. */
export interface Log {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

/**
 * State that all parts of the simulated network share: people and groups, media, faults, time, events and counters. It
 * knows neither phones nor sockets as classes, only the interfaces `AccountPhone` and `ClientConnection`.
 */
export class Network {
  readonly directory: Directory;
  readonly media: MediaHost;
  readonly faults: FaultBoard;
  readonly events = new EventHub();
  /** Every stanza, for streams that ask for them. */
  readonly stanzas = new EventHub();
  readonly stats = new Stats();
  readonly visits = new Visits();
  readonly connections = new Set<ClientConnection>();
  readonly rules: NetworkRules;
  readonly presence = new PresenceBoard();
  readonly calls = new CallBoard();
  readonly channelWatchers = new ChannelWatchers();
  readonly state: State;
  readonly clock: VirtualClock;
  readonly log: Log | undefined;
  readonly addressing: AddressingMode;
  /** Milliseconds after which a silent client is dropped. */
  readonly silenceMs: number;
  readonly authority: Authority;
  #certificate?: Buffer;
  readonly #sentLogs = new Map<Account, SentLog>();

  constructor({
    authority,
    state,
    media,
    clock,
    log,
    addressing = 'lid',
    silenceMs = SILENCE_MS,
  }: {
    authority: Authority;
    state: State;
    media: MediaFolder;
    clock: VirtualClock;
    log?: Log | undefined;
    addressing?: AddressingMode | undefined;
    silenceMs?: number | undefined;
  }) {
    this.authority = authority;
    this.state = state;
    this.rules = new NetworkRules(state);
    this.faults = new FaultBoard(clock);
    this.directory = new Directory(state);
    this.media = new MediaHost(media, authority.root.private, clock);
    this.clock = clock;
    this.log = log;
    this.addressing = addressing;
    this.silenceMs = silenceMs;
  }

  /** Seconds since the epoch. */
  now(): number {
    return Math.floor(this.clock.now() / 1000);
  }

  /** The encoded certificate chain that the network shows to a client. */
  certificate(): Buffer {
    const { authority, faults, clock } = this;
    const now = clock.now();
    if (faults.take('wrong-certificate')) {
      const { root, intermediate } = createAuthority();
      return certificateChain({ root, intermediate, server: authority.server }, now);
    }
    if (faults.take('wrong-certificate-key'))
      return certificateChain({ ...authority, server: generateKeyPair() }, now);
    if (faults.take('expired-certificate')) return certificateChain(authority, LONG_AGO_MS);
    this.#certificate ??= certificateChain(authority, now);
    return this.#certificate;
  }

  /** A fresh id for a stanza of the network. */
  newId(): string {
    return randomBytes(ID_BYTES).toString('hex');
  }

  /** A fresh message id in the form that phones use: `3A` and 18 upper-case hex digits. */
  newMessageId(): string {
    return `3A${randomBytes(MESSAGE_ID_BYTES).toString('hex').toUpperCase()}`;
  }

  /** Puts a notification into the mailbox of a device. */
  notify({ mailbox }: Companion, attrs: Record<string, string | undefined>, content: StanzaContent): void {
    mailbox.push(stanza('notification', { id: this.newId(), t: String(this.now()), ...attrs }, content));
  }

  /** Hands a stanza to a device: to a phone at once, to a linked device through its mailbox. */
  give({ account, companion }: Device, given: Stanza): void {
    if (companion) companion.mailbox.push(given);
    else account.phone.accept(given);
  }

  /** Recent message ids of an account's devices. */
  sentLog(account: Account): SentLog {
    const known = this.#sentLogs.get(account);
    if (known) return known;
    const log = new SentLog();
    this.#sentLogs.set(account, log);
    return log;
  }

  /** A bundle for a new session with a device. A device that runs low on one-time keys is asked for more. */
  takeBundle({ account, companion }: Device): Bundle {
    if (!companion) return account.phone.takeBundle();
    const bundle = companion.takeBundle();
    if (companion.isLowOnKeys && !companion.askedForKeys) {
      companion.askedForKeys = true;
      const count = stanza('count', { value: String(companion.keysLeft) });
      this.notify(companion, { from: NETWORK_JID, type: 'encrypt' }, [count]);
    }
    return bundle;
  }

  reportDevice(companion: Companion, change: Extract<NetworkEvent, { type: 'device' }>['change']): void {
    const { number } = companion.account;
    this.events.emit(() => ({ type: 'device', number, device: companion.view(), change }));
  }

  counters(): StatsView {
    const { queries, loginsByDevice, pairErrors, retryReceipts, messageRefusals, firstContacts, ...counts } =
      this.stats;
    const companions = [...this.directory.accounts].flatMap((account) => [...account.companions.values()]);
    const away = companions.filter(({ connection }) => !connection);
    const here = companions.filter(({ connection }) => connection);
    return {
      connections: this.connections.size,
      ...counts,
      loginsByDevice: Object.fromEntries(loginsByDevice),
      queries: Object.fromEntries(queries),
      pairErrors: Object.fromEntries(pairErrors),
      retryReceipts: Object.fromEntries(retryReceipts),
      messageRefusals: Object.fromEntries(messageRefusals),
      firstContacts: Object.fromEntries(firstContacts),
      waitingOffline: away.reduce((sum, { mailbox }) => sum + mailbox.messages, 0),
      unacknowledged: here.reduce((sum, { mailbox }) => sum + mailbox.size, 0),
      phones: this.directory.size,
      devices: companions.length,
    };
  }

  /** Cuts every connection. */
  shut(): void {
    for (const connection of [...this.connections]) connection.cut();
  }
}

/** Passes events on to listeners; an event is only built while somebody listens. */
class EventHub {
  readonly #listeners = new Set<(event: NetworkEvent) => void>();

  /** @returns a function that removes the listener */
  listen(listener: (event: NetworkEvent) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  emit(make: () => NetworkEvent): void {
    if (this.#listeners.size === 0) return;
    const event = make();
    for (const listener of this.#listeners) listener(event);
  }
}

class Stats {
  logins = 0;
  conflicts = 0;
  dropped = 0;
  repeated = 0;
  resent = 0;
  senderKeys = 0;
  outdated = 0;
  resumed = 0;
  versionLookups = 0;
  stanzasIn = 0;
  stanzasOut = 0;
  /** Queries that clients made, by namespace. */
  readonly queries = new Map<string, number>();

  /** Refusals of `pair-success`, by code and text. */
  readonly pairErrors = new Map<string, number>();

  /** Retry receipts of linked devices, by their `error`. */
  readonly retryReceipts = new Map<string, number>();

  /** Negative acknowledgements of messages, by their `error`. */
  readonly messageRefusals = new Map<string, number>();

  /** Chats that each number began, with people who had not written to it. */
  readonly firstContacts = new Map<string, number>();

  readonly #chats = new Set<string>();

  /** Logins by device, as `<number>:<device>`. */
  readonly loginsByDevice = new Map<string, number>();

  countLogin(number: string, device: number): void {
    this.logins++;
    const name = `${number}:${device}`;
    this.loginsByDevice.set(name, (this.loginsByDevice.get(name) ?? 0) + 1);
  }

  countRetry(error: string): void {
    this.retryReceipts.set(error, (this.retryReceipts.get(error) ?? 0) + 1);
  }

  /** Counts the first message between two people. */
  countContact(author: Account, partner: Account): void {
    const chat = [author.number, partner.number].sort().join(' ');
    if (author === partner || this.#chats.has(chat)) return;
    this.#chats.add(chat);
    this.firstContacts.set(author.number, (this.firstContacts.get(author.number) ?? 0) + 1);
  }

  countRefusal(error: string): void {
    this.messageRefusals.set(error, (this.messageRefusals.get(error) ?? 0) + 1);
  }

  countPairError(answer: string): void {
    this.pairErrors.set(answer, (this.pairErrors.get(answer) ?? 0) + 1);
  }

  countQuery(namespace: string): void {
    this.queries.set(namespace, (this.queries.get(namespace) ?? 0) + 1);
  }
}
