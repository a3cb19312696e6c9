import type { MonotonicClock } from '../../domain/clock.js';
import type { PolicyTable } from '../../domain/policy/policy.js';
import type { Tracing } from '../../domain/tracing.js';
import type { PollLookups } from '../delivery/poll-lookup.js';
import type { LinkFactory } from '../link/link.js';
import type { Logger } from '../log.js';
import type { Store } from '../store/store.js';
import { LiveLinks } from './access.js';
import { Activity } from './activity/activity.js';
import type { Presence } from './activity/presence.js';
import type { Restrictions } from './activity/restrictions.js';
import { Channels } from './channels/channels.js';
import { MessageActions } from './chats/actions.js';
import { ChatActions } from './chats/chats.js';
import { FileKeeper, type FileObserver } from './files/file-keeper.js';
import { FileLinks } from './files/file-links.js';
import { MediaLibrary } from './files/library.js';
import type { Media } from './files/media.js';
import { HistoryRequests, type HistoryWaits } from './history/history-requests.js';
import { HistoryImports } from './history/imports.js';
import { HostedInbox } from './history/inbox.js';
import { MessageStatuses } from './history/message-statuses.js';
import { Recorder } from './history/recorder.js';
import type { RoomChange } from './history/room-changes.js';
import { RoomSettings } from './history/room-settings.js';
import { StoredRows } from './history/stored-rows.js';
import type { Avatars } from './identities/avatars.js';
import { Contacts } from './identities/contacts.js';
import type { Groups } from './identities/groups.js';
import { IdentityServices } from './identities/identity-services.js';
import type { People } from './identities/people.js';
import { Lifecycle } from './lifecycle.js';
import { Housekeeping } from './operations/housekeeping.js';
import { type PolicyObserver, SendPolicies } from './policies/send-policies.js';
import { Profile } from './profile/profile.js';
import { Announcements, type AnnounceObserver, type Announcer } from './receivers/announce.js';
import { KeptEvents } from './receivers/kept-events.js';
import { ChannelPosts } from './receiving/channel-posts.js';
import { JournalReplay } from './receiving/journal-replay.js';
import { InboundMessages, type ReceiveObserver } from './receiving/receive.js';
import { UnreadableMessages, type UnreadableWaits } from './receiving/unreadable.js';
import type { SendObserver } from './sending/job.js';
import { EarlierMessages } from './sending/references.js';
import { Sends } from './sending/send.js';
import { Statuses } from './sending/statuses.js';
import { AdoptedNumbers } from './sessions/adoption.js';
import type { SessionRegistry } from './sessions/registry.js';
import type { SessionPart, SessionParts } from './sessions/session-parts.js';
import type { MessageSpans } from './spans.js';
import { StoreRetry } from './store-retry.js';

/** Builds the services that act on messages, each from those before it. */
export class Gateway {
  readonly lifecycle: Lifecycle;
  readonly adoption: AdoptedNumbers;
  readonly sends: Sends;
  readonly messages: MessageActions;
  readonly chats: ChatActions;
  readonly presence: Presence;
  readonly restrictions: Restrictions;
  readonly policies: SendPolicies;
  readonly groups: Groups;
  readonly channels: Channels;
  readonly people: People;
  readonly profile: Profile;
  readonly statuses: Statuses;
  readonly avatars: Avatars;
  readonly inbox: HostedInbox;
  readonly history: HistoryRequests;
  readonly library: MediaLibrary;
  readonly keptEvents: KeptEvents;

  constructor(options: {
    store: Store;
    links: LinkFactory;
    announcer: Announcer;
    /** The sessions of this node. */
    sessions: SessionRegistry;
    /** Continues events that wait for their receivers. */
    durable: SessionPart;
    lookups: Pick<PollLookups, 'ask'>;
    tracing: Tracing;
    spans: MessageSpans;
    media: Pick<Media, 'prepare' | 'spool' | 'hold' | 'preview' | 'portrait'>;
    observer: AnnounceObserver &
      ReceiveObserver &
      SendObserver &
      PolicyObserver &
      FileObserver & { called(status: string): void };
    /** The address of this service; known once it listens. */
    address: { readonly publicUrl: string };
    /** Keys the hashes of API secrets and of counted texts: 32 bytes that stay the same for as long as the store lives. */
    hashKey: Uint8Array;
    /** Called when the status of a message of a room changes. */
    onRoomChange(change: RoomChange): void;
    /** The list to which the gateway adds its parts. */
    parts: SessionParts;
    /** Permits webhooks on private addresses. */
    allowPrivateUrls: boolean;
    /** Default for link previews in sent texts. */
    linkPreviews: boolean;
    /** Days after which messages and files are deleted, unless a session overrides it; 0: never. */
    retentionDays: number;
    /** Bytes of the kept events of one session; default: 256 MB. */
    keptEventBytes?: number | undefined;
    /** Limits of sends; none when they are not given. */
    policies?: PolicyTable;
    /** Messages of one session that may wait until their policy allows them. */
    heldSends: number;
    clock: MonotonicClock;
    log: Logger;
    /** How long to wait for unreadable messages. */
    unreadableWaits?: UnreadableWaits;
    /** How long to wait for requested history, and between requests. */
    historyWaits?: HistoryWaits | undefined;
  }) {
    const { store, links, announcer, lookups, media, observer, tracing, spans, clock, log } = options;
    const { sessions, parts, address, onRoomChange, allowPrivateUrls } = options;
    const retry = new StoreRetry(store, clock);
    const liveLinks = new LiveLinks(store, clock);

    // people, history and files
    const contacts = new Contacts(store.contacts, clock);
    const fileLinks = new FileLinks(address);
    const rows = new StoredRows({ store, links, contacts, retry });
    const identities = new IdentityServices({
      ...{ store, sessions, contacts, rows, fileLinks, retry, clock, log },
    });
    const { rooms, lidSearch, knownGroups, avatars, updates } = identities;
    const roomSettings = new RoomSettings({ store, contacts, retry, log });
    const files = new FileKeeper({
      ...{ store, links, sessions, retry, local: media, rows, observer, clock, log },
    });
    const recorder = new Recorder({ store, links, rows, rooms, files, roomSettings });

    // receiving
    const keptEvents = new KeptEvents({
      ...{ store: store.keptEvents, bound: options.keptEventBytes, sessions, clock, log },
    });
    const announcements = new Announcements({
      ...{ announcer, keeper: keptEvents, retry, observer, tracing, clock, log },
    });
    const unreadable = new UnreadableMessages({ parts, waits: options.unreadableWaits, clock, log });
    const inbound = new InboundMessages({
      ...{ store, links, lookups, retry, contacts, identities: rooms, lidSearch, groups: knownGroups },
      ...{ pictures: avatars.pictures, recorder, fileLinks, unreadable, announcements, spans, observer },
      ...{ clock, log },
    });
    const channelPosts = new ChannelPosts({ announcements, known: inbound.known, log });
    const { retentionDays } = options;
    const imports = new HistoryImports({
      ...{ store, links, recorder, rows, contacts, retry, retentionDays, parts, clock, log },
    });
    const requests = new HistoryRequests({
      ...{ sessions, store, liveLinks, rooms, retentionDays, waits: options.historyWaits, clock },
    });
    const statuses = new MessageStatuses({ store, links, retry, inbound, onRoomChange, log });
    const journal = new JournalReplay({ sessions, store, links, inbound, unreadable, imports, clock, log });
    const activity = new Activity({
      ...{ sessions, store, liveLinks, contacts, groups: knownGroups, recorder, links, retry, announcements },
      ...{ parts, observer, clock, log },
    });

    // sending
    const policies = new SendPolicies({
      ...{ policies: options.policies, hashKey: options.hashKey, restrictions: activity.restrictions },
      ...{ sessions, store, contacts, groups: knownGroups, observer, clock, log },
    });
    const earlier = new EarlierMessages({ store, links, contacts });
    const sends = new Sends({
      linkPreviews: options.linkPreviews,
      heldLimit: options.heldSends,
      ...{ sessions, store, retry, links, liveLinks, contacts, earlier, media, policies, announcements },
      ...{ statuses, inbound, channelPosts, spans, observer, clock, log },
    });
    const { held } = sends;
    this.sends = sends;
    this.policies = policies;
    this.adoption = new AdoptedNumbers({
      ...{ sessions, store, links, journal, sends, clock, log, allowPrivateUrls },
    });
    this.messages = new MessageActions({ sessions, liveLinks, contacts, earlier, sends });
    this.chats = new ChatActions({
      ...{ sessions, store, liveLinks, contacts, rooms, earlier, sends, held, roomSettings },
    });
    this.presence = activity.presence;
    this.restrictions = activity.restrictions;
    this.groups = identities.groups;
    this.channels = new Channels({ sessions, liveLinks, sends, media, channelPosts, clock });
    this.people = identities.people;
    this.profile = new Profile({ sessions, media, avatars });
    this.statuses = new Statuses({ sessions, store, links, liveLinks, contacts, policies, media, sends });
    this.avatars = avatars;
    this.history = requests;
    this.inbox = new HostedInbox({ store, rooms, fileLinks });
    this.library = new MediaLibrary({ store, keeper: files, links: fileLinks });
    this.keptEvents = keptEvents;
    const housekeeping = new Housekeeping({
      ...{ store, sessions, keptEvents, held, retentionDays, clock, log },
    });
    // in the order in which data pass through them: waiting events are older than those of the journal
    parts.add(
      ...[
        options.durable,
        announcements,
        rooms,
        journal,
        imports,
        requests,
        unreadable,
        inbound,
        channelPosts,
        statuses,
      ],
      ...[roomSettings, updates, ...activity.parts, { stop: () => sessions.stop() }, contacts, knownGroups],
      ...[avatars, policies, sends, held, files, retry, keptEvents, housekeeping],
    );
    this.lifecycle = new Lifecycle({ sessions, parts, clock, log });
  }
}
