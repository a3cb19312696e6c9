import { AsyncResource } from 'node:async_hooks';
import type { BinaryNode, ConnectionState, WASocket } from '@whiskeysockets/baileys';
import { jidDecode, proto } from '@whiskeysockets/baileys';
import type { Address } from '../../domain/address.js';
import type { Clock } from '../../domain/clock.js';
import { GatewayError } from '../../domain/errors.js';
import type { Logger } from '../../log.js';
import type {
  Link,
  LinkEvent,
  LinkKeys,
  LinkOptions,
  LinkVitals,
  LookedUpPerson,
  OutgoingMessage,
  SentMessage,
} from '../link.js';
import { CredentialSaver, loadCredentials, makeKeyStore, watchKeys } from './auth-state.js';
import { Contacts } from './contacts.js';
import { Devices } from './devices.js';
import { type FaultOwner, guardListeners, inNameOf, type Ownership } from './faults.js';
import { isFinishedPairing, ownIdentity } from './identity.js';
import { buildIncoming, resentMessage } from './incoming.js';
import { Journal, type LiveStanza } from './journal.js';
import { libraryLog } from './log-bridge.js';
import { lookUp } from './lookup.js';
import { requestPairingCode } from './pairing-code.js';
import { type Verdict, verdictOn } from './reasons.js';
import { statusesIn } from './receipts.js';
import { notConnected, Sender } from './send.js';
import { keepTokenNotes, type NetworkAddress, openSocket, terminate } from './socket.js';
import { unlink } from './unlink.js';
import { Watchdog } from './watchdog.js';

/** Milliseconds that the closing handshake may take before the connection is cut. */
const CLOSING_MS = 1_500;
const CLOSED: Verdict = { reason: 'connection_closed', detail: 'The connection was closed.' };
/** Stanzas after which the library closes, and would wait for a peer that may be gone. */
const FAREWELLS = ['CB:stream:error', 'CB:failure', 'CB:xmlstreamend', 'CB:ib,,downgrade_webclient'];

/** What every link of one network shares. */
export interface LinkSurroundings {
  network: NetworkAddress;
  log: Logger;
  clock: Clock;
  qrLifetimeMs?: number;
}

/** What exists while there is a socket. */
interface Connection {
  sock: WASocket;
  sender: Sender;
  saver: CredentialSaver;
  journal: Journal;
  devices: Devices;
  contacts: Contacts;
  wasPaired: boolean;
}

/** One connection of one session, over the library's socket. */
export class BaileysLink implements Link, FaultOwner {
  readonly #options: LinkOptions;
  readonly #around: LinkSurroundings;
  readonly #log: Logger;
  readonly #keys: LinkKeys;
  readonly #watchdog: Watchdog;
  readonly #gone: Promise<void>;
  readonly #ownership: Ownership = { owner: this };
  #connection: Connection | undefined;
  #opened = false;
  /** Nothing is told any more: the owner ended the link. */
  #silent = false;
  #verdict: Verdict | undefined;
  #concluding = false;
  #resolveGone: () => void = () => undefined;
  #cancelCut: () => void = () => undefined;

  constructor(options: LinkOptions, around: LinkSurroundings) {
    this.#options = options;
    this.#around = around;
    this.#log = around.log.child({ clientId: options.clientId });
    this.#keys = watchKeys(options.keys, (error) => this.#onStoreFailure(error));
    this.#watchdog = new Watchdog(around.clock, (verdict) => this.#fail(verdict));
    this.#gone = new Promise((resolve) => {
      this.#resolveGone = resolve;
    });
  }

  /** Begins to connect; everything that goes wrong arrives as `closed`. */
  begin(): void {
    inNameOf(this.#ownership, () => {
      this.#watchdog.expectProgress('The network did not let the connection come up in time.');
      this.#connect().catch((error: unknown) => this.onLibraryFault(error));
    });
  }

  async requestPairingCode(phone: string): Promise<string> {
    const { sock } = this.#connection ?? {};
    if (!sock || this.#verdict) {
      throw new GatewayError(
        'pairing_code_refused',
        'The connection is not ready to ask for a code. Try again.',
      );
    }
    return requestPairingCode(sock, this.#around.clock, phone);
  }

  async send(message: OutgoingMessage): Promise<SentMessage> {
    const { sender } = this.#usable() ?? {};
    if (!sender) throw notConnected();
    return inNameOf(this.#ownership, () => sender.send(message));
  }

  async lookUp(address: Address): Promise<LookedUpPerson | undefined> {
    const connection = this.#usable();
    if (!connection) throw new GatewayError('lookup_failed', 'The session is not connected. Try again.');
    const person = await inNameOf(this.#ownership, () => lookUp(connection.sock, address));
    if (person?.lid && person.pn) connection.contacts.fromPair(person, 'lookup');
    return person;
  }

  async logout(): Promise<boolean> {
    this.#silent = true;
    const connection = this.#usable();
    const confirmed = connection ? await unlink(connection.sock, this.#gone) : false;
    await this.close();
    // the network may end the connection of an unlinked device before it answers
    return confirmed || this.#verdict?.reason === 'logged_out';
  }

  async close(): Promise<void> {
    this.#silent = true;
    this.#watchdog.stop();
    const { sock } = this.#connection ?? {};
    if (!sock) return this.#conclude(CLOSED);
    this.#cutSoon(sock);
    void sock.end(undefined);
    return this.#gone;
  }

  vitals(): LinkVitals {
    return { ...this.#watchdog.vitals };
  }

  onLibraryFault(error: unknown): void {
    if (this.#over()) return;
    this.#log.error({ err: error }, 'the link failed inside its library');
    this.#fail({
      reason: 'library_fault',
      detail: 'An error inside the network library ended the connection.',
    });
  }

  #over(): boolean {
    return this.#concluding || this.#verdict !== undefined;
  }

  #usable(): Connection | undefined {
    return this.#opened && !this.#over() ? this.#connection : undefined;
  }

  async #connect(): Promise<void> {
    const { clock, log, network, qrLifetimeMs } = this.#around;
    const creds = await loadCredentials(this.#keys);
    if (this.#over()) return;
    const outside = new AsyncResource('switchboard.link');
    const journal = new Journal({
      outside,
      keys: this.#keys,
      clock,
      onDecrypted: (stanza) => this.#onDecrypted(stanza),
    });
    const devices = new Devices(clock);
    const sock = openSocket(network, {
      auth: { creds, keys: makeKeyStore(this.#keys, () => journal.forgetSessions()) },
      logger: libraryLog(log.child({ area: 'baileys', clientId: this.#options.clientId })),
      makeSignalRepository: journal.makeRepository,
      userDevicesCache: devices.cache,
      ...(qrLifetimeMs && { qrTimeout: qrLifetimeMs }),
      getMessage: (key) => this.#findSent(key.id),
    });
    keepTokenNotes(sock, outside);
    const emit = (event: LinkEvent) => this.#emit(event);
    this.#connection = {
      sock,
      sender: new Sender(sock, devices, clock, emit),
      saver: new CredentialSaver(this.#keys, creds),
      journal,
      devices,
      contacts: new Contacts(emit),
      wasPaired: isFinishedPairing(creds),
    };
    this.#guard(sock);
    this.#listenToStanzas(this.#connection);
    this.#listenToEvents(this.#connection);
  }

  #guard({ ws }: WASocket): void {
    guardListeners(ws, {
      stanzaFault: (error, event) => this.#log.warn({ err: error, event }, 'a stanza could not be processed'),
      frameFault: (error) => {
        this.#log.warn({ err: error }, 'a frame could not be decoded');
        this.#fail({
          reason: 'undecodable_frame',
          detail: 'The network sent something that cannot be decoded.',
        });
      },
    });
    ws.on('unexpected-response', (_request, response) => {
      const detail = `The network refused the connection (HTTP ${response.statusCode}).`;
      this.#fail({ reason: 'network_unreachable', detail });
    });
  }

  #listenToStanzas({ sock, journal, sender, devices }: Connection): void {
    const { ws } = sock;
    ws.on('frame', () => this.#watchdog.stanzaCame());
    ws.prependListener('CB:message', (node: BinaryNode) => journal.note(node));
    ws.on('CB:ack,class:message', (node: BinaryNode) => sender.onAck(node));
    ws.on('CB:receipt', (node: BinaryNode) => {
      for (const event of statusesIn(sock, node, this.#around.clock.now())) this.#emit(event);
    });
    ws.on('CB:notification,type:devices', (node: BinaryNode) => devices.onNotification(node));
    ws.on('CB:notification,type:account_sync', () => {
      const { me } = sock.authState.creds;
      for (const jid of [me?.id, me?.lid]) devices.cache.del(jidDecode(jid)?.user ?? '');
    });
    for (const farewell of FAREWELLS) ws.on(farewell, () => this.#cutSoon(sock));
  }

  #listenToEvents(connection: Connection): void {
    const { ev } = connection.sock;
    const { contacts } = connection;
    ev.on('connection.update', (update) => this.#onConnectionUpdate(connection, update));
    ev.on('creds.update', () => this.#onCredentials(connection));
    ev.on('contacts.upsert', (learnt) => contacts.fromPhone(learnt));
    ev.on('contacts.update', (learnt) => contacts.fromPhone(learnt));
    ev.on('lid-mapping.update', ({ lid, pn }) => contacts.fromPair({ lid, pn }, 'mapping'));
    ev.on('messages.upsert', ({ messages, requestId }) => {
      // what the phone sent again because it could not be decrypted here; all else comes from the journal
      if (!requestId) return;
      const now = this.#around.clock.now();
      for (const message of messages.flatMap((each) => resentMessage(each, now) ?? [])) {
        this.#emit({ type: 'message', message });
      }
    });
  }

  #onConnectionUpdate({ sock, wasPaired }: Connection, update: Partial<ConnectionState>): void {
    if (update.qr) {
      this.#watchdog.rest();
      this.#emit({ type: 'qr', qr: update.qr });
    }
    if (update.connection === 'open') {
      this.#opened = true;
      this.#watchdog.watch(sock);
      this.#emit({ type: 'open', me: ownIdentity(sock.authState.creds) });
    }
    if (update.connection === 'close') {
      void this.#conclude(verdictOn(update.lastDisconnect?.error, wasPaired));
    }
  }

  #onCredentials(connection: Connection): void {
    const { sock, saver } = connection;
    saver.save();
    if (connection.wasPaired || !isFinishedPairing(sock.authState.creds)) return;
    connection.wasPaired = true;
    this.#watchdog.expectProgress('The network did not restart the connection after the pairing.');
    const me = ownIdentity(sock.authState.creds);
    void saver.flush().then((written) => written && this.#emit({ type: 'paired', me }));
  }

  #onDecrypted(stanza: LiveStanza): void {
    const { sock, contacts } = this.#connection ?? {};
    if (!sock || stanza.finished) return;
    try {
      const me = ownIdentity(sock.authState.creds);
      const message = buildIncoming(stanza.node.attrs, stanza.parts, me);
      contacts?.fromMessage(message);
      this.#emit({ type: 'message', message });
    } catch (error) {
      this.#log.warn({ err: error, messageId: stanza.node.attrs.id }, 'a message could not be read');
    }
  }

  async #findSent(messageId: string | null | undefined): Promise<proto.IMessage | undefined> {
    const bytes = messageId ? await this.#options.findSent(messageId) : undefined;
    return bytes && proto.Message.decode(bytes);
  }

  #onStoreFailure(error: unknown): void {
    if (this.#over()) return;
    this.#log.warn({ err: error }, 'the store failed under the link');
    this.#fail({ reason: 'store_unavailable', detail: 'The store could not keep what the network sent.' });
  }

  /** Ends the link from our side. The socket is dead at once, so that nothing more can be acknowledged. */
  #fail(verdict: Verdict): void {
    if (this.#over()) return;
    this.#verdict = verdict;
    this.#watchdog.stop();
    const { sock } = this.#connection ?? {};
    if (!sock) return void this.#conclude(verdict);
    this.#cut(sock, verdict);
  }

  /** Leaves the library the time for an orderly end. */
  #cutSoon(sock: WASocket): void {
    // cut already: what waits for the library's report of it must go on waiting
    if (this.#over()) return;
    this.#cancelCut();
    this.#cancelCut = this.#around.clock.after(CLOSING_MS, () => this.#cut(sock, CLOSED));
  }

  /** Should the library never report the end, the link does without. */
  #cut(sock: WASocket, verdict: Verdict): void {
    terminate(sock);
    this.#cancelCut();
    this.#cancelCut = this.#around.clock.after(CLOSING_MS, () => void this.#conclude(verdict));
  }

  async #conclude(verdict: Verdict): Promise<void> {
    if (this.#concluding) return this.#gone;
    this.#concluding = true;
    this.#verdict ??= verdict;
    this.#watchdog.stop();
    this.#cancelCut();
    const { sock, sender, saver } = this.#connection ?? {};
    sender?.stop();
    await saver?.flush();
    // the library leaves its open queries to their timeouts; this ends them, and their timers, now
    sock?.ws.emit('error', new Error('the connection has ended'));
    sock?.ws.removeAllListeners();
    // a socket that is torn down while it connects still reports that as an error
    sock?.ws.on('error', () => undefined);
    const { reason, detail } = this.#verdict;
    this.#emit({ type: 'closed', reason, detail });
    this.#silent = true;
    this.#connection = undefined;
    this.#ownership.owner = undefined;
    this.#resolveGone();
  }

  #emit(event: LinkEvent): void {
    if (!this.#silent) this.#options.emit(event);
  }
}
