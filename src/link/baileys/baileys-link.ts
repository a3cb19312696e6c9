import type { ConnectionState } from '@whiskeysockets/baileys';
import type { Address } from '../../domain/address.js';
import { GatewayError } from '../../domain/errors.js';
import type { Logger } from '../../log.js';
import type {
  ChatChange,
  Link,
  LinkEvent,
  LinkKeys,
  LinkOptions,
  LinkVitals,
  LookedUpPerson,
  MediaMessage,
  MessageReference,
  OutgoingMessage,
  SentMessage,
} from '../link.js';
import type { LinkGroups } from '../port/groups.js';
import type { LinkPeople } from '../port/people.js';
import { loadCredentials, watchKeys } from './auth-state.js';
import { type Connection, type LinkSurroundings, makeConnection, releaseConnection } from './connection.js';
import { Ending } from './ending.js';
import { type FaultOwner, inNameOf, type Ownership } from './faults.js';
import { groupsOver } from './groups/groups-over.js';
import { noteHistoryWanted } from './history/wanted.js';
import { isFinishedPairing, ownIdentity } from './identity.js';
import { buildIncoming } from './incoming.js';
import type { LiveStanza } from './journal.js';
import { listen } from './listen.js';
import { lookUp } from './lookup.js';
import { renewMedia } from './media/renew.js';
import { requestPairingCode } from './pairing-code.js';
import { fetchPicture } from './people/fetch-picture.js';
import { askPicture } from './people/picture.js';
import { askProfile } from './people/profile.js';
import { type Verdict, verdictOn } from './reasons.js';
import { notConnected } from './send.js';
import { unlink } from './unlink.js';
import { Watchdog } from './watchdog.js';

/** One connection of one session, over the library's socket. */
export class BaileysLink implements Link, FaultOwner {
  readonly groups: LinkGroups = groupsOver((call) => this.#lookingUp(({ groups }) => call(groups)));
  readonly people: LinkPeople = {
    profile: (address) => this.#lookingUp(({ sock }) => askProfile(sock, address)),
    picture: (address, preview) => this.#lookingUp(({ sock }) => askPicture(sock, address, preview)),
    fetchPicture: (url, signal) => fetchPicture(url, this.#around.media, signal),
  };
  readonly #options: LinkOptions;
  readonly #around: LinkSurroundings;
  readonly #log: Logger;
  readonly #keys: LinkKeys;
  readonly #watchdog: Watchdog;
  readonly #ending: Ending;
  readonly #ownership: Ownership = { owner: this };
  #connection: Connection | undefined;
  #opened = false;
  /** Nothing is told any more: the owner ended the link. */
  #silent = false;

  constructor(options: LinkOptions, around: LinkSurroundings) {
    this.#options = options;
    this.#around = around;
    this.#log = around.log.child({ clientId: options.clientId });
    this.#keys = watchKeys(options.keys, (error) => this.#onStoreFailure(error));
    this.#watchdog = new Watchdog(around.clock, (verdict) => this.#ending.fail(verdict), around.pingEveryMs);
    this.#ending = new Ending({
      clock: around.clock,
      socket: () => this.#connection?.sock,
      onCertain: () => this.#watchdog.stop(),
      release: async () => this.#connection && releaseConnection(this.#connection),
      onEnded: (verdict) => this.#onEnded(verdict),
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
    if (!sock || this.#ending.certain) {
      throw new GatewayError(
        'pairing_code_refused',
        'The connection is not ready to ask for a code. Try again.',
      );
    }
    return requestPairingCode(sock, this.#around.clock, phone);
  }

  send(message: OutgoingMessage): Promise<SentMessage> {
    return this.#connected(({ sender }) => sender.send(message));
  }

  sendTyping(chat: string, composing: boolean): Promise<void> {
    return this.#connected(({ sock }) =>
      sock.sendPresenceUpdate(composing ? 'composing' : 'paused', chat).catch((error: unknown) => {
        throw notConnected(error);
      }),
    );
  }

  markRead(chat: string, messages: readonly MessageReference[]): Promise<void> {
    return this.#connected(({ receipts }) => receipts.markRead(chat, messages));
  }

  changeChat(change: ChatChange): Promise<void> {
    return this.#connected(({ appState }) => appState.change(change));
  }

  renewMedia(message: MediaMessage): Promise<{ directPath: string; url: string }> {
    return this.#connected(({ sock }) => renewMedia(sock, this.#around.clock, message));
  }

  lookUp(address: Address): Promise<LookedUpPerson | undefined> {
    return this.#lookingUp(async ({ sock, contacts }) => {
      const person = await lookUp(sock, address);
      if (person?.lid && person.pn) contacts.fromPair(person, 'lookup');
      return person;
    });
  }

  async logout(): Promise<boolean> {
    this.#silent = true;
    const connection = this.#usable();
    const confirmed = connection ? await unlink(connection.sock, this.#ending.gone) : false;
    await this.close();
    // the network may end the connection of an unlinked device before it answers
    return confirmed || this.#ending.verdict?.reason === 'logged_out';
  }

  renew(): void {
    this.#ending.fail({ reason: 'renewed', detail: 'An operator asked for a new connection.' });
  }

  close(): Promise<void> {
    this.#silent = true;
    return this.#ending.close();
  }

  cut(): void {
    this.#silent = true;
    this.#ending.fail({ reason: 'renewed', detail: 'The session is served elsewhere.' });
  }

  vitals(): LinkVitals {
    return { ...this.#watchdog.vitals };
  }

  onLibraryFault(error: unknown): void {
    if (this.#ending.certain) return;
    this.#log.error({ err: error }, 'the link failed inside its library');
    this.#ending.fail({
      reason: 'library_fault',
      detail: 'An error inside the network library ended the connection.',
    });
  }

  #usable(): Connection | undefined {
    return this.#opened && !this.#ending.certain ? this.#connection : undefined;
  }

  /** @throws GatewayError `lookup_failed` */
  async #lookingUp<T>(work: (connection: Connection) => Promise<T>): Promise<T> {
    const connection = this.#usable();
    if (!connection) throw new GatewayError('lookup_failed', 'The session is not connected. Try again.');
    return inNameOf(this.#ownership, () => work(connection));
  }

  /** @throws GatewayError `send_not_connected` */
  async #connected<T>(work: (connection: Connection) => Promise<T>): Promise<T> {
    const connection = this.#usable();
    if (!connection) throw notConnected();
    return inNameOf(this.#ownership, () => work(connection));
  }

  async #connect(): Promise<void> {
    const creds = await loadCredentials(this.#keys);
    if (this.#ending.certain) return;
    const emit = (event: LinkEvent) => this.#emit(event);
    const connection = makeConnection(this.#options, this.#around, {
      keys: this.#keys,
      creds,
      emit,
      onDecrypted: (stanza) => this.#onDecrypted(stanza),
      onStuck: () =>
        this.#ending.fail({
          reason: 'connection_silent',
          detail: 'The network did not answer a query about changes of chats.',
        }),
    });
    this.#connection = connection;
    listen(connection, {
      clock: this.#around.clock,
      log: this.#log,
      ending: this.#ending,
      watchdog: this.#watchdog,
      emit,
      onUpdate: (update) => this.#onUpdate(connection, update),
      onCredentials: () => this.#onCredentials(connection),
    });
  }

  #onUpdate({ sock, wasPaired }: Connection, update: Partial<ConnectionState>): void {
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
      void this.#ending.conclude(verdictOn(update.lastDisconnect?.error, wasPaired));
    }
  }

  #onCredentials(connection: Connection): void {
    const { sock, saver } = connection;
    const isFresh = !connection.wasPaired && isFinishedPairing(sock.authState.creds);
    if (isFresh && this.#options.wantsHistory()) noteHistoryWanted(sock.authState.creds);
    saver.save();
    if (!isFresh) return;
    connection.wasPaired = true;
    this.#watchdog.expectProgress('The network did not restart the connection after the pairing.');
    const me = ownIdentity(sock.authState.creds);
    void saver.flush().then((written) => written && this.#emit({ type: 'paired', me }));
  }

  #onDecrypted(stanza: LiveStanza): void {
    const { sock, contacts } = this.#connection ?? {};
    if (!sock || stanza.finished) return;
    if (stanza.node.attrs.category === 'peer') {
      for (const { journalId } of stanza.parts) this.#emit({ type: 'history', journalId });
      return;
    }
    try {
      const me = ownIdentity(sock.authState.creds);
      const message = buildIncoming(stanza.node.attrs, stanza.parts, me);
      contacts?.fromMessage(message);
      this.#emit({ type: 'message', message });
    } catch (error) {
      this.#log.warn({ err: error, messageId: stanza.node.attrs.id }, 'a message could not be read');
    }
  }

  #onStoreFailure(error: unknown): void {
    if (this.#ending.certain) return;
    this.#log.warn({ err: error }, 'the store failed under the link');
    this.#ending.fail({
      reason: 'store_unavailable',
      detail: 'The store could not keep what the network sent.',
    });
  }

  #onEnded({ reason, detail }: Verdict): void {
    this.#emit({ type: 'closed', reason, detail });
    this.#silent = true;
    this.#connection = undefined;
    this.#ownership.owner = undefined;
  }

  #emit(event: LinkEvent): void {
    if (!this.#silent) this.#options.emit(event);
  }
}
