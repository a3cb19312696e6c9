import type { MonotonicClock } from '../../domain/clock.js';
import type { PolicyTable } from '../../domain/policy/policy.js';
import { textOf } from '../../domain/reasons.js';
import type { RetryPolicy } from '../../domain/retry.js';
import { isTerminal, type SessionStatus } from '../../domain/session.js';
import type { Tracing } from '../../domain/tracing.js';
import type { PollLookups } from '../delivery/poll-lookup.js';
import type { LinkEvent, LinkFactory } from '../link/link.js';
import type { WaVersions } from '../link/wa-versions.js';
import type { Logger } from '../log.js';
import type { Store } from '../store/store.js';
import { LiveLinks } from './access.js';
import { Activity } from './activity/activity.js';
import type { Restrictions } from './activity/restrictions.js';
import { MessageActions } from './chats/actions.js';
import { ChatActions } from './chats/chats.js';
import type { FileObserver } from './files/file-keeper.js';
import type { MediaLibrary } from './files/library.js';
import type { Media } from './files/media.js';
import { createHosting, type Hosting } from './history/hosting.js';
import { HistoryImports } from './history/imports.js';
import type { HostedInbox } from './history/inbox.js';
import { MessageStatuses } from './history/message-statuses.js';
import type { RoomChange } from './history/room-changes.js';
import { RoomSettings } from './history/room-settings.js';
import type { Avatars } from './identities/avatars.js';
import type { Groups } from './identities/groups.js';
import { IdentityServices } from './identities/identity-services.js';
import type { People } from './identities/people.js';
import { Lifecycle, type SessionPart } from './lifecycle.js';
import { Housekeeping } from './operations/housekeeping.js';
import { type PolicyObserver, SendPolicies } from './policies/send-policies.js';
import { Profile } from './profile/profile.js';
import { Announcements, type Announcer } from './receivers/announce.js';
import { KeptEvents } from './receivers/kept-events.js';
import { JournalReplay } from './receiving/journal-replay.js';
import { type ReceiveObserver, Receiver } from './receiving/receive.js';
import { UnreadableMessages, type UnreadableWaits } from './receiving/unreadable.js';
import type { SendObserver } from './sending/job.js';
import { EarlierMessages } from './sending/references.js';
import { Sends } from './sending/send.js';
import type { Presence } from './services.js';
import { AdoptedNumbers } from './sessions/adoption.js';
import { ApiSecretHasher } from './sessions/api-secret.js';
import type { WaitingEvents } from './sessions/directory.js';
import { bindKeys } from './sessions/link-steps.js';
import type { Ownership } from './sessions/ownership.js';
import { SessionRegistry } from './sessions/registry.js';
import type { Session } from './sessions/session.js';
import type { MessageSpans } from './spans.js';
import { StoreRetry } from './store-retry.js';

/** Builds the services that act on messages, and dispatches the events of links to them. */
export class Gateway {
  readonly lifecycle: Lifecycle;
  readonly sessions: SessionRegistry;
  readonly adoption: AdoptedNumbers;
  readonly sends: Sends;
  readonly messages: MessageActions;
  readonly chats: ChatActions;
  readonly presence: Presence;
  readonly restrictions: Restrictions;
  readonly policies: SendPolicies;
  readonly groups: Groups;
  readonly people: People;
  readonly profile: Profile;
  readonly avatars: Avatars;
  readonly inbox: HostedInbox;
  readonly library: MediaLibrary;
  readonly keptEvents: KeptEvents;
  readonly #options;
  readonly #identities: IdentityServices;
  readonly #receiver: Receiver;
  readonly #unreadable: UnreadableMessages;
  readonly #imports: HistoryImports;
  readonly #statuses: MessageStatuses;
  readonly #roomSettings: RoomSettings;
  readonly #announcements: Announcements;
  readonly #activity: Activity;

  constructor(options: {
    store: Store;
    links: LinkFactory;
    announcer: Announcer;
    /** Continues events that wait for their receivers. */
    durable?: SessionPart & WaitingEvents;
    lookups: Pick<PollLookups, 'ask'>;
    tracing: Tracing;
    spans: MessageSpans;
    media: Pick<Media, 'prepare' | 'spool' | 'hold' | 'preview' | 'portrait'>;
    observer: ReceiveObserver &
      SendObserver &
      PolicyObserver &
      FileObserver & { disconnected(status: SessionStatus): void; called(status: string): void };
    /** Public address of this service, without a slash at its end; known once it listens. */
    publicUrl(): string;
    /** Keys the hashes of API secrets and of counted texts: 32 bytes that stay the same for as long as the store lives. */
    hashKey: Uint8Array;
    /** Called when the status of a message of a room changes. */
    onRoomChange(change: RoomChange): void;
    /** Called when this node has dropped a session. */
    onForgotten?(clientId: string): void;
    /** Decides which sessions this node holds; default: all. */
    ownership?: Ownership;
    /** Permits webhooks on private addresses; default: yes. */
    allowPrivateUrls?: boolean;
    /** Default for link previews in sent texts; default: false. */
    linkPreviews?: boolean;
    /** Days after which messages and files are deleted, unless a session overrides it; default: 0, never. */
    retentionDays?: number;
    /** Bytes of the kept events of one session; default: 256 MB. */
    keptEventBytes?: number | undefined;
    /** Limits of sends; none when they are not given. */
    policies?: PolicyTable;
    /** Messages of one session that may wait until their policy allows them; default: 1000. */
    heldSends?: number;
    clock: MonotonicClock;
    log: Logger;
    /** Pauses between attempts to connect. */
    backoff?: RetryPolicy;
    /** Pauses after links that had been up. */
    returns?: RetryPolicy;
    /** How long to wait for unreadable messages. */
    unreadableWaits?: UnreadableWaits;
    /** The client version of the links; the library's when it is not given. */
    versions?: WaVersions;
  }) {
    const { store, links, announcer, lookups, media, observer, publicUrl, onRoomChange, clock, log } =
      options;
    const { tracing, spans } = options;
    this.#options = options;
    const retry = new StoreRetry(store, clock);
    const hasher = new ApiSecretHasher(options.hashKey);
    const sessions: SessionRegistry = new SessionRegistry({
      ...{ store, links, clock, log, hasher },
      ...(options.backoff && { backoff: options.backoff }),
      ...(options.returns && { returns: options.returns }),
      ...(options.versions && { versions: options.versions }),
      allowPrivateUrls: options.allowPrivateUrls ?? true,
      ...(options.ownership && { ownership: options.ownership }),
      onStatus: (session, previous) => this.#onStatus(session, previous),
      ...(options.durable && { waiting: options.durable }),
      onLinkEvent: (session, event) => this.#onLinkEvent(session, event),
      // a workspace may have a policy of its own
      onOrgId: (clientId) => this.sends.held.reevaluate(clientId),
      openJournal: (clientId) => this.#receiver.countInFlight(clientId),
      history: (clientId) => this.#imports.progress(clientId),
      restriction: (clientId) => this.#activity.restrictions.health(clientId),
      end: (clientId) => this.lifecycle.end(clientId),
      forget: (clientId) => this.lifecycle.forget(clientId),
    });
    this.sessions = sessions;
    const identities: IdentityServices = new IdentityServices({
      ...{ store, sessions, retry, clock, log },
      linkTo: (fileId, named) => hosting.linkTo(fileId, named),
      applyPending: (clientId, chatRoomId) => hosting.recorder.applyPending(clientId, chatRoomId),
    });
    const { contacts, rooms, lidSearch, knownGroups, avatars } = identities;
    const hosting: Hosting = createHosting({
      store,
      links,
      sessions,
      rooms,
      retry,
      local: media,
      observer,
      publicUrl,
      recorded: (clientId, chatRoomId) => this.#roomSettings.roomExists(clientId, chatRoomId),
      clock,
      log,
    });
    const { recorder, keeper, linkTo } = hosting;
    this.keptEvents = new KeptEvents({
      ...{ store: store.keptEvents, bound: options.keptEventBytes, clock, log },
      isHere: (clientId) => sessions.has(clientId),
    });
    this.#identities = identities;
    this.#announcements = new Announcements({
      ...{ announcer, keeper: this.keptEvents, retry, observer, tracing, clock, log },
    });
    this.#unreadable = new UnreadableMessages({
      tell: (session, message) => this.#receiver.tellUnreadable(session.record, message),
      waits: options.unreadableWaits,
      clock,
      log,
    });
    this.#receiver = new Receiver({
      unreadable: this.#unreadable,
      ...{ store, links, lookups, retry, contacts, identities: rooms, lidSearch, groups: knownGroups },
      ...{ recorder, linkTo, announcements: this.#announcements, spans, observer, clock, log },
      avatarUrl: (clientId, jid) => avatars.pictures.avatarUrl(clientId, jid),
    });
    const keys = (clientId: string) => bindKeys(store, clientId, async () => undefined);
    this.#imports = new HistoryImports({
      ...{ store, links, keys, recorder, contacts, retry, clock, log },
      imported: (clientId) => this.sends.held.reevaluate(clientId),
    });
    this.#statuses = new MessageStatuses({
      ...{ store, links, retry, onRoomChange, log },
      settled: (clientId, messageId) => this.#receiver.settled(clientId, messageId),
    });
    this.#roomSettings = new RoomSettings({ store, contacts, retry, log });
    const liveLinks = new LiveLinks(store, clock);
    this.#activity = new Activity({
      ...{ sessions, liveLinks, contacts, groups: knownGroups, recorder, links, retry, observer, clock, log },
      announcements: this.#announcements,
      restrictionsChanged: (clientId) => this.sends.held.reevaluate(clientId),
    });
    this.presence = this.#activity.presence;
    this.restrictions = this.#activity.restrictions;
    this.policies = new SendPolicies({
      ...{ policies: options.policies, hashKey: options.hashKey },
      ...{ sessions, store, contacts, groups: knownGroups, observer, clock, log },
      restrictions: this.#activity.restrictions,
    });
    const earlier = new EarlierMessages({ store, links, contacts });
    this.sends = new Sends({
      linkPreviews: options.linkPreviews ?? false,
      heldLimit: options.heldSends ?? 1_000,
      announcements: this.#announcements,
      ...{ sessions, store, retry, links, liveLinks, contacts, earlier, media, policies: this.policies },
      ...{ receiver: this.#receiver, spans, observer, clock, log },
    });
    const journal = new JournalReplay({
      ...{ sessions, store, links, receiver: this.#receiver, unreadable: this.#unreadable },
      ...{ imports: this.#imports, clock, log },
    });
    this.adoption = new AdoptedNumbers({
      ...{ sessions, store, links, journal, sends: this.sends, clock, log },
      allowPrivateUrls: options.allowPrivateUrls ?? true,
    });
    this.messages = new MessageActions({ sessions, liveLinks, contacts, earlier, sends: this.sends });
    this.chats = new ChatActions({
      sessions,
      store,
      liveLinks,
      contacts,
      rooms,
      earlier,
      sends: this.sends,
      held: this.sends.held,
      roomSettings: this.#roomSettings,
    });
    this.groups = identities.groups;
    this.people = identities.people;
    this.profile = new Profile({
      ...{ sessions, media },
      pictureChanged: (clientId, jid) => avatars.changed(clientId, jid),
    });
    this.avatars = avatars;
    this.inbox = hosting.inbox;
    this.library = hosting.library;
    const parts: SessionPart[] = [
      // before the journal: waiting events are older than those of the journal
      ...(options.durable ? [options.durable] : []),
      rooms,
      journal,
      this.#imports,
      this.#unreadable,
      this.#receiver,
      this.#statuses,
      this.#roomSettings,
      identities.updates,
      ...this.#activity.parts,
      { stop: () => sessions.stop() },
      contacts,
      knownGroups,
      avatars,
      this.policies,
      this.sends,
      this.sends.held,
      keeper,
      retry,
      this.keptEvents,
      new Housekeeping({
        ...{ store, sessions, keptEvents: this.keptEvents, held: this.sends.held, clock, log },
        retentionDays: options.retentionDays ?? 0,
      }),
    ];
    this.lifecycle = new Lifecycle({ sessions, parts, onForgotten: options.onForgotten, clock, log });
  }

  #onStatus({ clientId, record, reason }: Session, previous: SessionStatus): void {
    const { status } = record;
    const level = isTerminal(status) ? 'warn' : 'info';
    this.#options.log[level](
      { clientId, status, previous, reason: reason && textOf(reason) },
      'session status',
    );
    if (previous === 'connected') this.#options.observer.disconnected(status);
    this.#announcements.sessionStatus(record, previous);
    if (status === 'qr') this.lifecycle.reset(clientId);
    if (status === 'connected') this.lifecycle.connected(clientId);
  }

  #onLinkEvent(session: Session, event: LinkEvent): void {
    const { clientId, record } = session;
    const { updates, knownGroups, avatars } = this.#identities;
    this.#activity.take(session, event);
    switch (event.type) {
      case 'message':
        this.policies.noteMessage(clientId, event.message);
        this.sends.held.noteMessage(clientId, event.message);
        this.#receiver.receive(record, event.message, { startedAt: event.arrivedAt });
        break;
      case 'unreadable':
        this.policies.noteMessage(clientId, event.message);
        this.sends.held.noteMessage(clientId, event.message);
        this.#unreadable.take(session, event.message);
        break;
      case 'message-status':
        if (event.status === 'failed' && this.sends.held.onRejected(clientId, event.messageId, event.code))
          break;
        void this.#options.spans.status(clientId, event.messageId, event.status);
        this.#announcements.messageStatus(record, event);
        this.#statuses.note(record, event);
        if (event.status !== 'failed') this.sends.confirmDelivered(session, event.messageId);
        break;
      case 'history':
        this.#imports.take(session, event.journalId);
        break;
      case 'contact': {
        const { type, ...learnt } = event;
        updates.note(clientId, learnt);
        break;
      }
      case 'chat-changed': {
        const { type, chat, ...settings } = event;
        this.#roomSettings.note(record, chat, settings);
        break;
      }
      case 'picture-changed':
        avatars.changed(clientId, event.jid).catch((err: unknown) => {
          this.#options.log.warn({ err, clientId }, 'change of a picture not noted');
        });
        break;
      case 'group-changed':
        knownGroups.changed(clientId, event.jid);
        break;
    }
  }
}
