import type { PollLookups } from '../delivery/lookup.js';
import { type Clock, endsWithin } from '../domain/clock.js';
import { LIMITS } from '../domain/limits.js';
import { isTerminal, type SessionStatus } from '../domain/session.js';
import type { LinkEvent, LinkFactory } from '../link/link.js';
import type { Logger } from '../log.js';
import type { Store } from '../store/store.js';
import type { Avatars } from './avatars/avatars.js';
import { type AvatarParts, createAvatars } from './avatars/create-avatars.js';
import { ChatActions } from './chats/chats.js';
import { Groups } from './groups/groups.js';
import { Housekeeping } from './housekeeping.js';
import { HistoryImports } from './inbox/imports.js';
import type { HostedInbox } from './inbox/inbox.js';
import { MessageStatuses } from './inbox/message-statuses.js';
import type { RoomChange } from './inbox/room-changes.js';
import type { FileKeeper, FileObserver } from './library/file-keeper.js';
import { createHosting } from './library/hosting.js';
import type { MediaLibrary } from './library/library.js';
import { LiveLinks } from './live-links.js';
import type { Media } from './media/media.js';
import { type Acquaintances, createAcquaintances } from './people/acquaintances.js';
import { People } from './people/people.js';
import { type Announcer, type ReceiveObserver, Receiver } from './receive/receive.js';
import { EarlierMessages } from './send/earlier-messages.js';
import { Sender, type SendObserver } from './send/send.js';
import { ApiSecretHasher } from './sessions/api-secret.js';
import type { BackoffOptions } from './sessions/backoff.js';
import type { Residence } from './sessions/residence.js';
import type { Session } from './sessions/session.js';
import { SessionRegistry } from './sessions/sessions.js';
import { StatusEvents } from './status-events.js';
import { StoreSteps } from './store-steps.js';

export interface GatewayOptions {
  store: Store;
  links: LinkFactory;
  announcer: Announcer;
  lookups: Pick<PollLookups, 'ask'>;
  media: Pick<Media, 'prepare' | 'spool'>;
  observer: ReceiveObserver & SendObserver & FileObserver & { disconnected(status: SessionStatus): void };
  /** Address under which people reach this service, without a slash at its end; known once it listens. */
  publicUrl(): string;
  /** Keys the hashes of API secrets: 32 bytes that stay the same for as long as the store lives. */
  apiSecretKey: Uint8Array;
  /** Told of a room in which a message has come further. */
  onRoomChange(change: RoomChange): void;
  /** Told when nothing of a session is here any more. */
  onForgotten?(clientId: string): void;
  /** Which sessions are this node's: all when it is not given. */
  residence?: Residence;
  clock: Clock;
  log: Logger;
  backoff?: BackoffOptions;
}

/** The services that act on messages, put together, with one start and one stop. */
export class Gateway {
  readonly sessions: SessionRegistry;
  readonly sending: Sender;
  readonly chats: ChatActions;
  readonly groups: Groups;
  readonly people: People;
  readonly avatars: Avatars;
  readonly inbox: HostedInbox;
  readonly library: MediaLibrary;
  readonly #options: GatewayOptions;
  readonly #known: Acquaintances;
  readonly #steps: StoreSteps;
  readonly #receiver: Receiver;
  readonly #keeper: FileKeeper;
  readonly #pictures: AvatarParts;
  readonly #imports: HistoryImports;
  readonly #statuses: MessageStatuses;
  readonly #statusEvents: StatusEvents;
  readonly #housekeeping: Housekeeping;
  #restored: Session[] = [];
  /** Of sessions that were given away or lost: what may still be under way. */
  readonly #ending = new Map<string, Promise<void>>();

  constructor(options: GatewayOptions) {
    const { store, links, announcer, clock, log } = options;
    this.#options = options;
    const steps = new StoreSteps(store, clock);
    this.#steps = steps;
    const source = {
      has: (clientId: string) => this.sessions.has(clientId),
      find: (clientId: string) => this.sessions.find(clientId),
    };
    this.#known = createAcquaintances({ ...options, sessions: source, steps });
    const { contacts, identities, lidSearch, groups, recordOf } = this.#known;
    const { recorder, keeper, inbox, library, linkTo } = createHosting({
      ...options,
      sessions: source,
      steps,
      rooms: identities,
    });
    this.#keeper = keeper;
    this.inbox = inbox;
    this.library = library;
    this.#pictures = createAvatars({ ...options, sessions: source, contacts, linkTo, recordOf });
    const { pictures, avatars } = this.#pictures;
    this.avatars = avatars;
    identities.onUnited = (clientId, chatRoomId) => recorder.makeUp(clientId, chatRoomId);
    identities.onMoved = (...moved) => pictures.moved(...moved);
    this.#receiver = new Receiver({
      ...{ ...options, recorder, linkTo, steps, contacts, identities, lidSearch, groups },
      avatarUrl: (clientId, jid) => pictures.avatarUrl(clientId, jid),
    });
    this.#imports = new HistoryImports({ ...options, recorder, steps, contacts });
    this.#statuses = new MessageStatuses({
      ...{ ...options, steps },
      settled: (clientId, messageId) => this.#receiver.settled(clientId, messageId),
    });
    this.#statusEvents = new StatusEvents(announcer, clock);
    this.#housekeeping = new Housekeeping({ store, clock, log });
    this.sessions = new SessionRegistry({
      ...options,
      hasher: new ApiSecretHasher(options.apiSecretKey),
      onStatus: (session, previous) => this.#onStatus(session, previous),
      onLinkEvent: (session, event) => this.#onLinkEvent(session, event),
      openJournal: (clientId) => this.#receiver.underWay(clientId),
      history: (clientId) => this.#imports.progress(clientId),
      settled: (clientId) => this.#settled(clientId),
      onForgotten: (clientId) => this.#forget(clientId),
    });
    const { sessions } = this;
    const shared = {
      sessions,
      store,
      contacts,
      liveLinks: new LiveLinks(store),
      earlier: new EarlierMessages({ store, links, contacts }),
    };
    this.sending = new Sender({ ...options, ...shared, steps, receiver: this.#receiver });
    this.chats = new ChatActions({ ...shared, rooms: identities, sender: this.sending });
    this.groups = new Groups(shared);
    this.people = new People({ sessions, contacts, log });
  }

  /** Takes up the sessions of the last run, so that no early caller is told that they are unknown. */
  async restore(): Promise<void> {
    this.#restored = await this.sessions.restore();
  }

  /** Takes up the messages and files of what was restored, and lets its links come up. */
  async start(): Promise<void> {
    const restored = this.#restored.splice(0);
    for (const session of restored) await this.#takeUp(session);
    for (const session of restored) session.resume();
    this.#housekeeping.start();
  }

  /**
   * This node holds the session from now on: takes up what another one has left of it, and lets its link come up.
   * @throws GatewayError store_unavailable, session_elsewhere; `drop` then undoes what was done
   */
  async adopt(clientId: string): Promise<void> {
    await this.#ending.get(clientId);
    // what was learnt here while it was another node's may be outdated
    this.#known.forget(clientId);
    this.#pictures.forget(clientId);
    const session = await this.sessions.adopt(clientId);
    if (!session) return;
    await this.#takeUp(session);
    if (this.sessions.has(clientId)) session.resume();
    // lost meanwhile, while not all of this was there to be broken off
    else this.#breakOff(clientId);
  }

  /** Gives the session away: closes its link and finishes what has come. Nothing of it is written afterwards. */
  async leave(clientId: string): Promise<void> {
    if (!this.sessions.has(clientId)) return;
    const leaving = this.#leave(this.sessions.find(clientId));
    this.#noteEnding(clientId, leaving);
    await leaving;
  }

  /** The session is not this node's any more: ends its link at this instant, and breaks off what is under way. */
  drop(clientId: string): void {
    if (!this.sessions.has(clientId)) return;
    const session = this.sessions.find(clientId);
    session.abandon();
    this.sessions.giveUp(session);
    this.#breakOff(clientId);
  }

  /** Closes the links, so that the network keeps what comes now, and finishes what has come. */
  async stop(): Promise<void> {
    this.#housekeeping.stop();
    this.#steps.stop();
    this.#keeper.stop();
    this.sending.stop();
    await this.#pictures.stop();
    await this.sessions.stop();
    await this.#known.news.stop();
    await this.#imports.stop();
  }

  /** Resolves when every message that came in is recorded and announced, and no file is being stored. */
  async idle(): Promise<void> {
    await this.#receiver.idle();
    await this.#statuses.idle();
    await this.#keeper.idle();
  }

  async #leave(session: Session): Promise<void> {
    const { clientId } = session;
    await session.stop();
    // nobody tells of these again
    const told = Promise.all([this.#known.news.finish(clientId), this.#statuses.idle(clientId)]);
    await endsWithin(this.#options.clock, LIMITS.endGraceMs, told);
    await this.#settled(clientId);
    if (this.sessions.giveUp(session)) this.#forget(clientId);
  }

  /** Its events are announced by its new owner. */
  #breakOff(clientId: string): void {
    this.#receiver.abandon(clientId);
    this.#forget(clientId);
    this.#noteEnding(
      clientId,
      this.#settled(clientId).then(() => this.#forget(clientId)),
    );
  }

  /** The session must not come back before this has ended. */
  #noteEnding(clientId: string, ending: Promise<void>): void {
    const ended = ending.catch((err: unknown) =>
      this.#options.log.warn({ err, clientId }, 'not all of a session that left has ended'),
    );
    const noted = Promise.all([this.#ending.get(clientId), ended]).then(() => {
      if (this.#ending.get(clientId) === noted) this.#ending.delete(clientId);
    });
    this.#ending.set(clientId, noted);
  }

  /** What is still being delivered after a while is broken off with the session. */
  async #settled(clientId: string): Promise<void> {
    const imported = this.#imports.end(clientId);
    await endsWithin(this.#options.clock, LIMITS.endGraceMs, this.#receiver.idle(clientId));
    this.#receiver.abandon(clientId);
    await imported;
    await this.#known.news.end(clientId);
    await this.#statuses.end(clientId);
    await this.#keeper.end(clientId);
    await this.#pictures.end(clientId);
  }

  #forget(clientId: string): void {
    this.#known.forget(clientId);
    this.#pictures.forget(clientId);
    this.#options.onForgotten?.(clientId);
  }

  async #takeUp(session: Session): Promise<void> {
    await this.#known.identities.takeUp(session.clientId);
    await this.#replayJournal(session);
    await this.#keeper.takeUp(session.clientId);
  }

  async #replayJournal(session: Session): Promise<void> {
    const { store, links, clock, log } = this.#options;
    const open = await store.journal.open(session.clientId);
    if (open.length === 0) return;
    const past = new Set(open.flatMap((entry) => (links.history(entry) ? entry.id : [])));
    for (const journalId of past) this.#imports.take(session, journalId, true);
    const entries = open.filter(({ id }) => !past.has(id));
    const messages = links.restore(entries, session.me);
    log.info({ clientId: session.clientId, messages: messages.length }, 'finishing messages of the last run');
    for (const message of messages) this.#receiver.receive(session.record, message);
    // what is nobody's message (keys, settings) needs no second look
    const restored = new Set(messages.flatMap((message) => message.journalIds));
    const rest = entries.flatMap(({ id }) => (restored.has(id) ? [] : [id]));
    if (rest.length > 0) await store.journal.close(session.clientId, rest, clock.now());
  }

  #onStatus(session: Session, previous: SessionStatus): void {
    const { status, statusReason } = session.record;
    const level = isTerminal(status) ? 'warn' : 'info';
    const line = { clientId: session.clientId, status, previous, reason: statusReason };
    this.#options.log[level](line, 'session status');
    if (previous === 'connected') this.#options.observer.disconnected(status);
    this.#statusEvents.sessionStatus(session.record, previous);
    if (status === 'qr') this.#beginAnew(session);
    if (status !== 'connected') return;
    void this.sending.resume(session);
    this.#keeper.resume(session.clientId);
  }

  /** A number is being linked that was not: nobody tells what has happened until then. */
  #beginAnew({ clientId }: Session): void {
    this.#imports.reset(clientId);
    this.#known.groups.forget(clientId);
  }

  #onLinkEvent(session: Session, event: LinkEvent): void {
    if (event.type === 'message') this.#receiver.receive(session.record, event.message);
    if (event.type === 'message-status') this.#onMessageStatus(session, event);
    if (event.type === 'history') this.#imports.take(session, event.journalId);
    if (event.type === 'contact') this.#noteContact(session, event);
    if (event.type === 'picture-changed') this.#notePicture(session, event.jid);
    if (event.type === 'group-changed') this.#known.groups.changed(session.clientId, event.jid);
  }

  #notePicture({ clientId }: Session, jid: string): void {
    this.#pictures.avatars.changed(clientId, jid).catch((err: unknown) => {
      this.#options.log.warn({ err, clientId }, 'change of a picture not noted');
    });
  }

  #onMessageStatus(session: Session, update: Extract<LinkEvent, { type: 'message-status' }>): void {
    this.#statusEvents.messageStatus(session.record, update);
    this.#statuses.note(session.record, update);
    if (update.status === 'sent') this.sending.noteAcknowledged(session.clientId, update.messageId);
  }

  #noteContact({ clientId }: Session, event: Extract<LinkEvent, { type: 'contact' }>): void {
    const { type, ...learnt } = event;
    this.#known.news.note(clientId, learnt);
  }
}
