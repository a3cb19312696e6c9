import type { ConnectionState } from '@whiskeysockets/baileys';
import type { Address } from '../../../domain/address.js';
import { GatewayError, isGatewayError } from '../../../domain/errors.js';
import { reason } from '../../../domain/reasons.js';
import type { Logger } from '../../log.js';
import type { LinkAccount } from '../account.js';
import type { LinkChannels } from '../channels.js';
import type { LinkGroups, LinkPeople } from '../directory.js';
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
  OlderMessages,
  OutgoingMessage,
  PreparedMessage,
  Relayed,
  Restriction,
  SendGuard,
  WebAuthnAssertion,
} from '../link.js';
import { channelsOver } from './channels.js';
import { type Connection, type LinkContext, makeConnection, releaseConnection } from './connection.js';
import { Ending, Watchdog } from './ending.js';
import { type FaultOwner, type Ownership, runAsLink } from './faults.js';
import { groupsOver } from './groups.js';
import { noteHistoryWanted } from './history/part.js';
import { askForOlder } from './history/request.js';
import { buildIncoming, type LiveStanza } from './incoming.js';

import { isFinishedPairing, loadCredentials, ownIdentity, watching, watchKeys } from './keys.js';
import { listen } from './listen.js';
import { renewMedia } from './media/download.js';
import type { PasskeyCeremony } from './passkey.js';
import { askPicture, askProfile, fetchPicture, lookUp } from './people.js';
import { isTrusted } from './privacy-tokens.js';
import { type Verdict, verdictOn } from './reasons.js';
import { notConnected } from './send-errors.js';
import { unlink } from './unlink.js';

/** A link over the library's socket. */
export class BaileysLink implements Link, FaultOwner {
  readonly groups: LinkGroups = groupsOver((call) => this.#lookingUp(({ groups }) => call(groups)));
  readonly channels: LinkChannels = channelsOver((call) => this.#lookingUp(({ channels }) => call(channels)));
  readonly people: LinkPeople = {
    profile: (address) => this.#lookingUp(({ sock }) => askProfile(sock, address)),
    picture: (address, preview) => this.#lookingUp(({ sock }) => askPicture(sock, address, preview)),
    fetchPicture: (url, signal) => fetchPicture(url, this.#context.media, signal),
  };
  readonly account: LinkAccount = {
    profile: () => this.#lookingUp(({ account }) => account.profile()),
    setName: (name) => this.#connected(({ account }) => account.setName(name)),
    setAbout: (about) => this.#lookingUp(({ account }) => account.setAbout(about)),
    setPicture: (jpeg) => this.#lookingUp(({ account }) => account.setPicture(jpeg)),
    setDisappearing: (seconds) => this.#lookingUp(({ account }) => account.setDisappearing(seconds)),
    statusPrivacy: () => this.#lookingUp(({ account }) => account.statusPrivacy()),
    setStatusPrivacy: (privacy) => this.#connected(({ account }) => account.setStatusPrivacy(privacy)),
    blocked: () => this.#lookingUp(({ account }) => account.blocked()),
    setBlocked: (person, isBlocked) =>
      this.#lookingUp(({ account }) => account.setBlocked(person, isBlocked)),
  };
  readonly #options: LinkOptions;
  readonly #context: LinkContext;
  readonly #log: Logger;
  readonly #keys: LinkKeys;
  readonly #watchdog: Watchdog;
  readonly #ending: Ending;
  readonly #ownership: Ownership = { owner: this };
  #connection: Connection | undefined;
  #opened = false;
  /** Which events are emitted: once the owner has closed the link, only those whose data is in the journal. */
  #tells: 'all' | 'journal' | 'nothing' = 'all';

  constructor(options: LinkOptions, context: LinkContext) {
    const watch = watching((error) => this.#onStoreFailure(error));
    this.#options = { ...options, findSent: (messageId) => watch(options.findSent(messageId)) };
    this.#context = context;
    this.#log = context.log.child({ clientId: options.clientId });
    this.#keys = watchKeys(options.keys, watch);
    this.#watchdog = new Watchdog(
      context.clock,
      (verdict) => this.#ending.fail(verdict),
      context.pingEveryMs,
    );
    this.#ending = new Ending({
      clock: context.clock,
      socket: () => this.#connection?.sock,
      onCertain: () => {
        this.#watchdog.stop();
        this.#connection?.gate.close();
      },
      release: async () => this.#connection && releaseConnection(this.#connection, context.clock),
      onEnded: (verdict) => this.#onEnded(verdict),
    });
  }

  /** Starts to connect; every failure arrives as `closed`. */
  begin(): void {
    runAsLink(this.#ownership, () => {
      this.#watchdog.expectProgress('open');
      this.#connect().catch((error: unknown) => this.onLibraryFault(error));
    });
  }

  async requestPairingCode(phone: string): Promise<string> {
    const pairing = this.#ending.certain ? undefined : this.#connection?.pairing;
    if (pairing) return pairing.requestCode(phone);
    throw new GatewayError(
      'pairing_code_refused',
      'The connection is not ready to ask for a code. Try again.',
    );
  }

  answerPasskey(assertion: WebAuthnAssertion): Promise<void> {
    return this.#ceremony().then((passkey) => passkey.answer(assertion));
  }

  confirmPasskey(): Promise<void> {
    return this.#ceremony().then((passkey) => passkey.confirm());
  }

  prepare(message: OutgoingMessage): Promise<PreparedMessage> {
    return this.#connected(({ sender, ended }) => beforeEnd(ended.signal, sender.prepare(message)));
  }

  relay(message: PreparedMessage, guard: SendGuard): Promise<Relayed> {
    return this.#connected(({ sender }) => sender.relay(message, guard));
  }

  sendTyping(chat: string, composing: boolean): Promise<void> {
    return this.#telling((sock) => sock.sendPresenceUpdate(composing ? 'composing' : 'paused', chat));
  }

  showOnline(online: boolean): Promise<void> {
    return this.#telling((sock) => sock.sendPresenceUpdate(online ? 'available' : 'unavailable'));
  }

  subscribePresence(chat: string): Promise<void> {
    return this.#telling((sock) => sock.presenceSubscribe(chat));
  }

  rejectCall(callId: string, from: string): Promise<void> {
    return this.#telling((sock) => sock.rejectCall(callId, from));
  }

  markRead(chat: string, messages: readonly MessageReference[]): Promise<void> {
    return this.#connected(({ receipts }) => receipts.markRead(chat, messages));
  }

  changeChat(change: ChatChange): Promise<void> {
    return this.#connected(({ appState }) => appState.change(change));
  }

  renewMedia(message: MediaMessage): Promise<{ directPath: string; url: string }> {
    return this.#connected(({ sock }) => renewMedia(sock, this.#context.clock, message));
  }

  requestResend(journalId: string): Promise<void> {
    return this.#connected(({ unreadable }) =>
      unreadable.askPhone(journalId).catch((error: unknown) => {
        throw notConnected(error);
      }),
    );
  }

  requestHistory(older: OlderMessages): Promise<string> {
    return this.#telling((sock) => askForOlder(sock, older));
  }

  lookUp(address: Address): Promise<LookedUpPerson | undefined> {
    return this.#lookingUp(async ({ sock, devices, contacts }) => {
      const person = await lookUp(sock, devices, address);
      if (person?.lid && person.pn) contacts.fromPair(person, 'lookup');
      return person;
    });
  }

  restrictions(): Promise<Restriction[]> {
    return this.#lookingUp(({ restrictions }) => restrictions.ask());
  }

  isTrusted(jid: string): Promise<boolean> {
    return this.#lookingUp(({ sock }) => isTrusted(sock, this.#context.clock, jid));
  }

  async logout(): Promise<boolean> {
    this.#tells = 'journal';
    const connection = this.#usable();
    const confirmed = connection ? await unlink(connection.sock, this.#ending.gone) : false;
    await this.close();
    // the network may end the connection of an unlinked device before it answers
    return confirmed || this.#ending.verdict?.reason.code === 'logged_out';
  }

  renew(): void {
    this.#ending.fail({ reason: reason('renewed', { kind: 'operator' }) });
  }

  close(): Promise<void> {
    this.#tells = 'journal';
    return this.#ending.close();
  }

  cut(): void {
    this.#tells = 'nothing';
    this.#ending.fail({ reason: reason('renewed', { kind: 'elsewhere' }) });
  }

  isUp(): boolean {
    return this.#usable()?.sock.ws.isOpen === true;
  }

  vitals(): LinkVitals {
    return this.#watchdog.vitals();
  }

  onLibraryFault(error: unknown): void {
    if (this.#ending.certain) return;
    this.#log.error({ err: error }, 'the link failed inside its library');
    this.#ending.fail({ reason: reason('library_fault') });
  }

  /** @throws GatewayError `passkey_not_asked` */
  async #ceremony(): Promise<PasskeyCeremony> {
    const pairing = this.#ending.certain ? undefined : this.#connection?.pairing;
    if (pairing) return pairing.passkey;
    throw new GatewayError('passkey_not_asked', 'the network does not ask this session for a passkey');
  }

  #usable(): Connection | undefined {
    return this.#opened && !this.#ending.certain ? this.#connection : undefined;
  }

  /** @throws GatewayError `lookup_failed` */
  async #lookingUp<T>(work: (connection: Connection) => Promise<T>): Promise<T> {
    const connection = this.#usable();
    if (!connection) throw new GatewayError('lookup_failed', 'The session is not connected. Try again.');
    return runAsLink(this.#ownership, () => work(connection));
  }

  /** @throws GatewayError `send_not_connected` */
  async #connected<T>(work: (connection: Connection) => Promise<T>): Promise<T> {
    const connection = this.#usable();
    if (!connection) throw notConnected();
    return runAsLink(this.#ownership, () => work(connection));
  }

  /** @throws GatewayError `send_not_connected` */
  #telling<T>(tell: (sock: Connection['sock']) => Promise<T>): Promise<T> {
    return this.#connected(({ sock, ended }) => {
      const told = tell(sock).catch((error: unknown) => {
        throw notConnected(error);
      });
      return beforeEnd(ended.signal, told);
    });
  }

  async #connect(): Promise<void> {
    const creds = await loadCredentials(this.#keys);
    if (this.#ending.certain) return;
    const emit = (event: LinkEvent) => this.#emit(event);
    const connection = makeConnection(this.#options, this.#context, {
      keys: this.#keys,
      creds,
      emit,
      onDecrypted: (stanza) => this.#onDecrypted(stanza),
      end: (verdict) => this.#ending.finish(verdict),
      onStuck: () => this.#ending.fail({ reason: reason('connection_silent', { kind: 'query' }) }),
    });
    this.#connection = connection;
    listen(connection, {
      clock: this.#context.clock,
      log: this.#log,
      ending: this.#ending,
      watchdog: this.#watchdog,
      emit,
      wantsStatuses: () => this.#options.wantsStatuses(),
      onUpdate: (update) => this.#onUpdate(connection, update),
      onCredentials: () => this.#onCredentials(connection),
    });
  }

  #onUpdate({ sock, wasPaired }: Connection, update: Partial<ConnectionState>): void {
    if (update.qr) this.#emit({ type: 'qr', qr: update.qr });
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
    this.#watchdog.expectProgress('restart');
    const me = ownIdentity(sock.authState.creds);
    void saver.flush().then((written) => written && this.#emit({ type: 'paired', me }));
  }

  /** @returns false when the content is no message */
  #onDecrypted(stanza: LiveStanza): boolean {
    const { sock, contacts } = this.#connection ?? {};
    if (!sock || stanza.finished) return true;
    if (stanza.node.attrs.category === 'peer') {
      for (const { journalId } of stanza.parts) this.#emit({ type: 'history', journalId });
      return true;
    }
    try {
      const me = ownIdentity(sock.authState.creds);
      const message = buildIncoming(stanza.node.attrs, stanza.parts, me);
      contacts?.fromMessage(message);
      const { arrivedAt } = stanza;
      this.#emit({ type: 'message', message, ...(arrivedAt !== undefined && { arrivedAt }) });
      return true;
    } catch (error) {
      this.#log.warn({ err: error, messageId: stanza.node.attrs.id }, 'a message could not be read');
      return false;
    }
  }

  #onStoreFailure(error: unknown): void {
    if (this.#ending.certain) return;
    this.#log.warn({ err: error }, 'the store failed under the link');
    if (isGatewayError(error, 'store_damaged')) {
      const damage = error.message;
      this.#ending.fail({ reason: reason('data_damaged', { kind: 'found_by_link', damage }) });
      return;
    }
    this.#ending.fail({ reason: reason('store_unavailable') });
  }

  #onEnded(verdict: Verdict): void {
    this.#emit({ type: 'closed', ...verdict });
    this.#tells = 'nothing';
    this.#connection = undefined;
    this.#ownership.owner = undefined;
  }

  /** @returns false if the owner has closed the link, and is not told */
  #emit(event: LinkEvent): boolean {
    // after the first QR code a person has to act, which may take any time
    if (event.type === 'qr') this.#watchdog.rest();
    const isTold = this.#tells === 'all' || (this.#tells === 'journal' && isInJournal(event));
    if (isTold) this.#options.emit(event);
    return isTold;
  }
}

/** True for events whose data is in the journal: they must be emitted, because the network may not deliver it again. */
function isInJournal({ type }: LinkEvent): boolean {
  return type === 'message' || type === 'unreadable' || type === 'history';
}

/** Waits for work until the connection ends, because the library may wait for an answer for ever. @throws GatewayError `send_not_connected` */
async function beforeEnd<T>(ended: AbortSignal, work: Promise<T>): Promise<T> {
  let onEnd: () => void = () => undefined;
  const end = new Promise<never>((_, reject) => {
    onEnd = () => reject(notConnected());
    ended.addEventListener('abort', onEnd, { once: true });
  });
  const failed = work.catch((error: unknown) => {
    // the work may have failed because the connection ended
    throw ended.aborted ? notConnected(error) : error;
  });
  try {
    return await Promise.race([failed, end]);
  } finally {
    ended.removeEventListener('abort', onEnd);
  }
}
