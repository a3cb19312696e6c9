// Printed from src/contract by `npm run openapi`: change that, not this file.

/** Options of a call. */
export interface CallOptions {
  /** Ends the call. */
  signal?: AbortSignal;
  /** For a send: the same key within 24 h sends once and returns the first answer. */
  idempotencyKey?: string;
  /** Additional headers, such as `Range` for a part of a file. */
  headers?: Record<string, string>;
}

/** The places of a request's fields; all other fields go into the body. */
export interface Call {
  method: 'GET' | 'POST';
  path: string;
  query: readonly string[];
}

/** Sends the calls, and rejects those that the gateway refuses. */
export interface Transport {
  json<Answer>(call: Call, request: object, options?: CallOptions): Promise<Answer>;
  response(call: Call, request: object, options?: CallOptions): Promise<Response>;
}

export interface Error {
  error: string;
}

export type ErrorCode =
  | 'account_rejected'
  | 'app_state_rejected'
  | 'audience_empty'
  | 'avatars_busy'
  | 'backup_running'
  | 'channel_forbidden'
  | 'channel_unknown'
  | 'content_type_unsupported'
  | 'cross_site'
  | 'delivery_unknown'
  | 'device_query_unanswered'
  | 'edit_window_over'
  | 'encryption_key_wrong'
  | 'file_not_ready'
  | 'file_unknown'
  | 'forbidden'
  | 'group_conflict'
  | 'group_forbidden'
  | 'group_unknown'
  | 'headers_too_large'
  | 'held_send_leaving'
  | 'held_send_unknown'
  | 'held_sends_full'
  | 'history_off'
  | 'history_phone_silent'
  | 'history_requested'
  | 'host_unknown'
  | 'idempotency_conflict'
  | 'internal'
  | 'invalid_request'
  | 'invite_unknown'
  | 'lookup_failed'
  | 'media_busy'
  | 'media_too_large'
  | 'media_unfetchable'
  | 'media_unsupported'
  | 'message_deleted'
  | 'message_unknown'
  | 'node_ambiguous'
  | 'node_unknown'
  | 'node_unreachable'
  | 'nodes_unsupported'
  | 'not_found'
  | 'pair_link_unknown'
  | 'pairing_code_refused'
  | 'passkey_expired'
  | 'passkey_malformed'
  | 'passkey_not_asked'
  | 'passkey_refused'
  | 'policy_refused'
  | 'proxy_failed'
  | 'range_unsatisfiable'
  | 'receipt_rejected'
  | 'receiver_paused'
  | 'receiver_unknown'
  | 'receivers_full'
  | 'recipient_unknown'
  | 'request_timeout'
  | 'request_too_large'
  | 'room_unknown'
  | 'route_unknown'
  | 'secret_taken'
  | 'send_cut_off'
  | 'send_not_connected'
  | 'send_rejected'
  | 'send_unacknowledged'
  | 'session_already_paired'
  | 'session_elsewhere'
  | 'session_not_connected'
  | 'session_suspended'
  | 'session_terminal'
  | 'session_unheld'
  | 'session_unknown'
  | 'session_unpaired'
  | 'stopping'
  | 'store_damaged'
  | 'store_missing'
  | 'store_unavailable'
  | 'store_unsupported'
  | 'streams_full'
  | 'target_author_unknown'
  | 'target_not_editable'
  | 'target_not_forwardable'
  | 'target_not_own'
  | 'too_many_attempts'
  | 'too_many_requests'
  | 'too_many_streams'
  | 'too_many_uploads'
  | 'unauthorized'
  | 'webhook_missing'
  | 'webhook_not_persisted'
  | 'webhook_taken'
  | 'webhook_unreachable';

export interface AccountStatusEvent {
  event: 'account.status';
  type: 'account_status';
  clientId: string;
  orgId: string;
  /** RFC 3339, UTC */
  timestamp: string;
  restricted: boolean;
  /** When the restriction ends; empty if the network does not say it */
  until: string;
  /** Reason for people, with the network's name for it in brackets; empty without a restriction */
  reason: string;
  /** The network's warning before the limit of new chats: `FIRST_WARNING`, `SECOND_WARNING`; empty without a warning */
  warning: string;
  newChats: NewChats;
}

export interface Advice {
  /** Name of an operation of this API */
  operation: string;
  /** Fields of the operation, as far as they are known */
  arguments: Record<string, unknown>;
}

export interface AttemptEntry {
  kind: 'attempt';
  /** RFC 3339, UTC */
  at: string;
  clientId: string;
  deliveryId: string;
  type: string;
  messageId: string;
  url: string;
  /** Id of the receiver; absent for the webhook of the session */
  receiver?: string;
  /** 1 to 4 */
  attempt: number;
  outcome: 'delivered' | 'rejected' | 'failed';
  /** The receiver's HTTP status; 0 without an answer */
  status: number;
  /** Why it was not delivered; empty when it was */
  reason: string;
  /** The reason as a code for programs, such as `banned`; absent without a reason. docs/reasons.md has all */
  reasonCode?: string;
  /** Values that the words of the reason name, such as `until`; `kind` tells causes apart */
  reasonValues?: Record<string, unknown>;
  /** Calls that help, in their order; absent where none does */
  advice?: Advice[];
  durationMs: number;
}

export interface AudioEvent {
  /** `message.sent` for what the linked number did */
  event: 'message.received' | 'message.sent';
  clientId: string;
  orgId: string;
  /** RFC 3339, UTC */
  timestamp: string;
  chatRoomId: string;
  myLid: string;
  clientLid: string;
  remoteJid: string;
  remoteName: string;
  remotePhone: string;
  remoteUsername: string;
  pushName: string;
  avatarUrl: string;
  fromMe: boolean;
  isGroup: boolean;
  messageId: string;
  /** Text, caption or rendered text */
  body: string;
  quoted?: EventQuoted;
  /** The ad from which the person began to write; fields that the ad lacks are empty */
  referral?: EventReferral;
  mentions: string[];
  isForwarded: boolean;
  /** The `metaData` of an API send, and those of its fields that have a meaning, as the caller wrote them */
  meta?: EventMeta;
  /** The group and the author, for group messages */
  group?: EventGroup;
  type: 'audio';
  media: EventMedia;
}

export interface AvatarCounts {
  rooms: number;
  /** With `force`, also pictures that were checked and have not changed */
  updated: number;
  skipped: number;
  noPhoto: number;
  failed: number;
}

export interface BlockedPerson {
  /** Jid by LID if known, otherwise by number */
  jid: string;
  /** Number with `+`; empty if unknown */
  phone: string;
  /** Empty if unknown */
  displayName: string;
}

export interface CallEvent {
  event: 'call';
  type: 'call';
  clientId: string;
  orgId: string;
  /** RFC 3339, UTC */
  timestamp: string;
  chatRoomId: string;
  myLid: string;
  /** LID of the other person; in a group the group's id */
  clientLid: string;
  remoteJid: string;
  isGroup: boolean;
  callId: string;
  status: 'offer' | 'accept' | 'reject' | 'missed' | 'ended';
  /** User-part of the person: the LID if known, otherwise the number */
  from: string;
  /** Number with `+`; empty if unknown */
  fromPhone: string;
  fromName: string;
  isVideo: boolean;
  /** The gateway rejected the call because of `rejectCalls` */
  rejected: boolean;
  /** The call rang while the session was not connected */
  offline: boolean;
}

export interface Channel {
  jid: string;
  name: string;
  description: string;
  /** What the linked number is in the channel; a guest does not follow it */
  role: 'owner' | 'admin' | 'subscriber' | 'guest';
  /** Number of followers; absent in lists, where the network does not say it */
  followers?: number;
  isVerified: boolean;
  isMuted: boolean;
  /** The link to the channel; may be empty */
  link: string;
  /** RFC 3339, UTC; or empty */
  createdAt: string;
}

export interface ChannelPost {
  messageId: string;
  /** The network's number of the post, by which pages go on */
  serverId: number;
  /** RFC 3339, UTC */
  timestamp: string;
  /** When its content last changed, RFC 3339, UTC; empty if it never did */
  editedAt: string;
  /** The linked number wrote it */
  fromMe: boolean;
  /** The kind of the content, such as `text` or `image`; empty for a deleted post */
  kind:
    | 'text'
    | 'image'
    | 'video'
    | 'audio'
    | 'document'
    | 'sticker'
    | 'poll_creation'
    | 'vote_update'
    | 'interactive_reply'
    | 'contact'
    | 'location'
    | 'reaction'
    | 'edit'
    | 'revoke'
    | '';
  /** Text, caption or rendered text */
  body: string;
  /** The file of the post */
  media?: ChannelPostMedia;
  views: number;
  reactions: {
    emoji: string;
    count: number;
  }[];
}

export interface ChannelPostAnswer {
  status: 'sent';
  messageId: string;
  mediaType?: string;
  /** Size of a file that was fetched from its URL */
  bytes?: number;
  /** Present if the file is too large: a text with the link was posted instead */
  fallback?: 'text';
}

export interface ChannelPostEvent {
  event: 'channel.post';
  type: 'channel_post';
  clientId: string;
  orgId: string;
  /** RFC 3339, UTC */
  timestamp: string;
  /** The channel: `<id>@newsletter` */
  channelJid: string;
  messageId: string;
  /** The network's number of the post; 0 if unknown */
  serverId: number;
  action: 'posted' | 'edited' | 'deleted';
  /** The linked number wrote it */
  fromMe: boolean;
  /** The kind of the content, such as `text` or `image`; empty for a deleted post */
  kind:
    | 'text'
    | 'image'
    | 'video'
    | 'audio'
    | 'document'
    | 'sticker'
    | 'poll_creation'
    | 'vote_update'
    | 'interactive_reply'
    | 'contact'
    | 'location'
    | 'reaction'
    | 'edit'
    | 'revoke'
    | '';
  /** Text, caption or rendered text */
  body: string;
  /** The file of the post */
  media?: ChannelPostMedia;
}

export interface ChannelPostMedia {
  mimeType: string;
  /** Bytes */
  fileSize: number;
  seconds?: number;
  /** Pixels */
  width?: number;
  height?: number;
  /** The network's address of the file, which is not encrypted */
  url: string;
  /** SHA-256 in base64; may be empty */
  fileSha256: string;
}

export interface ChatRoom {
  chatRoomId: string;
  clientId: string;
  name: string;
  myLid: string;
  /** The other party's LID user-part, or the group's id */
  clientLid: string;
  isGroup: boolean;
  remoteJid: string;
  lastMessage: string;
  lastMessageFromMe: boolean;
  /** RFC 3339, UTC; or empty */
  lastMessageAt: string;
  unreadCount: number;
  /** Permanent link to the room's picture; empty if there is none */
  avatarUrl: string;
  /** Present, and true, while the chat is archived on the devices of the account */
  archived?: boolean;
  /** End of the mute, which may be in the past; `9999-12-31T23:59:59.999Z` for a mute without an end */
  mutedUntil?: string;
  /** Present, and true, while the chat is pinned */
  pinned?: boolean;
}

export interface CheckStateAnswer {
  status: boolean;
  /** The own jid if connected, otherwise `not connected` or `unknown clientId` */
  state: string;
  /** Why the session is not connected, if known */
  reason?: string;
  /** The reason as a code for programs, such as `banned`; absent without a reason. docs/reasons.md has all */
  reasonCode?: string;
  /** Values that the words of the reason name, such as `until`; `kind` tells causes apart */
  reasonValues?: Record<string, unknown>;
  /** Calls that help, in their order; absent where none does */
  advice?: Advice[];
}

export interface Client {
  clientId: string;
  /** The linked number's own address; empty before pairing */
  jid: string;
  /** The node that holds the session; empty if no node holds it */
  podName: string;
  orgId: string;
  webhookUrl: string;
  /** Opt-in event types that are on */
  extraEvents?: string[];
  /** `durable`; absent for `contract` */
  retry?: 'contract' | 'durable';
  /** Why the webhook gets no calls; absent if it is not paused */
  webhookPaused?: string;
  /** State of the session; `logged_out`, `replaced` and `banned` need an operator */
  status: 'initializing' | 'qr' | 'connected' | 'reconnecting' | 'logged_out' | 'replaced' | 'banned';
  /** A temporary receiver that gets the events instead of the webhook */
  listener?: Listener;
  /** The proxy of the session, without user and password */
  proxy?: Proxy;
  /** Days after which messages and files are deleted, 0 for never; absent if the daemon's setting applies */
  retentionDays?: number;
  /** Days for which events of the session are kept; absent if none are kept */
  keepEvents?: number;
  /** Up to 10 other sessions with the same secret, which earlier releases allowed; they keep it. Absent if there are none, and when `clientId` is given */
  secretSharedWith?: string[];
}

export interface ConfigAnswer {
  podName: string;
  /** The network */
  environment: string;
  storage: string;
  publicMedia: boolean;
  /** True if a session of this node has a proxy */
  proxy: boolean;
  /** True if a session of this node declines calls */
  rejectCalls: boolean;
  alerts: boolean;
  version: string;
  /** `METHOD /path` */
  routes: string[];
}

export interface ContactEvent {
  /** `message.sent` for what the linked number did */
  event: 'message.received' | 'message.sent';
  clientId: string;
  orgId: string;
  /** RFC 3339, UTC */
  timestamp: string;
  chatRoomId: string;
  myLid: string;
  clientLid: string;
  remoteJid: string;
  remoteName: string;
  remotePhone: string;
  remoteUsername: string;
  pushName: string;
  avatarUrl: string;
  fromMe: boolean;
  isGroup: boolean;
  messageId: string;
  /** Text, caption or rendered text */
  body: string;
  quoted?: EventQuoted;
  /** The ad from which the person began to write; fields that the ad lacks are empty */
  referral?: EventReferral;
  mentions: string[];
  isForwarded: boolean;
  /** The `metaData` of an API send, and those of its fields that have a meaning, as the caller wrote them */
  meta?: EventMeta;
  /** The group and the author, for group messages */
  group?: EventGroup;
  type: 'contact';
  contact: EventContact;
}

export interface CreatedGroup {
  jid: string;
  name: string;
  /** Number of members */
  participants: number;
  /** Only admins may write */
  isAnnounce: boolean;
  /** Only admins may change name and picture */
  isLocked: boolean;
  ownerJid: string;
  topic: string;
  addressingMode: string;
  /** Every member may add people, not only admins */
  membersAdd: boolean;
  /** Admins approve people who join by the invite link */
  joinApproval: boolean;
  /** Seconds after which messages disappear; 0 if they stay */
  disappearingSeconds: number;
  members: GroupMember[];
  /** People whom the network did not add, with its code */
  refused: MemberResult[];
}

export interface DeliveryCounts {
  waiting: number;
  inFlight: number;
  failed: number;
}

export interface DocumentEvent {
  /** `message.sent` for what the linked number did */
  event: 'message.received' | 'message.sent';
  clientId: string;
  orgId: string;
  /** RFC 3339, UTC */
  timestamp: string;
  chatRoomId: string;
  myLid: string;
  clientLid: string;
  remoteJid: string;
  remoteName: string;
  remotePhone: string;
  remoteUsername: string;
  pushName: string;
  avatarUrl: string;
  fromMe: boolean;
  isGroup: boolean;
  messageId: string;
  /** Text, caption or rendered text */
  body: string;
  quoted?: EventQuoted;
  /** The ad from which the person began to write; fields that the ad lacks are empty */
  referral?: EventReferral;
  mentions: string[];
  isForwarded: boolean;
  /** The `metaData` of an API send, and those of its fields that have a meaning, as the caller wrote them */
  meta?: EventMeta;
  /** The group and the author, for group messages */
  group?: EventGroup;
  type: 'document';
  media: EventMedia;
}

export interface DroppedEntry {
  kind: 'dropped';
  /** RFC 3339, UTC */
  at: string;
  clientId: string;
  deliveryId: string;
  type: string;
  /** Why it is not delivered */
  reason: string;
  /** The reason as a code for programs, such as `banned`; absent without a reason. docs/reasons.md has all */
  reasonCode?: string;
  /** Values that the words of the reason name, such as `until`; `kind` tells causes apart */
  reasonValues?: Record<string, unknown>;
  /** Calls that help, in their order; absent where none does */
  advice?: Advice[];
  receiver?: string;
}

export interface EditEvent {
  /** `message.sent` for what the linked number did */
  event: 'message.received' | 'message.sent';
  clientId: string;
  orgId: string;
  /** RFC 3339, UTC */
  timestamp: string;
  chatRoomId: string;
  myLid: string;
  clientLid: string;
  remoteJid: string;
  remoteName: string;
  remotePhone: string;
  remoteUsername: string;
  pushName: string;
  avatarUrl: string;
  fromMe: boolean;
  isGroup: boolean;
  messageId: string;
  /** Text, caption or rendered text */
  body: string;
  quoted?: EventQuoted;
  /** The ad from which the person began to write; fields that the ad lacks are empty */
  referral?: EventReferral;
  mentions: string[];
  isForwarded: boolean;
  /** The `metaData` of an API send, and those of its fields that have a meaning, as the caller wrote them */
  meta?: EventMeta;
  /** The group and the author, for group messages */
  group?: EventGroup;
  type: 'edit';
  edit: EventEdit;
}

export interface EventButton {
  type: 'quick_reply' | 'cta_url' | 'cta_call' | 'cta_copy';
  displayText: string;
  /** For `quick_reply` and `cta_copy` */
  id?: string;
  /** For `cta_url` */
  url?: string;
  /** For `cta_call`, as the sender wrote it */
  phoneNumber?: string;
  /** For `cta_copy` */
  copyCode?: string;
}

export interface EventContact {
  displayName: string;
  phone: string;
  vcard: string;
  /** All of them, when several were shared */
  contacts?: EventContactCard[];
}

export interface EventContactCard {
  displayName: string;
  phone: string;
  vcard: string;
}

export interface EventEdit {
  targetId: string;
  body: string;
}

export interface EventEntry {
  kind: 'event';
  /** RFC 3339, UTC */
  at: string;
  clientId: string;
  event: WebhookEvent;
}

export interface EventGroup {
  jid: string;
  subject: string;
  /** User-part of the author */
  participant: string;
  participantPhone?: string;
  participantUsername?: string;
}

export interface EventInteractive {
  kind: 'button' | 'list';
  id: string;
  displayText: string;
  /** The message that held the button */
  targetId: string;
}

export interface EventLinkPreview {
  /** The link as written in the text */
  url: string;
  title: string;
  description: string;
}

export interface EventList {
  /** The label of the button that opens the list */
  buttonText: string;
  sections: EventListSection[];
}

export interface EventListRow {
  id: string;
  title: string;
  description: string;
}

export interface EventListSection {
  title: string;
  rows: EventListRow[];
}

export interface EventLocation {
  latitude: number;
  longitude: number;
  name: string;
  address: string;
  /** A live location: further events follow */
  live: boolean;
}

export interface EventMedia {
  mimeType: string;
  mediaType: string;
  fileName: string;
  /** Bytes */
  fileSize: number;
  caption: string;
  seconds?: number;
  /** Pixels */
  width?: number;
  /** Pixels */
  height?: number;
  /** A voice note, recorded in the chat */
  voice?: boolean;
  animated?: boolean;
  viewOnce?: boolean;
  /** Permanent link to the stored file; with the hosted inbox only */
  downloadUrl?: string;
  /** The network's address of the encrypted file, and its key */
  download: EventMediaDownload;
}

export interface EventMediaDownload {
  url: string;
  directPath: string;
  /** base64; a secret */
  mediaKey: string;
  /** base64 */
  fileSha256: string;
  /** base64 */
  fileEncSha256: string;
  /** Seconds since the epoch */
  mediaKeyTimestamp: number;
}

export interface EventMeta {
  /** `true` also flags the stored message as sent by an AI */
  fromAI?: unknown;
  userId?: unknown;
  userName?: unknown;
  sender?: unknown;
  name?: unknown;
  /** The whole `metaData` of the send */
  raw: Record<string, unknown>;
}

export interface EventPin {
  /** The message that was pinned or unpinned for everyone in the chat */
  targetId: string;
  pinned: boolean;
  /** Seconds until the pin ends by itself; 0 for an unpin */
  duration: number;
}

export interface EventPoll {
  name: string;
  options: string[];
  /** Number of options that one voter may choose */
  selectableCount: number;
}

export interface EventPollVote {
  pollMessageId: string;
  /** User-part of the voter */
  voter: string;
  /** The names of the chosen options are known */
  resolved: boolean;
  selectedOptions: string[];
  /** Hex SHA-256 of each chosen option's name */
  selectedHashes: string[];
}

export interface EventQuoted {
  messageId: string;
  /** The author's user-part */
  participant?: string;
  body: string;
  type: string;
}

export interface EventReaction {
  targetId: string;
  targetFromMe: boolean;
  /** The emoji; empty if the reaction was removed */
  emoji: string;
}

export interface EventReferral {
  /** Page of the ad or the post */
  sourceUrl: string;
  /** Id of the ad or the post */
  sourceId: string;
  /** `ad` or `post` */
  sourceType: string;
  title: string;
  body: string;
  mediaType: '' | 'image' | 'video';
  /** Address of the ad's video */
  mediaUrl: string;
  thumbnailUrl: string;
  /** The click, for the ad platform's conversions API */
  ctwaClid: string;
  /** The text that the advertiser gave to the ad */
  ref: string;
  /** The app that showed the ad, such as `facebook` */
  sourceApp: string;
  /** How the chat began, such as `ctwa_ad` */
  entryPointConversionSource: string;
  entryPointConversionApp: string;
  /** The campaign that the conversion counts for, such as `FB_Ads` */
  conversionSource: string;
}

export interface EventRevoke {
  targetId: string;
  /** True if an admin of the group deleted somebody else's message */
  byAdmin: boolean;
}

export interface FailedDelivery {
  id: string;
  clientId: string;
  /** Id of the receiver; absent for the webhook */
  receiver?: string;
  /** URL of the receiver, without parts that may be secret */
  url: string;
  type: string;
  messageId: string;
  /** Why it was not delivered */
  reason: string;
  /** The reason as a code for programs, such as `banned`; absent without a reason. docs/reasons.md has all */
  reasonCode?: string;
  /** Values that the words of the reason name, such as `until`; `kind` tells causes apart */
  reasonValues?: Record<string, unknown>;
  /** Calls that help, in their order; absent where none does */
  advice?: Advice[];
  attempts: number;
  /** RFC 3339, UTC */
  failedAt: string;
  /** True for a sample of `/send-test-event` that an earlier release listed; absent for a real event */
  sample?: boolean;
}

export interface FailedDeliveryWithEvent {
  id: string;
  clientId: string;
  /** Id of the receiver; absent for the webhook */
  receiver?: string;
  /** URL of the receiver, without parts that may be secret */
  url: string;
  type: string;
  messageId: string;
  /** Why it was not delivered */
  reason: string;
  /** The reason as a code for programs, such as `banned`; absent without a reason. docs/reasons.md has all */
  reasonCode?: string;
  /** Values that the words of the reason name, such as `until`; `kind` tells causes apart */
  reasonValues?: Record<string, unknown>;
  /** Calls that help, in their order; absent where none does */
  advice?: Advice[];
  attempts: number;
  /** RFC 3339, UTC */
  failedAt: string;
  /** True for a sample of `/send-test-event` that an earlier release listed; absent for a real event */
  sample?: boolean;
  /** The event as it was POSTed */
  event: Record<string, unknown>;
}

export interface FleetAnswer {
  /** RFC 3339, UTC */
  at: string;
  /** Every running daemon */
  nodes: FleetNode[];
  sessions: FleetSession[];
}

export interface FleetLease {
  /** How often a node has taken the session */
  epoch: number;
  /** Seconds since the present node took it */
  ageSeconds: number;
  /** Seconds until the lease expires if it is not renewed */
  leftSeconds: number;
}

export interface FleetNode {
  nodeId: string;
  podName: string;
  version: string;
  /** RFC 3339, UTC */
  startedAt: string;
  uptimeSeconds: number;
  /** Bytes; with the master token only */
  memory?: {
    rss: number;
    heapUsed: number;
  };
  sessions: SessionCounts;
  /** The version of WhatsApp Web that the node reports */
  waVersion?: WaVersion;
  store?: {
    name: string;
    reachable: boolean;
    /** Milliseconds until the store answered */
    ms: number;
  };
  network?: NetworkHealth;
  deliveries?: DeliveryCounts;
  /** `true` for the node that was called */
  self: boolean;
  /** Whether the node has answered. If not, the node has no `memory`, `store`, `network` or `deliveries`, and its sessions count as `down` and have a `reason` that says so */
  reachable: boolean;
  /** The node hands over its sessions and takes no new ones */
  draining: boolean;
  /** Seconds since the node's last heartbeat; nodes send one every second */
  silentSeconds: number;
}

export interface FleetReceiver {
  id: string;
  name: string;
  /** Scheme, host and port */
  origin: string;
  /** Who set the URL: with the master token, or with the secret of the session; absent if unknown */
  setBy?: 'operator' | 'tenant';
  /** Why the receiver is paused; absent if it is not */
  paused?: string;
  /** The reason in `paused` as a code: paused by an operator, the receiver answered 410, its broker crashed the client process, or its broker sent far more data than requested */
  pauseCode?: 'operator' | 'gone' | 'broker_crash' | 'broker_flood';
  /** Events that wait for the receiver, with `retry: durable` */
  waiting?: WaitingEvents;
  inFlight: number;
  /** Number since the start of the daemon */
  delivered: number;
  /** Number since the start of the daemon */
  dropped: number;
  /** The last call since the start of the daemon; absent before the first */
  last?: WebhookAttempt;
}

export interface FleetSession {
  clientId: string;
  jid: string;
  /** State of the session; `logged_out`, `replaced` and `banned` need an operator */
  status: 'initializing' | 'qr' | 'connected' | 'reconnecting' | 'logged_out' | 'replaced' | 'banned';
  /** Reason for the status; may be empty */
  reason: string;
  /** The reason as a code for programs, such as `banned`; absent without a reason. docs/reasons.md has all */
  reasonCode?: string;
  /** Values that the words of the reason name, such as `until`; `kind` tells causes apart */
  reasonValues?: Record<string, unknown>;
  /** Calls that help, in their order; absent where none does */
  advice?: Advice[];
  /** Start of the present status; empty if unknown */
  since: string;
  /** Traffic within the last minute proves the connection */
  connected: boolean;
  /** Paired */
  loggedIn: boolean;
  enableGroupAi: boolean;
  /** True if every incoming call is declined */
  rejectCalls: boolean;
  reconnects: number;
  /** RFC 3339, UTC; or empty */
  connectedAt: string;
  /** The last close reason, or empty */
  lastDisconnect: string;
  /** The last close reason as a code, such as `store_unavailable`; absent if unknown */
  lastDisconnectCode?: string;
  /** Values that the words of the last close reason name, as in `reasonValues` */
  lastDisconnectValues?: Record<string, unknown>;
  /** When the network last sent anything; answers to pings do not count */
  lastStanzaAt: string;
  /** Time of the next attempt to connect */
  retryAt: string;
  /** When `/export` stopped the session; absent if it is in use here */
  exportedAt?: string;
  /** Messages that arrived and are not announced yet */
  openJournal: number;
  /** The active restriction of the number */
  restriction?: Restriction;
  /** The network's warning before the limit of new chats: `FIRST_WARNING`, `SECOND_WARNING` */
  warning?: string;
  /** Progress of the history import */
  history?: HistoryProgress;
  /** Events that wait for the receiver, with `retry: durable` */
  waiting?: WaitingEvents;
  /** Why the webhook is paused; absent if it is not */
  webhookPaused?: string;
  /** Receivers beside the webhook; absent if there are none */
  receivers?: FleetReceiver[];
  orgId: string;
  webhook: FleetWebhook;
  /** The proxy of the session, without user and password */
  proxy?: Proxy;
  /** Absent for a session without a policy */
  policy?: PolicyFigures;
  /** Messages that wait until the policy allows them; absent if there are none */
  held?: number;
  /** The node that holds the session; empty if no node holds it */
  podName: string;
  /** With several nodes */
  lease?: FleetLease;
}

export interface FleetWebhook {
  /** Scheme, host and port; empty if delivery is off */
  origin: string;
  waiting: number;
  inFlight: number;
  /** Failed deliveries of the session that are stored, for all of its receivers */
  failed: number;
  /** Number since the start of the daemon */
  delivered: number;
  /** Number since the start of the daemon */
  dropped: number;
  /** The last call since the start of the daemon; absent before the first */
  last?: WebhookAttempt;
}

export interface GroupDetail {
  jid: string;
  name: string;
  topic: string;
  addressingMode: string;
  /** Only admins may write */
  isAnnounce: boolean;
  /** Only admins may change name and picture */
  isLocked: boolean;
  /** Every member may add people, not only admins */
  membersAdd: boolean;
  /** Admins approve people who join by the invite link */
  joinApproval: boolean;
  /** Seconds after which messages disappear; 0 if they stay */
  disappearingSeconds: number;
  members: GroupMember[];
}

export interface GroupInvite {
  jid: string;
  name: string;
  topic: string;
  ownerJid: string;
  /** Number of members */
  participants: number;
  /** An admin has to approve people who join */
  joinApproval: boolean;
  /** RFC 3339, UTC; or empty */
  createdAt: string;
}

export interface GroupListItem {
  jid: string;
  name: string;
  /** Number of members */
  participants: number;
  /** Only admins may write */
  isAnnounce: boolean;
  /** Only admins may change name and picture */
  isLocked: boolean;
  ownerJid: string;
}

export interface GroupMember {
  /** Jid by LID if known, otherwise by number */
  jid: string;
  /** Number with `+`; empty if the member hides it */
  phone: string;
  isAdmin: boolean;
  /** Marks the owner */
  isSuperAdmin: boolean;
  displayName: string;
}

export interface GroupSettingsChange {
  /** Only admins may write */
  announce?: boolean;
  /** Only admins may change the group's subject, description and picture */
  locked?: boolean;
  /** Members may add people */
  membersAdd?: boolean;
  /** Admins approve people who join */
  joinApproval?: boolean;
  /** Seconds after which messages disappear; 0 if they stay */
  disappearingSeconds?: number;
}

export interface GroupUpdateEvent {
  event: 'group.update';
  type: 'group_update';
  clientId: string;
  orgId: string;
  /** RFC 3339, UTC */
  timestamp: string;
  chatRoomId: string;
  myLid: string;
  /** LID of the other person; in a group the group's id */
  clientLid: string;
  remoteJid: string;
  isGroup: boolean;
  /** Id of the change, which is the same if the network reports the change again */
  changeId: string;
  change:
    | 'created'
    | 'joined'
    | 'added'
    | 'left'
    | 'removed'
    | 'promoted'
    | 'demoted'
    | 'subject'
    | 'description'
    | 'picture'
    | 'settings'
    | 'invite_link'
    | 'join_request'
    | 'join_request_withdrawn'
    | 'deleted';
  /** The linked number made the change */
  fromMe: boolean;
  /** The person who made the change; fields are empty if unknown */
  by: GroupUpdatePerson;
  /** The members concerned */
  members: GroupUpdatePerson[];
  /** The new subject, description or invite code, or the id of the new picture; otherwise empty */
  value: string;
  /** The settings that changed */
  settings?: GroupSettingsChange;
}

export interface GroupUpdatePerson {
  /** User-part: the LID if known, otherwise the number */
  user: string;
  /** Number with `+`; empty if unknown */
  phone: string;
  name: string;
}

export interface HeldMessage {
  /** Id of the message */
  messageId: string;
  /** Jid of the recipient */
  to: string;
  /** The operation of the send, such as `/send-message` */
  route: string;
  /** The rule that refused the message at its last judgement */
  rule:
    | 'reachoutLock'
    | 'newChatLimit'
    | 'networkSilent'
    | 'deny'
    | 'allow'
    | 'onlyWhoWrote'
    | 'largestGroup'
    | 'stopAtWarning'
    | 'newChatsPerDay'
    | 'newChatGap'
    | 'samePersonGap'
    | 'messagesPerHour'
    | 'messagesPerDay'
    | 'quietHours'
    | 'sameText'
    | 'lookUpFirst';
  /** RFC 3339, UTC */
  heldAt: string;
  /** When no rule refuses the message any more, if nothing else is sent before */
  allowedAt: string;
  /** When the message is given up */
  expiresAt: string;
  /** True while the message is being sent */
  leaving: boolean;
}

export interface HiddenPicture {
  jid: string;
  url: '';
  /** Why no picture is visible; only of such an answer */
  reason: string;
}

export interface HistoryProgress {
  /** Percent, as the phone reports it */
  progress: number;
  /** New messages */
  messages: number;
}

export interface IdentityChangeEvent {
  event: 'identity.change';
  type: 'identity_change';
  clientId: string;
  orgId: string;
  /** RFC 3339, UTC */
  timestamp: string;
  chatRoomId: string;
  myLid: string;
  /** LID of the other person; in a group the group's id */
  clientLid: string;
  remoteJid: string;
  isGroup: boolean;
  /** User-part of the person: the LID if known, otherwise the number */
  from: string;
  /** Number with `+`; empty if unknown */
  fromPhone: string;
  fromName: string;
}

export interface ImageEvent {
  /** `message.sent` for what the linked number did */
  event: 'message.received' | 'message.sent';
  clientId: string;
  orgId: string;
  /** RFC 3339, UTC */
  timestamp: string;
  chatRoomId: string;
  myLid: string;
  clientLid: string;
  remoteJid: string;
  remoteName: string;
  remotePhone: string;
  remoteUsername: string;
  pushName: string;
  avatarUrl: string;
  fromMe: boolean;
  isGroup: boolean;
  messageId: string;
  /** Text, caption or rendered text */
  body: string;
  quoted?: EventQuoted;
  /** The ad from which the person began to write; fields that the ad lacks are empty */
  referral?: EventReferral;
  mentions: string[];
  isForwarded: boolean;
  /** The `metaData` of an API send, and those of its fields that have a meaning, as the caller wrote them */
  meta?: EventMeta;
  /** The group and the author, for group messages */
  group?: EventGroup;
  type: 'image';
  media: EventMedia;
}

export interface InteractiveReplyEvent {
  /** `message.sent` for what the linked number did */
  event: 'message.received' | 'message.sent';
  clientId: string;
  orgId: string;
  /** RFC 3339, UTC */
  timestamp: string;
  chatRoomId: string;
  myLid: string;
  clientLid: string;
  remoteJid: string;
  remoteName: string;
  remotePhone: string;
  remoteUsername: string;
  pushName: string;
  avatarUrl: string;
  fromMe: boolean;
  isGroup: boolean;
  messageId: string;
  /** Text, caption or rendered text */
  body: string;
  quoted?: EventQuoted;
  /** The ad from which the person began to write; fields that the ad lacks are empty */
  referral?: EventReferral;
  mentions: string[];
  isForwarded: boolean;
  /** The `metaData` of an API send, and those of its fields that have a meaning, as the caller wrote them */
  meta?: EventMeta;
  /** The group and the author, for group messages */
  group?: EventGroup;
  type: 'interactive_reply';
  interactive: EventInteractive;
}

export interface JoinRequest {
  /** Jid by LID if known, otherwise by number */
  jid: string;
  /** Number with `+`; empty if unknown */
  phone: string;
  displayName: string;
  /** RFC 3339, UTC; or empty */
  requestedAt: string;
}

export interface KeptEvent {
  /** Id of the event, as in the header `X-SN-Replayed` */
  id: string;
  clientId: string;
  /** When the event was announced */
  at: string;
  type: string;
  /** Id of the message; empty if the event is about no message */
  messageId: string;
  bytes: number;
}

export interface Lease {
  clientId: string;
  podName: string;
  nodeId: string;
  /** How often a node has taken the session */
  epoch: number;
  /** Seconds since the present node took it */
  ageSeconds: number;
  /** Seconds until the lease expires if it is not renewed */
  leftSeconds: number;
}

export interface ListenAnswer {
  ok: true;
  clientId: string;
  webhookUrl: string;
  /** The session's own webhook, which is used again afterwards; empty if it has none */
  registeredUrl: string;
  /** RFC 3339, UTC */
  expiresAt: string;
  /** True if this listener was already registered */
  renewed: boolean;
}

export interface Listener {
  url: string;
  /** RFC 3339, UTC */
  expiresAt: string;
}

export interface LocationEvent {
  /** `message.sent` for what the linked number did */
  event: 'message.received' | 'message.sent';
  clientId: string;
  orgId: string;
  /** RFC 3339, UTC */
  timestamp: string;
  chatRoomId: string;
  myLid: string;
  clientLid: string;
  remoteJid: string;
  remoteName: string;
  remotePhone: string;
  remoteUsername: string;
  pushName: string;
  avatarUrl: string;
  fromMe: boolean;
  isGroup: boolean;
  messageId: string;
  /** Text, caption or rendered text */
  body: string;
  quoted?: EventQuoted;
  /** The ad from which the person began to write; fields that the ad lacks are empty */
  referral?: EventReferral;
  mentions: string[];
  isForwarded: boolean;
  /** The `metaData` of an API send, and those of its fields that have a meaning, as the caller wrote them */
  meta?: EventMeta;
  /** The group and the author, for group messages */
  group?: EventGroup;
  type: 'location';
  location: EventLocation;
}

export interface MediaFile {
  /** Id of the file: a UUID, not the id of a message */
  messageId: string;
  clientId: string;
  mimeType: string;
  mediaType: string;
  fileName: string;
  /** Bytes */
  fileSize: number;
  caption: string;
  /** The time of its message */
  createdAt: string;
}

export interface MemberResult {
  jid: string;
  /** 0, or the network's code for this person */
  error: number;
}

export interface MessageStatusEvent {
  event: 'message.status';
  type: 'message_status';
  clientId: string;
  orgId: string;
  /** RFC 3339, UTC */
  timestamp: string;
  messageId: string;
  status: 'sent' | 'delivered' | 'read' | 'played' | 'failed';
  /** User-part of the person who received or read the message; empty for `sent` and `failed` */
  by: string;
  /** The network's error code of a failed message, or the API's code for a held message that was given up; otherwise empty */
  code: string;
}

export interface MessageTrace {
  clientId: string;
  messageId: string;
  /** `out`: the linked number sent it */
  direction: 'in' | 'out';
  /** Jid of the chat; empty if unknown */
  chat: string;
  /** The steps, oldest first; steps without a time come last */
  steps: {
    /** Time of the step; empty if it is not kept */
    at: string;
    step:
      | 'received'
      | 'unreadable'
      | 'processed'
      | 'written_down'
      | 'held_back'
      | 'cancelled'
      | 'acknowledged'
      | 'unacknowledged'
      | 'recorded'
      | 'status'
      | 'announced'
      | 'attempted'
      | 'dropped'
      | 'waiting'
      | 'failed';
    /** Description for people */
    detail: string;
  }[];
  /** The conclusion from the steps, as a sentence */
  conclusion: string;
  /** Id of the trace at the OpenTelemetry collector; absent without tracing */
  traceId?: string;
}

export interface MessageUnreadableEvent {
  event: 'message.unreadable';
  type: 'message_unreadable';
  clientId: string;
  orgId: string;
  /** RFC 3339, UTC */
  timestamp: string;
  chatRoomId: string;
  myLid: string;
  /** LID of the other person; in a group the group's id */
  clientLid: string;
  remoteJid: string;
  isGroup: boolean;
  remoteName: string;
  remotePhone: string;
  remoteUsername: string;
  pushName: string;
  avatarUrl: string;
  fromMe: boolean;
  messageId: string;
  reason: 'undecryptable' | 'malformed' | 'unavailable' | 'view_once' | 'bot' | 'hosted' | 'unsupported';
  /** The group and the author, for group messages */
  group?: EventGroup;
}

export interface NetworkHealth {
  name: string;
  /** `ok`: traffic proved at least one link within the last minute; `down`: it proved none of the links that should be up; `unknown`: no number is linked */
  state: 'ok' | 'down' | 'unknown';
  /** RFC 3339, UTC; or empty */
  lastStanzaAt: string;
}

export interface NewChats {
  /** Chats that the number has begun in this period */
  used: number;
  /** Chats that the number may begin; 0 if the network names no limit */
  limit: number;
  /** When the next period begins; empty if unknown */
  resetsAt: string;
}

export interface Node {
  nodeId: string;
  podName: string;
  /** URL at which other nodes reach the node; empty without other nodes */
  url: string;
  self: boolean;
  version: string;
  draining: boolean;
  ageSeconds: number;
  silentSeconds: number;
  /** Number of sessions that the node holds */
  sessions: number;
}

export interface OwnProfile {
  /** Jid by LID if known, otherwise by number */
  jid: string;
  /** Number with `+`; empty if unknown */
  phone: string;
  /** The name that other people see */
  name: string;
  /** The text below the name */
  about: string;
  /** Version of the picture; empty if there is none */
  pictureId: string;
  /** Seconds after which messages of new chats disappear; 0 if they stay */
  disappearingSeconds: number;
}

export interface OwnerLid {
  myLid: string;
  myJid: string;
  /** The requested number; empty if none was requested */
  number: string;
  isOnWhatsApp: boolean;
  /** The number as the network writes it; empty if it is not on the network */
  numberJid: string;
  /** Empty if the number is not on the network */
  numberLid: string;
  /** Empty if the number is not on the network */
  username: string;
}

export interface PairLinkAnswer {
  clientId: string;
  /** The page where the owner links the number */
  url: string;
  /** RFC 3339, UTC */
  expiresAt: string;
}

export interface PairPasskey {
  /** `assertion_needed`: answer with `POST /passkey`; `confirm_code`: compare the code with the phone, then `POST /passkey/confirm` */
  step: 'assertion_needed' | 'sending' | 'confirm_code' | 'finishing';
  /** WebAuthn request options of the network, while the step is `assertion_needed` */
  options?: Record<string, unknown>;
  /** `XXXX-XXXX`, while the step is `confirm_code` */
  code?: string;
  /** Seconds until the network gives up on this step */
  secondsLeft: number;
  /** A script for the console of web.whatsapp.com, which asks the browser for the passkey and returns to the page */
  snippet?: string;
}

export interface PairPhoneAnswer {
  clientId: string;
  phone: string;
  /** Two groups of four */
  code: string;
}

export interface PairState {
  /** `stopped`: the pairing waits until a new QR code is requested */
  status: 'waiting' | 'qr' | 'passkey' | 'linked' | 'stopped';
  /** Why the pairing waits or has stopped; may be empty */
  reason: string;
  /** The reason as a code for programs; absent without a reason */
  reasonCode?: string;
  /** The QR code as an SVG data URL */
  qr?: string;
  /** The requested pairing code, while it is valid */
  code?: string;
  passkey?: PairPasskey;
  /** Seconds until the address expires */
  secondsLeft: number;
}

export interface PasskeyAnswer {
  clientId: string;
  /** `none`: no passkey is required; `assertion_needed`: answer with `POST /passkey`; `confirm_code`: compare the code with the phone, then `POST /passkey/confirm` */
  step: 'none' | 'assertion_needed' | 'sending' | 'confirm_code' | 'finishing';
  /** WebAuthn request options of the network, while the step is `assertion_needed` */
  options?: Record<string, unknown>;
  /** `XXXX-XXXX`, while the step is `confirm_code` */
  code?: string;
  /** Seconds until the network gives up on this step */
  secondsLeft: number;
}

export interface PastSends {
  clientId: string;
  /** The workspace of the session; absent if it has none */
  orgId?: string;
  /** When the session was created */
  createdAt: string;
  /** When the number was linked, from which rules by age count */
  linkedAt: string;
  /** The sends, oldest first */
  sends: {
    /** RFC 3339, UTC */
    at: string;
    to: string;
    /** Jid of the phone number of a person with a LID, if known */
    pn?: string;
    /** `running`: the other side has written, or it is a group; `unanswered`: only this number has written */
    standing: 'new' | 'unanswered' | 'running';
  }[];
  /** `after` of the next page; present if more follow */
  next?: string;
}

export interface PolicyAnswer {
  clientId: string;
  /** Name of the policy; empty if the session has none */
  policy: string;
  /** `observe`: refusals are only counted; `enforce`: sends are refused; `off`: the session has no policy */
  mode: 'observe' | 'enforce' | 'off';
  /** Days since the number was linked */
  linkedDays: number;
  /** Sends by the first rule that refused them, or would have, since the node holds the session */
  refused: {
    rule:
      | 'reachoutLock'
      | 'newChatLimit'
      | 'networkSilent'
      | 'deny'
      | 'allow'
      | 'onlyWhoWrote'
      | 'largestGroup'
      | 'stopAtWarning'
      | 'newChatsPerDay'
      | 'newChatGap'
      | 'samePersonGap'
      | 'messagesPerHour'
      | 'messagesPerDay'
      | 'quietHours'
      | 'sameText'
      | 'lookUpFirst';
    count: number;
  }[];
  messages?: {
    lastHour: number;
    lastDay: number;
  };
  newChats?: {
    /** New chats of the last 24 hours */
    used: number;
    /** Limit at the current age of the link; absent without a limit */
    limit?: number;
    left?: number;
  };
  /** Questions of the last hour whether a recipient is on WhatsApp; present under a policy with `lookUpFirst` */
  lookUps?: {
    used: number;
    limit: number;
    left: number;
  };
  /** With `to`: whether a message to that recipient would leave now, and every rule that refuses it */
  chat?: {
    jid: string;
    /** `running`: the other side has written, or it is a group; `unanswered`: only this number has written */
    standing: 'new' | 'unanswered' | 'running';
    allowed: boolean;
    refusals: PolicyRefusal[];
    /** Whether the recipient of a first message is on WhatsApp, with `lookUpFirst`: `known` to be there, known to be `absent`, or to be `asked` */
    lookUp?: 'known' | 'absent' | 'asked';
  };
}

export interface PolicyFigures {
  name: string;
  /** `observe`: refusals are only counted; `enforce`: sends are refused; `off`: the session has no policy */
  mode: 'observe' | 'enforce' | 'off';
  /** Sends by the first rule that refused them, or would have, since the node holds the session */
  refused: {
    rule:
      | 'reachoutLock'
      | 'newChatLimit'
      | 'networkSilent'
      | 'deny'
      | 'allow'
      | 'onlyWhoWrote'
      | 'largestGroup'
      | 'stopAtWarning'
      | 'newChatsPerDay'
      | 'newChatGap'
      | 'samePersonGap'
      | 'messagesPerHour'
      | 'messagesPerDay'
      | 'quietHours'
      | 'sameText'
      | 'lookUpFirst';
    count: number;
  }[];
}

export interface PolicyRefusal {
  rule:
    | 'reachoutLock'
    | 'newChatLimit'
    | 'networkSilent'
    | 'deny'
    | 'allow'
    | 'onlyWhoWrote'
    | 'largestGroup'
    | 'stopAtWarning'
    | 'newChatsPerDay'
    | 'newChatGap'
    | 'samePersonGap'
    | 'messagesPerHour'
    | 'messagesPerDay'
    | 'quietHours'
    | 'sameText'
    | 'lookUpFirst';
  /** Reason for people */
  reason: string;
  /** The limit of the rule; absent for a rule that counts nothing */
  limit?: number;
  /** Unused part of the limit */
  left?: number;
  /** When the rule allows the message; empty if never */
  allowedAt: string;
  /** Seconds until then */
  retryAfter?: number;
}

export interface PollCreationEvent {
  /** `message.sent` for what the linked number did */
  event: 'message.received' | 'message.sent';
  clientId: string;
  orgId: string;
  /** RFC 3339, UTC */
  timestamp: string;
  chatRoomId: string;
  myLid: string;
  clientLid: string;
  remoteJid: string;
  remoteName: string;
  remotePhone: string;
  remoteUsername: string;
  pushName: string;
  avatarUrl: string;
  fromMe: boolean;
  isGroup: boolean;
  messageId: string;
  /** Text, caption or rendered text */
  body: string;
  quoted?: EventQuoted;
  /** The ad from which the person began to write; fields that the ad lacks are empty */
  referral?: EventReferral;
  mentions: string[];
  isForwarded: boolean;
  /** The `metaData` of an API send, and those of its fields that have a meaning, as the caller wrote them */
  meta?: EventMeta;
  /** The group and the author, for group messages */
  group?: EventGroup;
  type: 'poll_creation';
  poll: EventPoll;
}

export interface PresenceEvent {
  event: 'presence';
  type: 'presence';
  clientId: string;
  orgId: string;
  /** RFC 3339, UTC */
  timestamp: string;
  chatRoomId: string;
  myLid: string;
  /** LID of the other person; in a group the group's id */
  clientLid: string;
  remoteJid: string;
  isGroup: boolean;
  state: 'composing' | 'recording' | 'paused' | 'available' | 'unavailable';
  /** User-part of the person: the LID if known, otherwise the number */
  from: string;
  /** Number with `+`; empty if unknown */
  fromPhone: string;
  fromName: string;
  /** When a person that is `unavailable` was last seen, RFC 3339; empty if unknown */
  lastSeen: string;
}

export interface Proxy {
  kind: 'http' | 'https' | 'socks5';
  host: string;
  port: number;
}

export interface QrAnswer {
  clientId: string;
  /** State of the session; `logged_out`, `replaced` and `banned` need an operator */
  status: 'initializing' | 'qr' | 'connected' | 'reconnecting' | 'logged_out' | 'replaced' | 'banned';
  /** The QR code; empty unless the status is `qr` */
  qr: string;
  /** Why there is no QR code, for example because the QR codes expired */
  reason?: string;
  /** The reason as a code for programs, such as `banned`; absent without a reason. docs/reasons.md has all */
  reasonCode?: string;
  /** Values that the words of the reason name, such as `until`; `kind` tells causes apart */
  reasonValues?: Record<string, unknown>;
  /** Calls that help, in their order; absent where none does */
  advice?: Advice[];
}

export interface ReactionEvent {
  /** `message.sent` for what the linked number did */
  event: 'message.received' | 'message.sent';
  clientId: string;
  orgId: string;
  /** RFC 3339, UTC */
  timestamp: string;
  chatRoomId: string;
  myLid: string;
  clientLid: string;
  remoteJid: string;
  remoteName: string;
  remotePhone: string;
  remoteUsername: string;
  pushName: string;
  avatarUrl: string;
  fromMe: boolean;
  isGroup: boolean;
  messageId: string;
  /** Text, caption or rendered text */
  body: string;
  quoted?: EventQuoted;
  /** The ad from which the person began to write; fields that the ad lacks are empty */
  referral?: EventReferral;
  mentions: string[];
  isForwarded: boolean;
  /** The `metaData` of an API send, and those of its fields that have a meaning, as the caller wrote them */
  meta?: EventMeta;
  /** The group and the author, for group messages */
  group?: EventGroup;
  type: 'reaction';
  reaction: EventReaction;
}

export interface ReadyAnswer {
  status: 'ok' | 'stopping' | 'unavailable';
  podName: string;
  database: boolean;
  storage: boolean;
  /** True if a session of this node has a proxy */
  proxy: boolean;
  alerts: boolean;
  sessions: SessionCounts;
}

export interface Receiver {
  /** `1` is the webhook of the session */
  id: string;
  name: string;
  /** URL of the receiver; without user and password for a broker */
  url: string;
  hasToken: boolean;
  /** When calls stop carrying a second signature with the previous token; absent if they carry none */
  previousTokenUntil?: string;
  /** `contract`: four attempts within seconds. `durable`: events are stored first and tried for up to 72 hours, in order for each chat */
  retry: 'contract' | 'durable';
  /** Who set the URL: with the master token, or with the secret of the session; absent if unknown */
  setBy?: 'operator' | 'tenant';
  /** Why the receiver is paused; absent if it is not */
  paused?: string;
  /** The reason in `paused` as a code: paused by an operator, the receiver answered 410, its broker crashed the client process, or its broker sent far more data than requested */
  pauseCode?: 'operator' | 'gone' | 'broker_crash' | 'broker_flood';
  /** An event must pass every given part; `{}` accepts all events */
  filter: ReceiverFilter;
  /** Names of its additional headers */
  headers: string[];
  schedule: ReceiverSchedule;
  /** Events that wait for the receiver, with `retry: durable` */
  waiting?: WaitingEvents;
  /** Failed deliveries, kept for sending again by hand */
  failed: number;
  /** Number since the start of the daemon */
  delivered: number;
  /** Number since the start of the daemon */
  dropped: number;
  /** The last call; absent before the first */
  last?: WebhookAttempt;
}

export interface ReceiverFilter {
  /** Types of events, including opt-in types. Default: messages, and the `extraEvents` of the session */
  types?: (
    | 'text'
    | 'image'
    | 'video'
    | 'audio'
    | 'document'
    | 'sticker'
    | 'poll_creation'
    | 'vote_update'
    | 'interactive_reply'
    | 'contact'
    | 'location'
    | 'reaction'
    | 'edit'
    | 'revoke'
    | 'message_status'
    | 'session_status'
    | 'call'
    | 'presence'
    | 'group_update'
    | 'message_unreadable'
    | 'account_status'
    | 'identity_change'
    | 'channel_post'
    | 'status_post'
  )[];
  /** Only received or only sent events */
  direction?: 'received' | 'sent';
  /** `true` for only groups, `false` for no groups */
  groups?: boolean;
  /** Only events of these rooms: each a `chatRoomId`, a `remoteJid`, the user-part of one, or a number with `+` */
  rooms?: string[];
  /** Only events of these people: user-parts, or numbers with `+` */
  senders?: string[];
}

export interface ReceiverHealth {
  id: string;
  /** Why the receiver is paused; absent if it is not */
  paused?: string;
  /** Events that wait for the receiver, with `retry: durable` */
  waiting?: WaitingEvents;
}

export interface ReceiverSchedule {
  /** With `retry: contract`: attempts for one event; default: 4 */
  attempts?: number;
  /** With `retry: durable`: seconds between the attempts; the last pause is repeated */
  pauses?: number[];
  /** With `retry: durable`: hours after which an event becomes a failed delivery; default: 72 */
  giveUpHours?: number;
}

export interface ReplayAnswer {
  ok: true;
  clientId: string;
  receiver: string;
  /** Events that the receiver accepted, or that wait for it with `retry: durable` */
  replayed: number;
  /** Events that do not pass the filter of the receiver */
  filtered: number;
  /** Events that were changed in the store: they are skipped, and the log names them */
  damaged?: number;
  /** Why the receiver did not accept the next event, which ended the request; that event is now a failed delivery */
  reason?: string;
  /** The reason as a code for programs, such as `banned`; absent without a reason. docs/reasons.md has all */
  reasonCode?: string;
  /** Values that the words of the reason name, such as `until`; `kind` tells causes apart */
  reasonValues?: Record<string, unknown>;
  /** Calls that help, in their order; absent where none does */
  advice?: Advice[];
  /** Requested ids that are not kept */
  missing?: string[];
  /** `after` of the next request; absent if no event is left */
  next?: string;
}

export interface ResendAnswer {
  deliveryId: string;
  delivered: boolean;
  /** Why the delivery failed; empty if it succeeded */
  reason: string;
  /** The reason as a code for programs, such as `banned`; absent without a reason. docs/reasons.md has all */
  reasonCode?: string;
  /** Values that the words of the reason name, such as `until`; `kind` tells causes apart */
  reasonValues?: Record<string, unknown>;
  /** Calls that help, in their order; absent where none does */
  advice?: Advice[];
}

export interface Restriction {
  /** When the restriction ends; empty if the network does not say it */
  until: string;
  /** Reason for people, with the network's name for it in brackets */
  reason: string;
}

export interface RestrictionsAnswer {
  clientId: string;
  restricted: boolean;
  /** When the restriction ends; empty if the network does not say it */
  until: string;
  /** Reason for people, with the network's name for it in brackets; empty without a restriction */
  reason: string;
  /** The network's warning before the limit of new chats: `FIRST_WARNING`, `SECOND_WARNING`; empty without a warning */
  warning: string;
  newChats: NewChats;
}

export interface RevokeEvent {
  /** `message.sent` for what the linked number did */
  event: 'message.received' | 'message.sent';
  clientId: string;
  orgId: string;
  /** RFC 3339, UTC */
  timestamp: string;
  chatRoomId: string;
  myLid: string;
  clientLid: string;
  remoteJid: string;
  remoteName: string;
  remotePhone: string;
  remoteUsername: string;
  pushName: string;
  avatarUrl: string;
  fromMe: boolean;
  isGroup: boolean;
  messageId: string;
  /** Text, caption or rendered text */
  body: string;
  quoted?: EventQuoted;
  /** The ad from which the person began to write; fields that the ad lacks are empty */
  referral?: EventReferral;
  mentions: string[];
  isForwarded: boolean;
  /** The `metaData` of an API send, and those of its fields that have a meaning, as the caller wrote them */
  meta?: EventMeta;
  /** The group and the author, for group messages */
  group?: EventGroup;
  type: 'revoke';
  revoke: EventRevoke;
}

export interface RoomEntry {
  kind: 'room';
  /** RFC 3339, UTC */
  at: string;
  /** The session; empty if rooms of any session may have changed */
  clientId: string;
  /** The room; empty if any room may have changed */
  chatRoomId: string;
  messageId?: string;
  /** Previous id of the room, after a rename */
  formerId?: string;
}

export interface SendAnswer {
  /** `held`, only with `whenAllowed`: the policy refuses the message now, and it is sent later */
  status: 'sent' | 'held';
  messageId: string;
  /** When no rule refuses the message any more, if nothing else is sent before */
  allowedAt?: string;
  /** The rule that holds a message back */
  rule?:
    | 'reachoutLock'
    | 'newChatLimit'
    | 'networkSilent'
    | 'deny'
    | 'allow'
    | 'onlyWhoWrote'
    | 'largestGroup'
    | 'stopAtWarning'
    | 'newChatsPerDay'
    | 'newChatGap'
    | 'samePersonGap'
    | 'messagesPerHour'
    | 'messagesPerDay'
    | 'quietHours'
    | 'sameText'
    | 'lookUpFirst';
  /** Delivered, but not written to the hosted history: do not send again */
  warning?: string;
  /** Id of the earlier message: what was reacted to, changed, pinned or forwarded */
  targetId?: string;
}

export interface SendMediaAnswer {
  /** `held`, only with `whenAllowed`: the policy refuses the message now, and it is sent later */
  status: 'sent' | 'held';
  messageId: string;
  /** When no rule refuses the message any more, if nothing else is sent before */
  allowedAt?: string;
  /** The rule that holds a message back */
  rule?:
    | 'reachoutLock'
    | 'newChatLimit'
    | 'networkSilent'
    | 'deny'
    | 'allow'
    | 'onlyWhoWrote'
    | 'largestGroup'
    | 'stopAtWarning'
    | 'newChatsPerDay'
    | 'newChatGap'
    | 'samePersonGap'
    | 'messagesPerHour'
    | 'messagesPerDay'
    | 'quietHours'
    | 'sameText'
    | 'lookUpFirst';
  /** Delivered, but not written to the hosted history: do not send again */
  warning?: string;
  mediaType?: string;
  /** Size of a file that was fetched from its URL */
  bytes?: number;
  /** Present if the file is too large: a text with the link was sent instead */
  fallback?: 'text';
}

export interface SessionCounts {
  total: number;
  connected: number;
  /** Paired, but not connected; a session that is being paired is in `total` only */
  down: number;
  terminal: number;
}

export interface SessionHealth {
  clientId: string;
  jid: string;
  /** State of the session; `logged_out`, `replaced` and `banned` need an operator */
  status: 'initializing' | 'qr' | 'connected' | 'reconnecting' | 'logged_out' | 'replaced' | 'banned';
  /** Reason for the status; may be empty */
  reason: string;
  /** The reason as a code for programs, such as `banned`; absent without a reason. docs/reasons.md has all */
  reasonCode?: string;
  /** Values that the words of the reason name, such as `until`; `kind` tells causes apart */
  reasonValues?: Record<string, unknown>;
  /** Calls that help, in their order; absent where none does */
  advice?: Advice[];
  /** Start of the present status; empty if unknown */
  since: string;
  /** Traffic within the last minute proves the connection */
  connected: boolean;
  /** Paired */
  loggedIn: boolean;
  enableGroupAi: boolean;
  /** True if every incoming call is declined */
  rejectCalls: boolean;
  reconnects: number;
  /** RFC 3339, UTC; or empty */
  connectedAt: string;
  /** The last close reason, or empty */
  lastDisconnect: string;
  /** The last close reason as a code, such as `store_unavailable`; absent if unknown */
  lastDisconnectCode?: string;
  /** Values that the words of the last close reason name, as in `reasonValues` */
  lastDisconnectValues?: Record<string, unknown>;
  /** When the network last sent anything; answers to pings do not count */
  lastStanzaAt: string;
  /** Time of the next attempt to connect */
  retryAt: string;
  /** When `/export` stopped the session; absent if it is in use here */
  exportedAt?: string;
  /** Messages that arrived and are not announced yet */
  openJournal: number;
  /** The active restriction of the number */
  restriction?: Restriction;
  /** The network's warning before the limit of new chats: `FIRST_WARNING`, `SECOND_WARNING` */
  warning?: string;
  /** Progress of the history import */
  history?: HistoryProgress;
  /** Events that wait for the receiver, with `retry: durable` */
  waiting?: WaitingEvents;
  /** Why the webhook is paused; absent if it is not */
  webhookPaused?: string;
  /** Receivers beside the webhook; absent if there are none */
  receivers?: ReceiverHealth[];
}

export interface SessionStatusEvent {
  event: 'session.status';
  type: 'session_status';
  clientId: string;
  orgId: string;
  /** RFC 3339, UTC */
  timestamp: string;
  /** State of the session; `logged_out`, `replaced` and `banned` need an operator */
  status: 'initializing' | 'qr' | 'connected' | 'reconnecting' | 'logged_out' | 'replaced' | 'banned';
  /** State of the session; `logged_out`, `replaced` and `banned` need an operator */
  previousStatus: 'initializing' | 'qr' | 'connected' | 'reconnecting' | 'logged_out' | 'replaced' | 'banned';
  /** Reason for the status; may be empty */
  reason: string;
  /** The reason as a code for programs, such as `banned`; absent without a reason. docs/reasons.md has all */
  reasonCode?: string;
  /** Values that the words of the reason name, such as `until`; `kind` tells causes apart */
  reasonValues?: Record<string, unknown>;
  /** Calls that help, in their order; absent where none does */
  advice?: Advice[];
}

export interface StartAnswer {
  clientId: string;
  /** State of the session; `logged_out`, `replaced` and `banned` need an operator */
  status: 'initializing' | 'qr' | 'connected' | 'reconnecting' | 'logged_out' | 'replaced' | 'banned';
  /** The node that answered */
  podName: string;
  webhookUrl: string;
  pollLookupUrl: string;
}

export interface StatusAnswer {
  status: 'sent';
  /** Names the status in `message_status` events and in `/delete-status` */
  messageId: string;
  /** Number of people to whom it was sent */
  people: number;
  mediaType?: string;
  /** Size of a file that was fetched from its URL */
  bytes?: number;
}

export interface StatusPostEvent {
  event: 'status.post';
  type: 'status_post';
  clientId: string;
  orgId: string;
  /** RFC 3339, UTC */
  timestamp: string;
  messageId: string;
  /** User-part of the author: the LID if known, otherwise the number */
  from: string;
  /** Number with `+`; empty if unknown */
  fromPhone: string;
  fromName: string;
  /** The linked number posted it: through the API, on the phone or on another device */
  fromMe: boolean;
  /** `revoke`: its author deleted the status `targetId` */
  kind: 'text' | 'image' | 'video' | 'audio' | 'revoke';
  /** Text or caption */
  body: string;
  /** When phones stop showing it */
  expiresAt: string;
  media?: EventMedia;
  /** For `revoke`: the status that was deleted */
  targetId?: string;
  /** The `metaData` of an API send, and those of its fields that have a meaning, as the caller wrote them */
  meta?: EventMeta;
}

export interface StatusPrivacy {
  /** `contacts`: all contacts; `except`: all contacts but some; `only`: some people */
  mode: 'contacts' | 'except' | 'only';
  /** Who is left out, or the only ones; none with `contacts` */
  people: StatusPrivacyPerson[];
}

export interface StatusPrivacyPerson {
  /** User-part; empty if unknown */
  lid: string;
  /** Number with `+`; empty if unknown */
  phone: string;
  /** The name in the phone's address book, or the person's own one; empty if unknown */
  name: string;
}

export interface StickerEvent {
  /** `message.sent` for what the linked number did */
  event: 'message.received' | 'message.sent';
  clientId: string;
  orgId: string;
  /** RFC 3339, UTC */
  timestamp: string;
  chatRoomId: string;
  myLid: string;
  clientLid: string;
  remoteJid: string;
  remoteName: string;
  remotePhone: string;
  remoteUsername: string;
  pushName: string;
  avatarUrl: string;
  fromMe: boolean;
  isGroup: boolean;
  messageId: string;
  /** Text, caption or rendered text */
  body: string;
  quoted?: EventQuoted;
  /** The ad from which the person began to write; fields that the ad lacks are empty */
  referral?: EventReferral;
  mentions: string[];
  isForwarded: boolean;
  /** The `metaData` of an API send, and those of its fields that have a meaning, as the caller wrote them */
  meta?: EventMeta;
  /** The group and the author, for group messages */
  group?: EventGroup;
  type: 'sticker';
  media: EventMedia;
}

export interface StoredMedia {
  mimeType: string;
  mediaType: string;
  fileName: string;
  fileSize: number;
}

export interface StoredMessage {
  messageId: string;
  chatRoomId: string;
  clientId: string;
  body: string;
  messageType: string;
  fromMe: boolean;
  pushname: string;
  /** RFC 3339, UTC */
  sentAt: string;
  deleted: boolean;
  fromAi: boolean;
  media?: StoredMedia;
  /** Permanent link to the stored file; empty if there is none */
  downloadUrl: string;
  /** The per-type objects of the message's event, with later changes */
  extras: Record<string, unknown>;
  /** Status of an own message, with `status=true`; in a group the furthest of any member */
  status?: 'sent' | 'failed' | 'delivered' | 'read' | 'played';
}

export type StreamEntry = EventEntry | AttemptEntry | DroppedEntry | RoomEntry;

export interface TestEventAnswer {
  deliveryId: string;
  delivered: boolean;
  /** Why the delivery failed; empty if it succeeded */
  reason: string;
  /** The reason as a code for programs, such as `banned`; absent without a reason. docs/reasons.md has all */
  reasonCode?: string;
  /** Values that the words of the reason name, such as `until`; `kind` tells causes apart */
  reasonValues?: Record<string, unknown>;
  /** Calls that help, in their order; absent where none does */
  advice?: Advice[];
  /** True if the call had a token and a signature */
  signed: boolean;
}

export interface TextEvent {
  /** `message.sent` for what the linked number did */
  event: 'message.received' | 'message.sent';
  clientId: string;
  orgId: string;
  /** RFC 3339, UTC */
  timestamp: string;
  chatRoomId: string;
  myLid: string;
  clientLid: string;
  remoteJid: string;
  remoteName: string;
  remotePhone: string;
  remoteUsername: string;
  pushName: string;
  avatarUrl: string;
  fromMe: boolean;
  isGroup: boolean;
  messageId: string;
  /** Text, caption or rendered text */
  body: string;
  quoted?: EventQuoted;
  /** The ad from which the person began to write; fields that the ad lacks are empty */
  referral?: EventReferral;
  mentions: string[];
  isForwarded: boolean;
  /** The `metaData` of an API send, and those of its fields that have a meaning, as the caller wrote them */
  meta?: EventMeta;
  /** The group and the author, for group messages */
  group?: EventGroup;
  type: 'text';
  linkPreview?: EventLinkPreview;
  list?: EventList;
  /** The buttons below the text */
  buttons?: EventButton[];
  pin?: EventPin;
}

export interface UnlistenAnswer {
  ok: true;
  clientId: string;
  ended: boolean;
  webhookUrl: string;
}

export interface UserInfo {
  /** Jid by LID if known, otherwise by number */
  jid: string;
  username: string;
  /** Status text of the person */
  status: string;
  pictureId: string;
  /** Number of devices of the person */
  devices: number;
  /** The verified name of a business; may be empty */
  verifiedName: string;
  /** With `withContact`: number with `+`; empty if unknown */
  phone?: string;
  /** With `withContact`: name in the address book, or the one that the person chose; empty if unknown */
  displayName?: string;
}

export interface VideoEvent {
  /** `message.sent` for what the linked number did */
  event: 'message.received' | 'message.sent';
  clientId: string;
  orgId: string;
  /** RFC 3339, UTC */
  timestamp: string;
  chatRoomId: string;
  myLid: string;
  clientLid: string;
  remoteJid: string;
  remoteName: string;
  remotePhone: string;
  remoteUsername: string;
  pushName: string;
  avatarUrl: string;
  fromMe: boolean;
  isGroup: boolean;
  messageId: string;
  /** Text, caption or rendered text */
  body: string;
  quoted?: EventQuoted;
  /** The ad from which the person began to write; fields that the ad lacks are empty */
  referral?: EventReferral;
  mentions: string[];
  isForwarded: boolean;
  /** The `metaData` of an API send, and those of its fields that have a meaning, as the caller wrote them */
  meta?: EventMeta;
  /** The group and the author, for group messages */
  group?: EventGroup;
  type: 'video';
  media: EventMedia;
}

export interface VisiblePicture {
  jid: string;
  /** Version of the picture */
  id: string;
  type: 'preview' | 'full';
  /** The network's link, which expires in about 10 days */
  url: string;
  /** Permanent link to the stored copy; empty if there is none */
  storedUrl: string;
  /** True if there is a stored copy */
  mirrored: boolean;
}

export interface VoteUpdateEvent {
  /** `message.sent` for what the linked number did */
  event: 'message.received' | 'message.sent';
  clientId: string;
  orgId: string;
  /** RFC 3339, UTC */
  timestamp: string;
  chatRoomId: string;
  myLid: string;
  clientLid: string;
  remoteJid: string;
  remoteName: string;
  remotePhone: string;
  remoteUsername: string;
  pushName: string;
  avatarUrl: string;
  fromMe: boolean;
  isGroup: boolean;
  messageId: string;
  /** Text, caption or rendered text */
  body: string;
  quoted?: EventQuoted;
  /** The ad from which the person began to write; fields that the ad lacks are empty */
  referral?: EventReferral;
  mentions: string[];
  isForwarded: boolean;
  /** The `metaData` of an API send, and those of its fields that have a meaning, as the caller wrote them */
  meta?: EventMeta;
  /** The group and the author, for group messages */
  group?: EventGroup;
  type: 'vote_update';
  pollVote: EventPollVote;
}

export interface WaVersion {
  /** `2.3000.N` */
  version: string;
  /** Origin of the version: the setting, the store, the library, or a look-up of this run */
  source: 'setting' | 'stored' | 'library' | 'lookup';
}

export interface WaitingEvents {
  events: number;
  /** Bytes on disk, limited by the setting `--durable-mb` */
  bytes: number;
  /** When the oldest event was stored */
  since: string;
  /** `open` while the receiver is down: then single calls test whether it answers again */
  circuit: 'closed' | 'open';
}

export interface WebAuthnAssertion {
  id: string;
  rawId: string;
  type: 'public-key';
  response: {
    clientDataJSON: string;
    authenticatorData: string;
    signature: string;
    userHandle?: string | null;
  };
  clientExtensionResults?: Record<string, unknown>;
  authenticatorAttachment?: string | null;
}

export interface WebhookAttempt {
  /** RFC 3339, UTC */
  at: string;
  origin: string;
  type: string;
  attempt: number;
  outcome: 'delivered' | 'rejected' | 'failed';
  /** The receiver's HTTP status; 0 without an answer */
  status: number;
  /** Why it was not delivered; empty when it was */
  reason: string;
  /** The reason as a code for programs, such as `banned`; absent without a reason. docs/reasons.md has all */
  reasonCode?: string;
  /** Values that the words of the reason name, such as `until`; `kind` tells causes apart */
  reasonValues?: Record<string, unknown>;
  /** Calls that help, in their order; absent where none does */
  advice?: Advice[];
  durationMs: number;
}

export type WebhookEvent =
  | TextEvent
  | ImageEvent
  | VideoEvent
  | AudioEvent
  | DocumentEvent
  | StickerEvent
  | PollCreationEvent
  | VoteUpdateEvent
  | InteractiveReplyEvent
  | ContactEvent
  | LocationEvent
  | ReactionEvent
  | EditEvent
  | RevokeEvent
  | MessageStatusEvent
  | SessionStatusEvent
  | CallEvent
  | PresenceEvent
  | GroupUpdateEvent
  | MessageUnreadableEvent
  | AccountStatusEvent
  | IdentityChangeEvent
  | ChannelPostEvent
  | StatusPostEvent;

export interface StartRequest {
  clientId: string;
  /** URL of the webhook; `""` stops delivery */
  webhookUrl?: string;
  /** Bearer token and signing key of calls to the webhook */
  webhookToken?: string;
  /** URL that returns the options of polls that are not stored */
  pollLookupUrl?: string;
  /** Types of opt-in events; replaces the whole list, `[]` turns all of them off */
  extraEvents?: (
    | 'message_status'
    | 'session_status'
    | 'call'
    | 'presence'
    | 'group_update'
    | 'message_unreadable'
    | 'account_status'
    | 'identity_change'
    | 'channel_post'
    | 'status_post'
  )[];
  /** Decline every incoming call; the event `call` tells of each call */
  rejectCalls?: boolean;
  /** URL of the proxy for all connections of this session: `http`, `https` or `socks5`, with user and password if the proxy needs them; `null` for direct connections. Needs the master token */
  proxy?: string | null;
}

export interface GetQrRequest {
  clientId: string;
  /** `png` for a data URL, `text` for the text inside the QR */
  format?: 'png' | 'text';
}

export interface PairPhoneRequest {
  clientId: string;
  /** Digits with the country code, `+` optional */
  phone: string;
}

export interface CheckStateRequest {
  clientId: string;
}

export interface ListClientsRequest {
  /** Only this session */
  clientId?: string;
}

export interface SetWebhookRequest {
  clientId: string;
  /** URL of the webhook; `""` stops delivery */
  webhookUrl: string;
  /** Bearer token and signing key of calls to the webhook */
  webhookToken?: string;
  /** URL that returns the options of polls that are not stored */
  pollLookupUrl?: string;
  /** Types of opt-in events; replaces the whole list, `[]` turns all of them off */
  extraEvents?: (
    | 'message_status'
    | 'session_status'
    | 'call'
    | 'presence'
    | 'group_update'
    | 'message_unreadable'
    | 'account_status'
    | 'identity_change'
    | 'channel_post'
    | 'status_post'
  )[];
  /** `contract`: four attempts within seconds. `durable`: events are stored first and tried for up to 72 hours, in order for each chat */
  retry?: 'contract' | 'durable';
  /** Seconds for which calls carry a second signature, with the previous `webhookToken`: up to 7 days; 0 stops it. A new token without this field stops it, too */
  previousTokenFor?: number;
}

export interface PauseWebhookRequest {
  clientId: string;
  paused: boolean;
}

export interface SetOrgIdRequest {
  clientId: string;
  /** `""` stops the history */
  orgId: string;
}

export interface SetApiSecretRequest {
  clientId: string;
  /** Not the master token; `""` removes the secret */
  secret: string;
}

export interface SetEnableGroupAiRequest {
  clientId: string;
  enabled: boolean;
}

export interface SetProxyRequest {
  clientId: string;
  /** URL of the proxy for all connections of this session: `http`, `https` or `socks5`, with user and password if the proxy needs them; `null` for direct connections. Needs the master token */
  proxy: string | null;
}

export interface SetRetentionRequest {
  clientId: string;
  /** Messages and files of the session that are older than so many days are deleted; 0 keeps them for ever, `null` follows the setting `--retention-days` */
  days?: number | null;
  /** Days for which events are kept, to be sent again; 0 keeps none, and removes those that are kept */
  keepEvents?: number;
}

export interface SetRejectCallsRequest {
  clientId: string;
  enabled: boolean;
}

export interface ReconnectRequest {
  clientId: string;
}

export interface RestrictionsRequest {
  clientId: string;
}

export interface DisconnectRequest {
  clientId: string;
}

export interface GetPasskeyRequest {
  clientId: string;
}

export interface AnswerPasskeyRequest {
  clientId: string;
  /** The owner's WebAuthn assertion, as browsers write it */
  assertion: WebAuthnAssertion;
}

export interface ConfirmPasskeyRequest {
  clientId: string;
}

export interface CreatePairLinkRequest {
  clientId: string;
}

export interface GetPairStateRequest {
  clientId?: string;
  token: string;
}

export interface StartPairRequest {
  clientId?: string;
  token: string;
}

export interface RequestPairCodeRequest {
  clientId?: string;
  token: string;
  /** Digits with the country code, `+` optional */
  phone: string;
}

export interface AnswerPairPasskeyRequest {
  clientId?: string;
  token: string;
  /** The owner's WebAuthn assertion, as browsers write it */
  assertion: WebAuthnAssertion;
}

export interface ConfirmPairPasskeyRequest {
  clientId?: string;
  token: string;
}

export interface AdoptRequest {
  clientId: string;
  /** `true` forgets the parts of an adoption that did not end */
  begin?: boolean;
  /** Keys of the link */
  keys?: {
    /** The library's name of the key family, such as `session` or `pre-key` */
    type: string;
    /** Name of the key in its family */
    id: string;
    /** The key as the library writes it in JSON */
    value: unknown;
  }[];
  /** The credentials of the link as the library writes them in JSON (`creds.json`) */
  credentials?: Record<string, unknown>;
  /** The value that `/export-keys` answered */
  received?: {
    /** SHA-256 of the ciphertext */
    id: string;
    messageId: string;
    /** The decrypted content, in base64 */
    plain: string;
    /** The stanza of the message, in base64 */
    stanza: string;
    /** Milliseconds since the epoch */
    receivedAt: number;
  }[];
  /** URL of the webhook; `""` stops delivery */
  webhookUrl?: string;
  /** Bearer token and signing key of calls to the webhook */
  webhookToken?: string;
  /** URL that returns the options of polls that are not stored */
  pollLookupUrl?: string;
  /** Types of opt-in events; replaces the whole list, `[]` turns all of them off */
  extraEvents?: (
    | 'message_status'
    | 'session_status'
    | 'call'
    | 'presence'
    | 'group_update'
    | 'message_unreadable'
    | 'account_status'
    | 'identity_change'
    | 'channel_post'
    | 'status_post'
  )[];
  /** URL of the proxy for all connections of this session: `http`, `https` or `socks5`, with user and password if the proxy needs them; `null` for direct connections. Needs the master token */
  proxy?: string | null;
  /** When the number was linked, from which policy rules by age count; by default now */
  linkedAt?: string;
  /** Why the webhook is paused; empty if it is not */
  webhookPaused?: string;
  /** The previous token, which also signs calls until then, as with `previousTokenFor` */
  previousToken?: {
    token: string;
    /** RFC 3339, UTC */
    until: string;
  };
  /** The receivers beside the webhook, with their secrets */
  receivers?: {
    /** Id of the receiver */
    id: string;
    name: string;
    /** An http(s) address or that of a broker */
    url: string;
    /** Bearer token and signing key of the calls; `""` for none */
    token: string;
    /** `contract`: four attempts within seconds. `durable`: events are stored first and tried for up to 72 hours, in order for each chat */
    retry: 'contract' | 'durable';
    /** An event must pass every given part; `{}` accepts all events */
    filter: ReceiverFilter;
    /** Headers of every call, by name; at most 16, with 4,096 characters together. Not `Authorization`, `Host`, `User-Agent`, `X-SN-…`, `webhook-…`, `Content-…`, nor those of the connection */
    headers: Record<string, unknown>;
    schedule: ReceiverSchedule;
    previousToken: string | null;
    /** Milliseconds since the epoch; 0 without such a token */
    previousTokenUntil: number;
    paused: string;
    /** The reason in `paused` as a code: paused by an operator, the receiver answered 410, its broker crashed the client process, or its broker sent far more data than requested */
    pauseCode?: 'operator' | 'gone' | 'broker_crash' | 'broker_flood';
    /** Who set the URL: with the master token, or with the secret of the session; absent if unknown */
    setBy?: 'operator' | 'tenant';
  }[];
}

export interface GiveBackRequest {
  clientId: string;
  /** The session's own jid, with or without its device, so that no other session is given back by mistake */
  jid: string;
}

export interface ExportSessionRequest {
  clientId: string;
}

export interface GetUnfinishedRequest {
  clientId: string;
}

export interface ExportKeysRequest {
  clientId: string;
  /** `next` of the previous page */
  after?: {
    /** The library's name of the key family, such as `session` or `pre-key` */
    type: string;
    /** Name of the key in its family */
    id: string;
  };
}

export interface SendMessageRequest {
  clientId: string;
  to: string;
  /** The message that this message answers. The quote shows what the gateway has stored of that message; a message with an unknown id is sent too */
  quotedMessageId?: string;
  /** User-parts: LID or phone digits. Write `@<user-part>` into the text too: the gateway replaces it with the user-part on the wire, so both agree, also for a phone number */
  mentions?: string[];
  /** Comes back as `meta` in the event and is stored with the message; `{"fromAI": true}` also marks the stored message */
  metaData?: Record<string, unknown>;
  /** `true`: if the policy refuses the message for a time, the message is held and sent when the policy allows it. The answer is then 202 with `status: "held"`, `rule` and `allowedAt`. Not for uploaded files */
  whenAllowed?: boolean;
  /** The text; an emoji is one character */
  body: string;
  /** `true` shows a preview of the first `https://` link: title, description and picture of its page. The default is the setting `--link-previews`, which is off */
  linkPreview?: boolean;
}

export interface SendPollMessageRequest {
  clientId: string;
  to: string;
  /** The message that this message answers. The quote shows what the gateway has stored of that message; a message with an unknown id is sent too */
  quotedMessageId?: string;
  /** User-parts: LID or phone digits. Write `@<user-part>` into the text too: the gateway replaces it with the user-part on the wire, so both agree, also for a phone number */
  mentions?: string[];
  /** Comes back as `meta` in the event and is stored with the message; `{"fromAI": true}` also marks the stored message */
  metaData?: Record<string, unknown>;
  /** `true`: if the policy refuses the message for a time, the message is held and sent when the policy allows it. The answer is then 202 with `status: "held"`, `rule` and `allowedAt`. Not for uploaded files */
  whenAllowed?: boolean;
  /** The question */
  pollName: string;
  /** The options */
  pollOptions: string[];
  /** How many options one person may choose, up to the number of options */
  selectableCount?: number;
}

export interface SendListMessageRequest {
  clientId: string;
  to: string;
  /** The message that this message answers. The quote shows what the gateway has stored of that message; a message with an unknown id is sent too */
  quotedMessageId?: string;
  /** User-parts: LID or phone digits. Write `@<user-part>` into the text too: the gateway replaces it with the user-part on the wire, so both agree, also for a phone number */
  mentions?: string[];
  /** Comes back as `meta` in the event and is stored with the message; `{"fromAI": true}` also marks the stored message */
  metaData?: Record<string, unknown>;
  /** `true`: if the policy refuses the message for a time, the message is held and sent when the policy allows it. The answer is then 202 with `status: "held"`, `rule` and `allowedAt`. Not for uploaded files */
  whenAllowed?: boolean;
  /** A title above the text */
  title?: string;
  /** The text */
  bodyText: string;
  /** Small print below the text */
  footerText?: string;
  /** The label of the button that opens the list */
  buttonText: string;
  /** The rows, in sections */
  sections: {
    /** Required if there are several sections */
    title?: string;
    /** 10 at most, in all sections together */
    rows: {
      /** Used once; the event of a choice names it */
      id: string;
      title: string;
      description?: string;
    }[];
  }[];
}

export interface SendInteractiveMessageRequest {
  clientId: string;
  to: string;
  /** The message that this message answers. The quote shows what the gateway has stored of that message; a message with an unknown id is sent too */
  quotedMessageId?: string;
  /** User-parts: LID or phone digits. Write `@<user-part>` into the text too: the gateway replaces it with the user-part on the wire, so both agree, also for a phone number */
  mentions?: string[];
  /** Comes back as `meta` in the event and is stored with the message; `{"fromAI": true}` also marks the stored message */
  metaData?: Record<string, unknown>;
  /** `true`: if the policy refuses the message for a time, the message is held and sent when the policy allows it. The answer is then 202 with `status: "held"`, `rule` and `allowedAt`. Not for uploaded files */
  whenAllowed?: boolean;
  /** The text */
  bodyText: string;
  /** Small print below the text */
  footerText?: string;
  /** The buttons. Each takes exactly the fields of its `type`; `displayText` is the label */
  buttons: (
    | {
        type: 'quick_reply';
        displayText: string;
        id: string;
      }
    | {
        type: 'cta_url';
        displayText: string;
        url: string;
      }
    | {
        type: 'cta_call';
        displayText: string;
        phoneNumber: string;
      }
    | {
        type: 'cta_copy';
        displayText: string;
        id: string;
        copyCode: string;
      }
    | {
        type: 'quick_reply' | 'cta_url' | 'cta_call' | 'cta_copy';
      }
  )[];
}

export interface SendContactRequest {
  clientId: string;
  to: string;
  /** The message that this message answers. The quote shows what the gateway has stored of that message; a message with an unknown id is sent too */
  quotedMessageId?: string;
  /** User-parts: LID or phone digits. Write `@<user-part>` into the text too: the gateway replaces it with the user-part on the wire, so both agree, also for a phone number */
  mentions?: string[];
  /** Comes back as `meta` in the event and is stored with the message; `{"fromAI": true}` also marks the stored message */
  metaData?: Record<string, unknown>;
  /** `true`: if the policy refuses the message for a time, the message is held and sent when the policy allows it. The answer is then 202 with `status: "held"`, `rule` and `allowedAt`. Not for uploaded files */
  whenAllowed?: boolean;
  /** The name on the card */
  displayName: string;
  /** Digits with the country code, `+` optional; the gateway makes a vCard 3.0 from name and number */
  phone?: string;
  /** A whole vCard 3.0, sent unchanged; overrides `phone` */
  vcard?: string;
}

export interface SendLocationRequest {
  clientId: string;
  to: string;
  /** The message that this message answers. The quote shows what the gateway has stored of that message; a message with an unknown id is sent too */
  quotedMessageId?: string;
  /** User-parts: LID or phone digits. Write `@<user-part>` into the text too: the gateway replaces it with the user-part on the wire, so both agree, also for a phone number */
  mentions?: string[];
  /** Comes back as `meta` in the event and is stored with the message; `{"fromAI": true}` also marks the stored message */
  metaData?: Record<string, unknown>;
  /** `true`: if the policy refuses the message for a time, the message is held and sent when the policy allows it. The answer is then 202 with `status: "held"`, `rule` and `allowedAt`. Not for uploaded files */
  whenAllowed?: boolean;
  /** Degrees */
  latitude: number;
  /** Degrees */
  longitude: number;
  /** Name of the place */
  name?: string;
  /** Address of the place */
  address?: string;
}

export interface SendReactionRequest {
  clientId: string;
  to: string;
  /** The message to react to */
  messageId: string;
  /** One emoji; `""` removes the reaction */
  emoji: string;
  /** `true` if the linked number sent the message. The gateway uses this field only for a message that it does not know */
  targetFromMe?: boolean;
}

export interface EditMessageRequest {
  clientId: string;
  to: string;
  /** An own message, sent within the last 15 minutes */
  messageId: string;
  /** The new text or caption */
  body: string;
}

export interface PinMessageRequest {
  clientId: string;
  to: string;
  /** The message */
  messageId: string;
  /** `false` unpins the message */
  pinned?: boolean;
  /** Seconds until the pin ends by itself: a day, a week or 30 days */
  duration?: 86400 | 604800 | 2592000;
}

export interface SendMediaMessageRequest {
  clientId: string;
  to: string;
  /** The message that this message answers. The quote shows what the gateway has stored of that message; a message with an unknown id is sent too */
  quotedMessageId?: string;
  /** User-parts: LID or phone digits. Write `@<user-part>` into the text too: the gateway replaces it with the user-part on the wire, so both agree, also for a phone number */
  mentions?: string[];
  /** Comes back as `meta` in the event and is stored with the message; `{"fromAI": true}` also marks the stored message */
  metaData?: Record<string, unknown>;
  /** `true`: if the policy refuses the message for a time, the message is held and sent when the policy allows it. The answer is then 202 with `status: "held"`, `rule` and `allowedAt`. Not for uploaded files */
  whenAllowed?: boolean;
  /** A public https address. The gateway fetches at most 100 MB, within 60 s. A file over 60 MB is sent as a text with the link */
  downloadUrl: string;
  /** MIME type, if detection is wrong */
  mimeType?: string;
  /** Ignored for audio and stickers */
  caption?: string;
  /** Shown to the recipient for documents only, because the network carries no names of other files; kept in the event, the history and the media library. The default is the name in the answer's `Content-Disposition` or in the URL */
  fileName?: string;
  /** `true` sends audio as a voice note; the file must be OGG/Opus */
  sendAudioAsVoice?: boolean;
  /** `true` sends a picture as a sticker; a picture that is not a WebP of 512 pixels is converted */
  asSticker?: boolean;
}

export interface ForwardMessageRequest {
  clientId: string;
  to: string;
  /** The chat that the message is in, in the forms of `to` */
  from: string;
  /** The message */
  messageId: string;
  /** Comes back as `meta` in the event and is stored with the message; `{"fromAI": true}` also marks the stored message */
  metaData?: Record<string, unknown>;
}

export interface StarMessageRequest {
  clientId: string;
  to: string;
  /** The message */
  messageId: string;
  /** `false` removes the star */
  starred?: boolean;
}

export interface SendTypingRequest {
  clientId: string;
  to: string;
  /** `true` shows that the number is typing, `false` that it stopped */
  composing?: boolean;
}

export interface SubscribePresenceRequest {
  clientId: string;
  to: string;
  /** Seconds until the subscription ends */
  seconds?: number;
}

export interface DeleteMessageRequest {
  clientId: string;
  to: string;
  /** The message */
  messageId: string;
  /** `true` if the linked number sent the message */
  fromMe: boolean;
  /** `everyone`: own messages only, which the network enforces; `me`: only on the devices of the account */
  mode: 'everyone' | 'me';
  /** The room of the message; required for `me` if the session has a hosted inbox */
  chatRoomId?: string;
}

export interface MarkReadRequest {
  clientId: string;
  to: string;
  /** Messages of the chat */
  messageIds: string[];
}

export interface ArchiveChatRequest {
  clientId: string;
  to: string;
  /** `false` unarchives the chat */
  archived?: boolean;
}

export interface MuteChatRequest {
  clientId: string;
  to: string;
  /** `false` ends the mute */
  muted?: boolean;
  /** When the mute ends, RFC 3339, in the future; if absent, the mute has no end */
  until?: string;
}

export interface PinChatRequest {
  clientId: string;
  to: string;
  /** `false` unpins the chat */
  pinned?: boolean;
}

export interface SetDisappearingMessagesRequest {
  clientId: string;
  to: string;
  /** `0` (off), `86400` (a day), `604800` (a week) or `7776000` (90 days) */
  seconds: 0 | 86400 | 604800 | 7776000;
}

export interface MarkUnreadRequest {
  clientId: string;
  to: string;
}

export interface GetUserInfoRequest {
  clientId: string;
  /** The person */
  jid: string;
  /** `true`: the answer also has `phone` and `displayName` */
  withContact?: boolean;
}

export interface CheckOwnerLidRequest {
  clientId: string;
  /** A phone number with its country code, in any usual writing, with or without `+`. Without `number` the answer has only the own addresses */
  number?: string;
}

export interface GetProfilePictureRequest {
  clientId: string;
  /** A person or a group */
  jid: string;
  /** `true` for the small picture of 96 pixels, `false` for full size */
  preview?: boolean;
  /** `true` asks the network even if it was asked within 24 hours */
  refresh?: boolean;
}

export interface ListBlockedRequest {
  clientId: string;
}

export interface BlockPersonRequest {
  clientId: string;
  /** The person */
  jid: string;
}

export interface UnblockPersonRequest {
  clientId: string;
  /** The person */
  jid: string;
}

export interface RefreshAvatarsRequest {
  clientId: string;
  /** `true` also checks rooms that have a picture */
  force?: boolean;
}

export interface GetProfileRequest {
  clientId: string;
}

export interface SetProfileRequest {
  clientId: string;
  /** The name that other people see */
  name?: string;
  /** The text below the name; `""` removes it */
  about?: string;
  /** Seconds after which messages of new chats disappear: `0` (off), `86400` (a day), `604800` (a week) or `7776000` (90 days) */
  disappearingSeconds?: 0 | 86400 | 604800 | 7776000;
}

export interface SetProfilePictureRequest {
  clientId: string;
  /** A public https address of a picture, under the rules of `/send-media-message`; `""` removes the picture */
  downloadUrl: string;
}

export interface PostStatusRequest {
  clientId: string;
  /** The text of a text status */
  body?: string;
  /** Behind a text: `#` and six hex digits */
  backgroundColor?: string;
  /** Of a text, by its number in WhatsApp */
  font?: number;
  /** A public https address. The gateway fetches at most 60 MB, within 60 s */
  downloadUrl?: string;
  /** Of a file */
  caption?: string;
  /** Only these people, of those who may see the statuses of the account: LIDs, numbers with `+`, or jids. Nobody is looked up for it: people whom the gateway does not know get no status */
  audience?: string[];
  /** Comes back as `meta` in the event `status_post` */
  metaData?: Record<string, unknown>;
}

export interface DeleteStatusRequest {
  clientId: string;
  messageId: string;
}

export interface GetStatusPrivacyRequest {
  clientId: string;
}

export interface SetStatusPrivacyRequest {
  clientId: string;
  /** `contacts`: all contacts; `except`: all contacts but some; `only`: some people */
  mode: 'contacts' | 'except' | 'only';
  /** Required with `except` and `only`, without the linked number itself: LIDs, numbers with `+`, or jids. At most 20 of them may be people whom the gateway does not know yet: it looks them up */
  people?: string[];
}

export interface ListGroupsRequest {
  clientId: string;
}

export interface GetGroupRequest {
  clientId: string;
  /** The group: `<id>@g.us` */
  groupJid: string;
}

export interface CreateGroupRequest {
  clientId: string;
  /** The name. WhatsApp also limits it to 100 UTF-16 code units, so fewer composed emoji fit: 👨‍👩‍👧 has 8 */
  subject: string;
  /** People by LID, `+phone` or jid, each once, without the linked number */
  participants: string[];
}

export interface UpdateGroupMembersRequest {
  clientId: string;
  /** The group: `<id>@g.us` */
  groupJid: string;
  /** `promote` makes the people admins, `demote` takes that back */
  action: 'add' | 'remove' | 'promote' | 'demote';
  /** People by LID, `+phone` or jid, each once, without the linked number */
  participants: string[];
}

export interface GetGroupInviteLinkRequest {
  clientId: string;
  /** The group: `<id>@g.us` */
  groupJid: string;
  /** `true` makes a new link; the old link stops working */
  reset?: boolean;
}

export interface UpdateGroupRequest {
  clientId: string;
  /** The group: `<id>@g.us` */
  groupJid: string;
  /** The name. WhatsApp also limits it to 100 UTF-16 code units, so fewer composed emoji fit: 👨‍👩‍👧 has 8 */
  subject?: string;
  /** The description, also at most 2,048 UTF-16 code units; `""` removes it */
  description?: string;
  /** Only admins may write */
  announce?: boolean;
  /** Only admins may change subject, description and picture */
  locked?: boolean;
  /** Every member may add people, not only admins */
  membersAdd?: boolean;
  /** Admins approve people who join by the invite link */
  joinApproval?: boolean;
  /** Seconds after which messages disappear: `0` (off), `86400` (a day), `604800` (a week) or `7776000` (90 days) */
  disappearingSeconds?: 0 | 86400 | 604800 | 7776000;
}

export interface SetGroupPictureRequest {
  clientId: string;
  /** The group: `<id>@g.us` */
  groupJid: string;
  /** A public https address of a picture, under the rules of `/send-media-message`; `""` removes the picture */
  downloadUrl: string;
}

export interface ListGroupRequestsRequest {
  clientId: string;
  /** The group: `<id>@g.us` */
  groupJid: string;
}

export interface UpdateGroupRequestsRequest {
  clientId: string;
  /** The group: `<id>@g.us` */
  groupJid: string;
  action: 'approve' | 'reject';
  /** People by LID, `+phone` or jid, each once, without the linked number */
  participants: string[];
}

export interface JoinGroupRequest {
  clientId: string;
  /** The invite link, or the code at its end */
  invite: string;
}

export interface GetGroupInviteRequest {
  clientId: string;
  /** The invite link, or the code at its end */
  invite: string;
}

export interface LeaveGroupRequest {
  clientId: string;
  /** The group: `<id>@g.us` */
  groupJid: string;
}

export interface ListChannelsRequest {
  clientId: string;
}

export interface GetChannelRequest {
  clientId: string;
  /** The jid of the channel, its link `https://whatsapp.com/channel/<code>`, or the code alone */
  channel: string;
}

export interface ListChannelPostsRequest {
  clientId: string;
  /** The channel: `<id>@newsletter` */
  channelJid: string;
  /** The newest posts, at most */
  limit?: number;
  /** Only posts before this one: `next` of the previous page */
  before?: number;
}

export interface FollowChannelRequest {
  clientId: string;
  /** The channel: `<id>@newsletter` */
  channelJid: string;
}

export interface UnfollowChannelRequest {
  clientId: string;
  /** The channel: `<id>@newsletter` */
  channelJid: string;
}

export interface PostChannelRequest {
  clientId: string;
  /** The channel: `<id>@newsletter` */
  channelJid: string;
  /** The text, or the caption of the file */
  body?: string;
  /** A public https address of a picture or a video, under the rules of `/send-media-message` */
  downloadUrl?: string;
}

export interface DeleteChannelPostRequest {
  clientId: string;
  /** The channel: `<id>@newsletter` */
  channelJid: string;
  /** The post */
  messageId: string;
}

export interface ListChatRoomsRequest {
  clientId: string;
}

export interface ListMessagesRequest {
  clientId?: string;
  limit?: number;
  /** A `messageId`: the messages before that one */
  before?: string;
  /** `true`: own messages have a `status` */
  status?: boolean;
  chatRoomId: string;
}

export interface GetMessageMediaUrlRequest {
  clientId?: string;
  chatRoomId: string;
  messageId: string;
}

export interface RequestHistoryRequest {
  clientId: string;
  chatRoomId: string;
  /** Messages to ask for */
  count?: number;
}

export interface ResetUnreadRequest {
  chatRoomId: string;
  clientId?: string;
}

export interface ListMediaFilesRequest {
  clientId: string;
  /** The present `orgId` of the session */
  orgId: string;
  page?: number;
  limit?: number;
}

export interface GetMediaFileUrlRequest {
  clientId?: string;
  /** The `messageId` of a listed file: a UUID of the file, not the id of a message */
  messageId: string;
}

export interface GetMediaRequest {
  id: string;
  fileName: string;
}

export interface ListReceiversRequest {
  clientId: string;
}

export interface AddReceiverRequest {
  clientId: string;
  /** An http(s) address or that of a broker */
  url: string;
  /** Name for people */
  name?: string;
  /** Bearer token and signing key of the calls; `""` for none */
  token?: string;
  /** Retries; a broker always has `durable` */
  retry?: 'contract' | 'durable';
  /** An event must pass every given part; `{}` accepts all events */
  filter?: ReceiverFilter;
  /** Headers of every call, by name; at most 16, with 4,096 characters together. Not `Authorization`, `Host`, `User-Agent`, `X-SN-…`, `webhook-…`, `Content-…`, nor those of the connection */
  headers?: Record<string, unknown>;
  /** 400 for a part that the receiver's kind of retries does not use */
  schedule?: ReceiverSchedule;
}

export interface UpdateReceiverRequest {
  clientId: string;
  /** Id of the receiver */
  id: string;
  /** An http(s) address or that of a broker */
  url?: string;
  /** Name for people */
  name?: string;
  /** Bearer token and signing key of the calls; `""` for none */
  token?: string;
  /** Retries; a broker always has `durable` */
  retry?: 'contract' | 'durable';
  /** An event must pass every given part; `{}` accepts all events */
  filter?: ReceiverFilter;
  /** Headers of every call, by name; at most 16, with 4,096 characters together. Not `Authorization`, `Host`, `User-Agent`, `X-SN-…`, `webhook-…`, `Content-…`, nor those of the connection */
  headers?: Record<string, unknown>;
  /** 400 for a part that the receiver's kind of retries does not use */
  schedule?: ReceiverSchedule;
  /** Seconds for which calls carry a second signature, with the previous `webhookToken`: up to 7 days; 0 stops it. A new token without this field stops it, too */
  previousTokenFor?: number;
  /** `true` pauses the receiver until somebody resumes it, `false` resumes it */
  paused?: boolean;
}

export interface RemoveReceiverRequest {
  clientId: string;
  /** Id of the receiver */
  id: string;
}

export interface SendTestEventRequest {
  clientId: string;
  /** Type of the event */
  type:
    | 'text'
    | 'image'
    | 'video'
    | 'audio'
    | 'document'
    | 'sticker'
    | 'poll_creation'
    | 'vote_update'
    | 'interactive_reply'
    | 'contact'
    | 'location'
    | 'reaction'
    | 'edit'
    | 'revoke'
    | 'message_status'
    | 'session_status'
    | 'call'
    | 'presence'
    | 'group_update'
    | 'message_unreadable'
    | 'account_status'
    | 'identity_change'
    | 'channel_post'
    | 'status_post';
  /** Values for fields of the event */
  fields?: {
    body?: string;
    messageId?: string;
    remoteName?: string;
    remotePhone?: string;
    pushName?: string;
  };
  /** Id of the receiver; by default the webhook */
  receiver?: string;
}

export interface ListenWebhookRequest {
  clientId: string;
  /** Where the events go */
  webhookUrl: string;
  /** Bearer token and signing key of the calls; tells listeners apart */
  webhookToken: string;
  /** Types of opt-in events */
  extraEvents?: (
    | 'message_status'
    | 'session_status'
    | 'call'
    | 'presence'
    | 'group_update'
    | 'message_unreadable'
    | 'account_status'
    | 'identity_change'
    | 'channel_post'
    | 'status_post'
  )[];
  /** Seconds until the listener ends unless the call is repeated */
  seconds?: number;
  /** `true` replaces another listener of the session */
  takeOver?: boolean;
}

export interface UnlistenWebhookRequest {
  clientId: string;
  /** Token of the listener; absent for any listener */
  webhookToken?: string;
}

export interface ListFailedDeliveriesRequest {
  /** Only this session */
  clientId?: string;
  /** With `clientId`: only deliveries to this receiver; `1` is the webhook */
  receiver?: string;
  limit?: number;
  /** `next` of the previous page */
  before?: string;
}

export interface GetFailedDeliveryRequest {
  clientId?: string;
  id: string;
}

export interface ResendFailedDeliveryRequest {
  clientId?: string;
  id: string;
}

export interface ListKeptEventsRequest {
  clientId: string;
  /** Only events that were announced at this time or later */
  from?: string;
  /** Only events that were announced at this time or earlier */
  to?: string;
  /** Type of the events */
  type?:
    | 'text'
    | 'image'
    | 'video'
    | 'audio'
    | 'document'
    | 'sticker'
    | 'poll_creation'
    | 'vote_update'
    | 'interactive_reply'
    | 'contact'
    | 'location'
    | 'reaction'
    | 'edit'
    | 'revoke'
    | 'message_status'
    | 'session_status'
    | 'call'
    | 'presence'
    | 'group_update'
    | 'message_unreadable'
    | 'account_status'
    | 'identity_change'
    | 'channel_post'
    | 'status_post';
  limit?: number;
  /** `next` of the previous page */
  before?: string;
}

export interface ReplayRequest {
  clientId: string;
  /** Id of the receiver; `1` is the webhook */
  receiver?: string;
  /** Only events that were announced at this time or later */
  from?: string;
  /** Only events that were announced at this time or earlier */
  to?: string;
  /** Only these events */
  ids?: string[];
  /** Only events of these types */
  types?: (
    | 'text'
    | 'image'
    | 'video'
    | 'audio'
    | 'document'
    | 'sticker'
    | 'poll_creation'
    | 'vote_update'
    | 'interactive_reply'
    | 'contact'
    | 'location'
    | 'reaction'
    | 'edit'
    | 'revoke'
    | 'message_status'
    | 'session_status'
    | 'call'
    | 'presence'
    | 'group_update'
    | 'message_unreadable'
    | 'account_status'
    | 'identity_change'
    | 'channel_post'
    | 'status_post'
  )[];
  /** `true` includes events that do not pass the filter of the receiver */
  ignoreFilter?: boolean;
  limit?: number;
  /** `next` of the previous request, with the same other fields */
  after?: string;
}

export interface MessageTraceRequest {
  clientId: string;
  messageId: string;
}

export interface ListOutboxRequest {
  clientId: string;
  limit?: number;
  /** Continue after this message: `next` of the previous page */
  after?: string;
}

export interface CancelHeldMessageRequest {
  clientId: string;
  messageId: string;
}

export interface GetPolicyRequest {
  clientId: string;
  /** Recipient, as in `/send-message` */
  to?: string;
}

export interface GetPastSendsRequest {
  clientId: string;
  /** Sends of so many last days */
  days?: number;
  limit?: number;
  /** Continue after this time: `next` of the previous page */
  after?: string;
}

export interface GetFleetRequest {
  /** Only this session */
  clientId?: string;
}

export interface ListNodesRequest {
  /** Adds `leases`, with the holder of this session */
  clientId?: string;
  /** `true` adds `leases`, with the holder of each session */
  leases?: boolean;
}

export interface DrainNodeRequest {
  clientId?: string;
  /** Name or `nodeId` of the node */
  node: string;
  /** `false` ends the drain, and so does a restart */
  draining?: boolean;
}

export interface GetBackupRequest {
  clientId?: string;
}

export interface GetConfigRequest {
  clientId?: string;
}

export interface GetMetricsRequest {
  clientId?: string;
}

export interface GetOpenApiRequest {
  clientId?: string;
}

/** The calls of the operations that answer JSON. */
const CALLS = {
  start: { method: 'POST', path: '/start', query: ['clientId'] },
  getQr: { method: 'GET', path: '/qr', query: ['clientId', 'format'] },
  pairPhone: { method: 'POST', path: '/pair-phone', query: [] },
  checkState: { method: 'POST', path: '/check-state', query: [] },
  listClients: { method: 'GET', path: '/clients', query: ['clientId'] },
  setWebhook: { method: 'POST', path: '/set-webhook', query: [] },
  pauseWebhook: { method: 'POST', path: '/pause-webhook', query: [] },
  setOrgId: { method: 'POST', path: '/set-org-id', query: [] },
  setApiSecret: { method: 'POST', path: '/set-api-secret', query: [] },
  setEnableGroupAi: { method: 'POST', path: '/set-enable-group-ai', query: [] },
  setProxy: { method: 'POST', path: '/set-proxy', query: [] },
  setRetention: { method: 'POST', path: '/set-retention', query: [] },
  setRejectCalls: { method: 'POST', path: '/set-reject-calls', query: [] },
  reconnect: { method: 'POST', path: '/reconnect', query: [] },
  restrictions: { method: 'GET', path: '/restrictions', query: ['clientId'] },
  disconnect: { method: 'POST', path: '/disconnect', query: [] },
  getPasskey: { method: 'GET', path: '/passkey', query: ['clientId'] },
  answerPasskey: { method: 'POST', path: '/passkey', query: [] },
  confirmPasskey: { method: 'POST', path: '/passkey/confirm', query: [] },
  createPairLink: { method: 'POST', path: '/pair-link', query: [] },
  getPairState: { method: 'GET', path: '/pair/{token}/state', query: ['clientId'] },
  startPair: { method: 'POST', path: '/pair/{token}/start', query: ['clientId'] },
  requestPairCode: { method: 'POST', path: '/pair/{token}/code', query: ['clientId'] },
  answerPairPasskey: { method: 'POST', path: '/pair/{token}/passkey', query: ['clientId'] },
  confirmPairPasskey: { method: 'POST', path: '/pair/{token}/passkey/confirm', query: ['clientId'] },
  adopt: { method: 'POST', path: '/adopt', query: [] },
  giveBack: { method: 'POST', path: '/give-back', query: [] },
  exportSession: { method: 'POST', path: '/export', query: [] },
  getUnfinished: { method: 'GET', path: '/unfinished', query: ['clientId'] },
  exportKeys: { method: 'POST', path: '/export-keys', query: [] },
  sendMessage: { method: 'POST', path: '/send-message', query: [] },
  sendPollMessage: { method: 'POST', path: '/send-poll-message', query: [] },
  sendListMessage: { method: 'POST', path: '/send-list-message', query: [] },
  sendInteractiveMessage: { method: 'POST', path: '/send-interactive-message', query: [] },
  sendContact: { method: 'POST', path: '/send-contact', query: [] },
  sendLocation: { method: 'POST', path: '/send-location', query: [] },
  sendReaction: { method: 'POST', path: '/send-reaction', query: [] },
  editMessage: { method: 'POST', path: '/edit-message', query: [] },
  pinMessage: { method: 'POST', path: '/pin-message', query: [] },
  sendMediaMessage: { method: 'POST', path: '/send-media-message', query: [] },
  forwardMessage: { method: 'POST', path: '/forward-message', query: [] },
  starMessage: { method: 'POST', path: '/star-message', query: [] },
  sendTyping: { method: 'POST', path: '/send-typing', query: [] },
  subscribePresence: { method: 'POST', path: '/subscribe-presence', query: [] },
  deleteMessage: { method: 'POST', path: '/delete-message', query: [] },
  markRead: { method: 'POST', path: '/mark-read', query: [] },
  archiveChat: { method: 'POST', path: '/archive-chat', query: [] },
  muteChat: { method: 'POST', path: '/mute-chat', query: [] },
  pinChat: { method: 'POST', path: '/pin-chat', query: [] },
  setDisappearingMessages: { method: 'POST', path: '/disappearing-messages', query: [] },
  markUnread: { method: 'POST', path: '/mark-unread', query: [] },
  getUserInfo: { method: 'POST', path: '/user-info', query: [] },
  checkOwnerLid: { method: 'POST', path: '/check-owner-lid', query: [] },
  getProfilePicture: {
    method: 'GET',
    path: '/profile-picture',
    query: ['clientId', 'jid', 'preview', 'refresh'],
  },
  listBlocked: { method: 'GET', path: '/blocked', query: ['clientId'] },
  blockPerson: { method: 'POST', path: '/block', query: [] },
  unblockPerson: { method: 'POST', path: '/unblock', query: [] },
  refreshAvatars: { method: 'POST', path: '/refresh-avatars', query: [] },
  getProfile: { method: 'GET', path: '/profile', query: ['clientId'] },
  setProfile: { method: 'POST', path: '/set-profile', query: [] },
  setProfilePicture: { method: 'POST', path: '/set-profile-picture', query: [] },
  postStatus: { method: 'POST', path: '/post-status', query: [] },
  deleteStatus: { method: 'POST', path: '/delete-status', query: [] },
  getStatusPrivacy: { method: 'GET', path: '/status-privacy', query: ['clientId'] },
  setStatusPrivacy: { method: 'POST', path: '/set-status-privacy', query: [] },
  listGroups: { method: 'POST', path: '/get-groups', query: [] },
  getGroup: { method: 'POST', path: '/get-group-participants', query: [] },
  createGroup: { method: 'POST', path: '/create-group', query: [] },
  updateGroupMembers: { method: 'POST', path: '/update-group-members', query: [] },
  getGroupInviteLink: { method: 'POST', path: '/group-invite-link', query: [] },
  updateGroup: { method: 'POST', path: '/update-group', query: [] },
  setGroupPicture: { method: 'POST', path: '/set-group-picture', query: [] },
  listGroupRequests: { method: 'POST', path: '/group-requests', query: [] },
  updateGroupRequests: { method: 'POST', path: '/update-group-requests', query: [] },
  joinGroup: { method: 'POST', path: '/join-group', query: [] },
  getGroupInvite: { method: 'POST', path: '/group-invite-info', query: [] },
  leaveGroup: { method: 'POST', path: '/leave-group', query: [] },
  listChannels: { method: 'GET', path: '/channels', query: ['clientId'] },
  getChannel: { method: 'GET', path: '/channel', query: ['clientId', 'channel'] },
  listChannelPosts: {
    method: 'GET',
    path: '/channel-posts',
    query: ['clientId', 'channelJid', 'limit', 'before'],
  },
  followChannel: { method: 'POST', path: '/follow-channel', query: [] },
  unfollowChannel: { method: 'POST', path: '/unfollow-channel', query: [] },
  postChannel: { method: 'POST', path: '/post-channel', query: [] },
  deleteChannelPost: { method: 'POST', path: '/delete-channel-post', query: [] },
  listChatRooms: { method: 'GET', path: '/chatrooms', query: ['clientId'] },
  listMessages: {
    method: 'GET',
    path: '/chatrooms/{chatRoomId}/messages',
    query: ['clientId', 'limit', 'before', 'status'],
  },
  getMessageMediaUrl: {
    method: 'GET',
    path: '/chatrooms/{chatRoomId}/messages/{messageId}/media-url',
    query: ['clientId'],
  },
  requestHistory: { method: 'POST', path: '/request-history', query: [] },
  resetUnread: { method: 'POST', path: '/chatrooms/{chatRoomId}/read', query: [] },
  listMediaFiles: { method: 'GET', path: '/media-files', query: ['clientId', 'orgId', 'page', 'limit'] },
  getMediaFileUrl: { method: 'GET', path: '/media-files/{messageId}/url', query: ['clientId'] },
  listReceivers: { method: 'GET', path: '/receivers', query: ['clientId'] },
  addReceiver: { method: 'POST', path: '/receivers', query: [] },
  updateReceiver: { method: 'POST', path: '/receivers/update', query: [] },
  removeReceiver: { method: 'POST', path: '/receivers/remove', query: [] },
  sendTestEvent: { method: 'POST', path: '/send-test-event', query: [] },
  listenWebhook: { method: 'POST', path: '/listen-webhook', query: [] },
  unlistenWebhook: { method: 'POST', path: '/unlisten-webhook', query: [] },
  listFailedDeliveries: {
    method: 'GET',
    path: '/failed-deliveries',
    query: ['clientId', 'receiver', 'limit', 'before'],
  },
  getFailedDelivery: { method: 'GET', path: '/failed-deliveries/{id}', query: ['clientId'] },
  resendFailedDelivery: { method: 'POST', path: '/failed-deliveries/{id}/resend', query: ['clientId'] },
  listKeptEvents: {
    method: 'GET',
    path: '/kept-events',
    query: ['clientId', 'from', 'to', 'type', 'limit', 'before'],
  },
  replay: { method: 'POST', path: '/replay', query: [] },
  messageTrace: { method: 'GET', path: '/message-trace', query: ['clientId', 'messageId'] },
  listOutbox: { method: 'GET', path: '/outbox', query: ['clientId', 'limit', 'after'] },
  cancelHeldMessage: { method: 'POST', path: '/outbox/cancel', query: [] },
  getPolicy: { method: 'GET', path: '/policy', query: ['clientId', 'to'] },
  getPastSends: { method: 'GET', path: '/policy/sends', query: ['clientId', 'days', 'limit', 'after'] },
  getFleet: { method: 'GET', path: '/fleet', query: ['clientId'] },
  listNodes: { method: 'GET', path: '/nodes', query: ['clientId', 'leases'] },
  drainNode: { method: 'POST', path: '/nodes/drain', query: ['clientId'] },
  getLive: { method: 'GET', path: '/health/live', query: [] },
  getReady: { method: 'GET', path: '/health/ready', query: [] },
  getClientsHealth: { method: 'GET', path: '/health/clients', query: [] },
  getConfig: { method: 'GET', path: '/config', query: ['clientId'] },
  getOpenApi: { method: 'GET', path: '/openapi.json', query: ['clientId'] },
} as const satisfies Record<string, Call>;

/** An operation that answers JSON. */
export type OperationName = keyof typeof CALLS;

/** The request of an operation. */
export type RequestOf<Name extends OperationName> = NonNullable<Parameters<Operations[Name]>[0]>;

/** What an operation answers. */
export type AnswerOf<Name extends OperationName> = Awaited<ReturnType<Operations[Name]>>;

/** One method for each operation. */
export class Operations {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Calls an operation by its name, with a request that only the gateway checks. */
  callByName<Name extends OperationName>(
    name: Name,
    request: object,
    options?: CallOptions,
  ): Promise<AnswerOf<Name>> {
    return this.#transport.json<AnswerOf<Name>>(CALLS[name], request, options);
  }

  /** Create a session, or connect it; returns before it is connected. `POST /start` */
  start(request: StartRequest, options?: CallOptions): Promise<StartAnswer> {
    return this.#transport.json(CALLS.start, request, options);
  }

  /** Get the current pairing QR: a PNG data URL, or the text inside it. `GET /qr` */
  getQr(request: GetQrRequest, options?: CallOptions): Promise<QrAnswer> {
    return this.#transport.json(CALLS.getQr, request, options);
  }

  /** Get a code to type on the phone, instead of scanning the QR. `POST /pair-phone` */
  pairPhone(request: PairPhoneRequest, options?: CallOptions): Promise<PairPhoneAnswer> {
    return this.#transport.json(CALLS.pairPhone, request, options);
  }

  /** Check whether a session is connected, proven by traffic. `POST /check-state` */
  checkState(request: CheckStateRequest, options?: CallOptions): Promise<CheckStateAnswer> {
    return this.#transport.json(CALLS.checkState, request, options);
  }

  /** List every session that the token can see. `GET /clients` */
  listClients(
    request: ListClientsRequest = {},
    options?: CallOptions,
  ): Promise<{
    clients: Client[];
  }> {
    return this.#transport.json(CALLS.listClients, request, options);
  }

  /** Change the webhook of a session; an empty webhookUrl stops delivery. `POST /set-webhook` */
  setWebhook(
    request: SetWebhookRequest,
    options?: CallOptions,
  ): Promise<{
    ok: true;
    clientId: string;
    webhookUrl: string;
    pollLookupUrl: string;
    /** `contract`: four attempts within seconds. `durable`: events are stored first and tried for up to 72 hours, in order for each chat */
    retry?: 'contract' | 'durable';
    /** When calls stop carrying a second signature with the previous token; absent if they carry none */
    previousTokenUntil?: string;
  }> {
    return this.#transport.json(CALLS.setWebhook, request, options);
  }

  /** Pause or resume calls to the webhook of a session; nothing else of the session pauses. `POST /pause-webhook` */
  pauseWebhook(
    request: PauseWebhookRequest,
    options?: CallOptions,
  ): Promise<{
    ok: true;
    clientId: string;
    paused: boolean;
  }> {
    return this.#transport.json(CALLS.pauseWebhook, request, options);
  }

  /** Set the workspace whose history is kept; an empty orgId stops keeping it. `POST /set-org-id` */
  setOrgId(
    request: SetOrgIdRequest,
    options?: CallOptions,
  ): Promise<{
    ok: true;
    clientId: string;
    orgId: string;
  }> {
    return this.#transport.json(CALLS.setOrgId, request, options);
  }

  /** Set a token limited to this session; an empty secret removes it. `POST /set-api-secret` */
  setApiSecret(
    request: SetApiSecretRequest,
    options?: CallOptions,
  ): Promise<{
    clientId: string;
    hasSecret: boolean;
  }> {
    return this.#transport.json(CALLS.setApiSecret, request, options);
  }

  /** Turn events of group messages on or off. `POST /set-enable-group-ai` */
  setEnableGroupAi(
    request: SetEnableGroupAiRequest,
    options?: CallOptions,
  ): Promise<{
    ok: true;
    clientId: string;
    enabled: boolean;
  }> {
    return this.#transport.json(CALLS.setEnableGroupAi, request, options);
  }

  /** Set the proxy for all connections of a session, and reconnect through it; null removes it. `POST /set-proxy` */
  setProxy(
    request: SetProxyRequest,
    options?: CallOptions,
  ): Promise<{
    ok: true;
    clientId: string;
    /** The proxy of the session, without user and password */
    proxy?: Proxy;
  }> {
    return this.#transport.json(CALLS.setProxy, request, options);
  }

  /** Set the days after which messages and files of a session are deleted; null uses the daemon's setting. `POST /set-retention` */
  setRetention(
    request: SetRetentionRequest,
    options?: CallOptions,
  ): Promise<{
    ok: true;
    clientId: string;
    /** Messages and files of the session that are older than so many days are deleted; 0 keeps them for ever, `null` follows the setting `--retention-days` */
    days: number | null;
    /** Days for which events are kept; absent if none are kept */
    keepEvents?: number;
  }> {
    return this.#transport.json(CALLS.setRetention, request, options);
  }

  /** Decline every incoming call, or let it ring. `POST /set-reject-calls` */
  setRejectCalls(
    request: SetRejectCallsRequest,
    options?: CallOptions,
  ): Promise<{
    ok: true;
    clientId: string;
    enabled: boolean;
  }> {
    return this.#transport.json(CALLS.setRejectCalls, request, options);
  }

  /** Close the link of a paired session and connect again now; returns before it is connected. `POST /reconnect` */
  reconnect(
    request: ReconnectRequest,
    options?: CallOptions,
  ): Promise<{
    ok: true;
    clientId: string;
    /** State of the session; `logged_out`, `replaced` and `banned` need an operator */
    status: 'initializing' | 'qr' | 'connected' | 'reconnecting' | 'logged_out' | 'replaced' | 'banned';
  }> {
    return this.#transport.json(CALLS.reconnect, request, options);
  }

  /** Get the restriction or warning that the network last reported for a linked number. `GET /restrictions` */
  restrictions(request: RestrictionsRequest, options?: CallOptions): Promise<RestrictionsAnswer> {
    return this.#transport.json(CALLS.restrictions, request, options);
  }

  /** Log the device out and delete everything of the session. `POST /disconnect` */
  disconnect(
    request: DisconnectRequest,
    options?: CallOptions,
  ): Promise<{
    ok: true;
    clientId: string;
    /** Present if the network did not confirm the logout */
    warning?: string;
  }> {
    return this.#transport.json(CALLS.disconnect, request, options);
  }

  /** Get the step of the passkey ceremony that WhatsApp may demand during a pairing. `GET /passkey` */
  getPasskey(request: GetPasskeyRequest, options?: CallOptions): Promise<PasskeyAnswer> {
    return this.#transport.json(CALLS.getPasskey, request, options);
  }

  /** Answer the passkey demand with the assertion of the number's owner. `POST /passkey` */
  answerPasskey(request: AnswerPasskeyRequest, options?: CallOptions): Promise<PasskeyAnswer> {
    return this.#transport.json(CALLS.answerPasskey, request, options);
  }

  /** Finish the passkey ceremony after the owner compared the code with the phone's. `POST /passkey/confirm` */
  confirmPasskey(request: ConfirmPasskeyRequest, options?: CallOptions): Promise<PasskeyAnswer> {
    return this.#transport.json(CALLS.confirmPasskey, request, options);
  }

  /** Create a one-time address where the number's owner links it; it replaces an earlier one. `POST /pair-link` */
  createPairLink(request: CreatePairLinkRequest, options?: CallOptions): Promise<PairLinkAnswer> {
    return this.#transport.json(CALLS.createPairLink, request, options);
  }

  /** Get the state of the pairing behind a one-time address. `GET /pair/{token}/state` */
  getPairState(request: GetPairStateRequest, options?: CallOptions): Promise<PairState> {
    return this.#transport.json(CALLS.getPairState, request, options);
  }

  /** Ask for new QR codes after the last ones expired. `POST /pair/{token}/start` */
  startPair(
    request: StartPairRequest,
    options?: CallOptions,
  ): Promise<{
    ok: true;
  }> {
    return this.#transport.json(CALLS.startPair, request, options);
  }

  /** Get a code to type on the phone, instead of scanning the QR. `POST /pair/{token}/code` */
  requestPairCode(
    request: RequestPairCodeRequest,
    options?: CallOptions,
  ): Promise<{
    code: string;
  }> {
    return this.#transport.json(CALLS.requestPairCode, request, options);
  }

  /** Answer the passkey demand with the assertion of the number's owner. `POST /pair/{token}/passkey` */
  answerPairPasskey(
    request: AnswerPairPasskeyRequest,
    options?: CallOptions,
  ): Promise<{
    ok: true;
  }> {
    return this.#transport.json(CALLS.answerPairPasskey, request, options);
  }

  /** Finish the passkey ceremony after the owner compared the code with the phone's. `POST /pair/{token}/passkey/confirm` */
  confirmPairPasskey(
    request: ConfirmPairPasskeyRequest,
    options?: CallOptions,
  ): Promise<{
    ok: true;
  }> {
    return this.#transport.json(CALLS.confirmPairPasskey, request, options);
  }

  /** Take over a number from another program, without a new pairing. `POST /adopt` */
  adopt(
    request: AdoptRequest,
    options?: CallOptions,
  ): Promise<{
    ok: true;
    clientId: string;
    /** State of the session; `logged_out`, `replaced` and `banned` need an operator */
    status: 'initializing' | 'qr' | 'connected' | 'reconnecting' | 'logged_out' | 'replaced' | 'banned';
    jid: string;
    /** Family and id of the keys that cannot be used; all others are accepted */
    leftOut: string[];
  }> {
    return this.#transport.json(CALLS.adopt, request, options);
  }

  /** Close and delete a session but leave its device linked, so that another program can connect it. `POST /give-back` */
  giveBack(
    request: GiveBackRequest,
    options?: CallOptions,
  ): Promise<{
    ok: true;
    clientId: string;
  }> {
    return this.#transport.json(CALLS.giveBack, request, options);
  }

  /** Stop a session, and get its credentials and settings for another Switchboard. `POST /export` */
  exportSession(
    request: ExportSessionRequest,
    options?: CallOptions,
  ): Promise<{
    ok: true;
    clientId: string;
    /** The own jid, with its device */
    jid: string;
    /** Credentials in the form of `/adopt` */
    credentials: Record<string, unknown>;
    /** Settings that move with the session */
    settings: {
      orgId: string;
      webhookUrl: string;
      webhookToken: string;
      pollLookupUrl: string;
      extraEvents: (
        | 'message_status'
        | 'session_status'
        | 'call'
        | 'presence'
        | 'group_update'
        | 'message_unreadable'
        | 'account_status'
        | 'identity_change'
        | 'channel_post'
        | 'status_post'
      )[];
      /** `contract`: four attempts within seconds. `durable`: events are stored first and tried for up to 72 hours, in order for each chat */
      retry: 'contract' | 'durable';
      /** URL of the proxy for all connections of this session: `http`, `https` or `socks5`, with user and password if the proxy needs them; `null` for direct connections. Needs the master token */
      proxy: string | null;
      enableGroupAi: boolean;
      rejectCalls: boolean;
      /** Messages and files of the session that are older than so many days are deleted; 0 keeps them for ever, `null` follows the setting `--retention-days` */
      retentionDays: number | null;
      /** Days for which events are kept, to be sent again; 0 keeps none, and removes those that are kept */
      keepEvents?: number;
      /** When the number was linked, from which policy rules by age count; by default now */
      linkedAt?: string;
      /** Why the webhook is paused; empty if it is not */
      webhookPaused?: string;
      /** The previous token, which also signs calls until then, as with `previousTokenFor` */
      previousToken?: {
        token: string;
        /** RFC 3339, UTC */
        until: string;
      };
      /** The receivers beside the webhook, with their secrets */
      receivers?: {
        /** Id of the receiver */
        id: string;
        name: string;
        /** An http(s) address or that of a broker */
        url: string;
        /** Bearer token and signing key of the calls; `""` for none */
        token: string;
        /** `contract`: four attempts within seconds. `durable`: events are stored first and tried for up to 72 hours, in order for each chat */
        retry: 'contract' | 'durable';
        /** An event must pass every given part; `{}` accepts all events */
        filter: ReceiverFilter;
        /** Headers of every call, by name; at most 16, with 4,096 characters together. Not `Authorization`, `Host`, `User-Agent`, `X-SN-…`, `webhook-…`, `Content-…`, nor those of the connection */
        headers: Record<string, unknown>;
        schedule: ReceiverSchedule;
        previousToken: string | null;
        /** Milliseconds since the epoch; 0 without such a token */
        previousTokenUntil: number;
        paused: string;
        /** The reason in `paused` as a code: paused by an operator, the receiver answered 410, its broker crashed the client process, or its broker sent far more data than requested */
        pauseCode?: 'operator' | 'gone' | 'broker_crash' | 'broker_flood';
        /** Who set the URL: with the master token, or with the secret of the session; absent if unknown */
        setBy?: 'operator' | 'tenant';
      }[];
    };
    /** Data that is not moved and stays here, beside history, files and names of people */
    staying: {
      /** Failed deliveries */
      failedDeliveries: number;
      /** Events that wait for their receivers, with `retry: durable` */
      waitingDeliveries: number;
      /** Received messages that still have to be announced here */
      unannounced: number;
      /** Sends that the network has not acknowledged, or whose event is not announced */
      unacknowledgedSends: number;
      /** Messages that wait until the policy allows them */
      heldSends: number;
    };
  }> {
    return this.#transport.json(CALLS.exportSession, request, options);
  }

  /** Count the unfinished work of a session, which would be deleted with it. `GET /unfinished` */
  getUnfinished(
    request: GetUnfinishedRequest,
    options?: CallOptions,
  ): Promise<{
    clientId: string;
    /** Failed deliveries */
    failedDeliveries: number;
    /** Events that wait for their receivers, with `retry: durable` */
    waitingDeliveries: number;
    /** Received messages that still have to be announced here */
    unannounced: number;
    /** Sends that the network has not acknowledged, or whose event is not announced */
    unacknowledgedSends: number;
    /** Messages that wait until the policy allows them */
    heldSends: number;
  }> {
    return this.#transport.json(CALLS.getUnfinished, request, options);
  }

  /** Get the Signal keys of a session that `/export` stopped, page by page. `POST /export-keys` */
  exportKeys(
    request: ExportKeysRequest,
    options?: CallOptions,
  ): Promise<{
    ok: true;
    clientId: string;
    /** A page of keys as `/adopt` takes them */
    keys: {
      /** The library's name of the key family, such as `session` or `pre-key` */
      type: string;
      /** Name of the key in its family */
      id: string;
      /** The key as the library writes it in JSON */
      value: unknown;
    }[];
    /** `after` of the next page; absent on the last page */
    next?: {
      /** The library's name of the key family, such as `session` or `pre-key` */
      type: string;
      /** Name of the key in its family */
      id: string;
    };
    /** On the last page: the messages of the last minute with traffic, and the messages still to be announced, so that `/adopt` recognises a second delivery of them */
    received?: {
      /** SHA-256 of the ciphertext */
      id: string;
      messageId: string;
      /** The decrypted content, in base64 */
      plain: string;
      /** The stanza of the message, in base64 */
      stanza: string;
      /** Milliseconds since the epoch */
      receivedAt: number;
    }[];
  }> {
    return this.#transport.json(CALLS.exportKeys, request, options);
  }

  /** Send a text. `POST /send-message` */
  sendMessage(request: SendMessageRequest, options?: CallOptions): Promise<SendAnswer> {
    return this.#transport.json(CALLS.sendMessage, request, options);
  }

  /** Send a poll. `POST /send-poll-message` */
  sendPollMessage(request: SendPollMessageRequest, options?: CallOptions): Promise<SendAnswer> {
    return this.#transport.json(CALLS.sendPollMessage, request, options);
  }

  /** Send a list of rows, from which the recipient chooses one. `POST /send-list-message` */
  sendListMessage(request: SendListMessageRequest, options?: CallOptions): Promise<SendAnswer> {
    return this.#transport.json(CALLS.sendListMessage, request, options);
  }

  /** Send a text with buttons. `POST /send-interactive-message` */
  sendInteractiveMessage(request: SendInteractiveMessageRequest, options?: CallOptions): Promise<SendAnswer> {
    return this.#transport.json(CALLS.sendInteractiveMessage, request, options);
  }

  /** Send a contact card. `POST /send-contact` */
  sendContact(request: SendContactRequest, options?: CallOptions): Promise<SendAnswer> {
    return this.#transport.json(CALLS.sendContact, request, options);
  }

  /** Send a place. `POST /send-location` */
  sendLocation(request: SendLocationRequest, options?: CallOptions): Promise<SendAnswer> {
    return this.#transport.json(CALLS.sendLocation, request, options);
  }

  /** React to a message. `POST /send-reaction` */
  sendReaction(request: SendReactionRequest, options?: CallOptions): Promise<SendAnswer> {
    return this.#transport.json(CALLS.sendReaction, request, options);
  }

  /** Change the text of an own message. `POST /edit-message` */
  editMessage(request: EditMessageRequest, options?: CallOptions): Promise<SendAnswer> {
    return this.#transport.json(CALLS.editMessage, request, options);
  }

  /** Pin a message for everyone in its chat, or unpin it. `POST /pin-message` */
  pinMessage(request: PinMessageRequest, options?: CallOptions): Promise<SendAnswer> {
    return this.#transport.json(CALLS.pinMessage, request, options);
  }

  /** Send a file, by its URL or uploaded in a form. `POST /send-media-message` */
  sendMediaMessage(request: SendMediaMessageRequest, options?: CallOptions): Promise<SendMediaAnswer> {
    return this.#transport.json(CALLS.sendMediaMessage, request, options);
  }

  /** Forward a message to another chat. `POST /forward-message` */
  forwardMessage(request: ForwardMessageRequest, options?: CallOptions): Promise<SendAnswer> {
    return this.#transport.json(CALLS.forwardMessage, request, options);
  }

  /** Star a message on the account's own devices, or unstar it. `POST /star-message` */
  starMessage(
    request: StarMessageRequest,
    options?: CallOptions,
  ): Promise<{
    ok: true;
  }> {
    return this.#transport.json(CALLS.starMessage, request, options);
  }

  /** Show or stop the typing indicator in a chat. `POST /send-typing` */
  sendTyping(
    request: SendTypingRequest,
    options?: CallOptions,
  ): Promise<{
    status: 'ok';
  }> {
    return this.#transport.json(CALLS.sendTyping, request, options);
  }

  /** Subscribe to `presence` events of a chat for some minutes; the number appears online meanwhile. `POST /subscribe-presence` */
  subscribePresence(
    request: SubscribePresenceRequest,
    options?: CallOptions,
  ): Promise<{
    ok: true;
    /** RFC 3339, UTC */
    expiresAt: string;
  }> {
    return this.#transport.json(CALLS.subscribePresence, request, options);
  }

  /** Delete a message for everyone, or only on your own devices. `POST /delete-message` */
  deleteMessage(
    request: DeleteMessageRequest,
    options?: CallOptions,
  ): Promise<{
    status: true;
  }> {
    return this.#transport.json(CALLS.deleteMessage, request, options);
  }

  /** Send read receipts, and set the hosted room's unread count to 0. `POST /mark-read` */
  markRead(
    request: MarkReadRequest,
    options?: CallOptions,
  ): Promise<{
    ok: true;
    count: number;
  }> {
    return this.#transport.json(CALLS.markRead, request, options);
  }

  /** Archive or unarchive a chat on all devices of the account. `POST /archive-chat` */
  archiveChat(
    request: ArchiveChatRequest,
    options?: CallOptions,
  ): Promise<{
    ok: true;
  }> {
    return this.#transport.json(CALLS.archiveChat, request, options);
  }

  /** Mute or unmute a chat on all devices of the account. `POST /mute-chat` */
  muteChat(
    request: MuteChatRequest,
    options?: CallOptions,
  ): Promise<{
    ok: true;
  }> {
    return this.#transport.json(CALLS.muteChat, request, options);
  }

  /** Pin a chat to the top of the list on all devices of the account, or unpin it. `POST /pin-chat` */
  pinChat(
    request: PinChatRequest,
    options?: CallOptions,
  ): Promise<{
    ok: true;
  }> {
    return this.#transport.json(CALLS.pinChat, request, options);
  }

  /** Set the seconds after which messages of a chat disappear; 0 turns the timer off. `POST /disappearing-messages` */
  setDisappearingMessages(
    request: SetDisappearingMessagesRequest,
    options?: CallOptions,
  ): Promise<{
    ok: true;
  }> {
    return this.#transport.json(CALLS.setDisappearingMessages, request, options);
  }

  /** Flag a chat as unread on the linked phone. `POST /mark-unread` */
  markUnread(
    request: MarkUnreadRequest,
    options?: CallOptions,
  ): Promise<{
    ok: true;
  }> {
    return this.#transport.json(CALLS.markUnread, request, options);
  }

  /** Get the public profile of a person from the network. `POST /user-info` */
  getUserInfo(request: GetUserInfoRequest, options?: CallOptions): Promise<UserInfo> {
    return this.#transport.json(CALLS.getUserInfo, request, options);
  }

  /** Get the session's own addresses, and check whether a number is on the network. `POST /check-owner-lid` */
  checkOwnerLid(request: CheckOwnerLidRequest, options?: CallOptions): Promise<OwnerLid> {
    return this.#transport.json(CALLS.checkOwnerLid, request, options);
  }

  /** Get the picture of a person or a group, with a permanent copy. `GET /profile-picture` */
  getProfilePicture(
    request: GetProfilePictureRequest,
    options?: CallOptions,
  ): Promise<VisiblePicture | HiddenPicture> {
    return this.#transport.json(CALLS.getProfilePicture, request, options);
  }

  /** List the people whom the number blocks, as the network lists them now. `GET /blocked` */
  listBlocked(
    request: ListBlockedRequest,
    options?: CallOptions,
  ): Promise<{
    blocked: BlockedPerson[];
  }> {
    return this.#transport.json(CALLS.listBlocked, request, options);
  }

  /** Block a person, whose messages and calls then no longer arrive. `POST /block` */
  blockPerson(
    request: BlockPersonRequest,
    options?: CallOptions,
  ): Promise<{
    ok: true;
  }> {
    return this.#transport.json(CALLS.blockPerson, request, options);
  }

  /** Unblock a person. `POST /unblock` */
  unblockPerson(
    request: UnblockPersonRequest,
    options?: CallOptions,
  ): Promise<{
    ok: true;
  }> {
    return this.#transport.json(CALLS.unblockPerson, request, options);
  }

  /** Fetch the pictures of the hosted rooms, about 7 per second; answers when all are done. `POST /refresh-avatars` */
  refreshAvatars(request: RefreshAvatarsRequest, options?: CallOptions): Promise<AvatarCounts> {
    return this.#transport.json(CALLS.refreshAvatars, request, options);
  }

  /** Get the profile of the linked number from the network. `GET /profile` */
  getProfile(request: GetProfileRequest, options?: CallOptions): Promise<OwnProfile> {
    return this.#transport.json(CALLS.getProfile, request, options);
  }

  /** Change name, text or default timer of the linked number; absent fields do not change. `POST /set-profile` */
  setProfile(
    request: SetProfileRequest,
    options?: CallOptions,
  ): Promise<{
    ok: true;
  }> {
    return this.#transport.json(CALLS.setProfile, request, options);
  }

  /** Set or remove the picture of the linked number. `POST /set-profile-picture` */
  setProfilePicture(
    request: SetProfilePictureRequest,
    options?: CallOptions,
  ): Promise<{
    ok: true;
  }> {
    return this.#transport.json(CALLS.setProfilePicture, request, options);
  }

  /** Post a status: a text, a picture or a video that contacts see for 24 hours. `POST /post-status` */
  postStatus(request: PostStatusRequest, options?: CallOptions): Promise<StatusAnswer> {
    return this.#transport.json(CALLS.postStatus, request, options);
  }

  /** Delete an own status for everybody who got it. `POST /delete-status` */
  deleteStatus(
    request: DeleteStatusRequest,
    options?: CallOptions,
  ): Promise<{
    ok: true;
  }> {
    return this.#transport.json(CALLS.deleteStatus, request, options);
  }

  /** Show who may see the statuses of the linked number, as the network says now. `GET /status-privacy` */
  getStatusPrivacy(request: GetStatusPrivacyRequest, options?: CallOptions): Promise<StatusPrivacy> {
    return this.#transport.json(CALLS.getStatusPrivacy, request, options);
  }

  /** Set who may see the statuses of the linked number, on all its devices. `POST /set-status-privacy` */
  setStatusPrivacy(
    request: SetStatusPrivacyRequest,
    options?: CallOptions,
  ): Promise<{
    ok: true;
  }> {
    return this.#transport.json(CALLS.setStatusPrivacy, request, options);
  }

  /** List all groups that the number belongs to. `POST /get-groups` */
  listGroups(
    request: ListGroupsRequest,
    options?: CallOptions,
  ): Promise<{
    groups: GroupListItem[];
  }> {
    return this.#transport.json(CALLS.listGroups, request, options);
  }

  /** Get a group and its members. `POST /get-group-participants` */
  getGroup(
    request: GetGroupRequest,
    options?: CallOptions,
  ): Promise<{
    group: GroupDetail;
  }> {
    return this.#transport.json(CALLS.getGroup, request, options);
  }

  /** Create a group; the linked number becomes its owner. `POST /create-group` */
  createGroup(
    request: CreateGroupRequest,
    options?: CallOptions,
  ): Promise<{
    group: CreatedGroup;
  }> {
    return this.#transport.json(CALLS.createGroup, request, options);
  }

  /** Add, remove, promote or demote members; needs admin rights. `POST /update-group-members` */
  updateGroupMembers(
    request: UpdateGroupMembersRequest,
    options?: CallOptions,
  ): Promise<{
    members: MemberResult[];
  }> {
    return this.#transport.json(CALLS.updateGroupMembers, request, options);
  }

  /** Get the invite link; `reset` revokes the current link and issues a new one. `POST /group-invite-link` */
  getGroupInviteLink(
    request: GetGroupInviteLinkRequest,
    options?: CallOptions,
  ): Promise<{
    link: string;
  }> {
    return this.#transport.json(CALLS.getGroupInviteLink, request, options);
  }

  /** Change subject, description or settings of a group; absent fields do not change. `POST /update-group` */
  updateGroup(
    request: UpdateGroupRequest,
    options?: CallOptions,
  ): Promise<{
    ok: true;
  }> {
    return this.#transport.json(CALLS.updateGroup, request, options);
  }

  /** Set or remove the picture of a group. `POST /set-group-picture` */
  setGroupPicture(
    request: SetGroupPictureRequest,
    options?: CallOptions,
  ): Promise<{
    ok: true;
  }> {
    return this.#transport.json(CALLS.setGroupPicture, request, options);
  }

  /** List the people who ask to join a group. `POST /group-requests` */
  listGroupRequests(
    request: ListGroupRequestsRequest,
    options?: CallOptions,
  ): Promise<{
    requests: JoinRequest[];
  }> {
    return this.#transport.json(CALLS.listGroupRequests, request, options);
  }

  /** Approve or reject people who ask to join a group; needs admin rights. `POST /update-group-requests` */
  updateGroupRequests(
    request: UpdateGroupRequestsRequest,
    options?: CallOptions,
  ): Promise<{
    members: MemberResult[];
  }> {
    return this.#transport.json(CALLS.updateGroupRequests, request, options);
  }

  /** Join a group by its invite, or ask to join if an admin has to approve. `POST /join-group` */
  joinGroup(
    request: JoinGroupRequest,
    options?: CallOptions,
  ): Promise<{
    groupJid: string;
    /** False if an admin has to approve first; the request is sent then */
    joined: boolean;
  }> {
    return this.#transport.json(CALLS.joinGroup, request, options);
  }

  /** Get the group of an invite, without joining it. `POST /group-invite-info` */
  getGroupInvite(
    request: GetGroupInviteRequest,
    options?: CallOptions,
  ): Promise<{
    group: GroupInvite;
  }> {
    return this.#transport.json(CALLS.getGroupInvite, request, options);
  }

  /** Leave a group. `POST /leave-group` */
  leaveGroup(
    request: LeaveGroupRequest,
    options?: CallOptions,
  ): Promise<{
    ok: true;
  }> {
    return this.#transport.json(CALLS.leaveGroup, request, options);
  }

  /** List the channels that the number follows, with its role in each. `GET /channels` */
  listChannels(
    request: ListChannelsRequest,
    options?: CallOptions,
  ): Promise<{
    channels: Channel[];
  }> {
    return this.#transport.json(CALLS.listChannels, request, options);
  }

  /** Get a channel, also one that the number does not follow. `GET /channel` */
  getChannel(
    request: GetChannelRequest,
    options?: CallOptions,
  ): Promise<{
    channel: Channel;
  }> {
    return this.#transport.json(CALLS.getChannel, request, options);
  }

  /** List posts of a channel, oldest first, with their views and reactions. `GET /channel-posts` */
  listChannelPosts(
    request: ListChannelPostsRequest,
    options?: CallOptions,
  ): Promise<{
    posts: ChannelPost[];
    /** `before` of the next page, with older posts; absent on the last page */
    next?: number;
  }> {
    return this.#transport.json(CALLS.listChannelPosts, request, options);
  }

  /** Follow a channel. `POST /follow-channel` */
  followChannel(
    request: FollowChannelRequest,
    options?: CallOptions,
  ): Promise<{
    ok: true;
  }> {
    return this.#transport.json(CALLS.followChannel, request, options);
  }

  /** Stop following a channel. `POST /unfollow-channel` */
  unfollowChannel(
    request: UnfollowChannelRequest,
    options?: CallOptions,
  ): Promise<{
    ok: true;
  }> {
    return this.#transport.json(CALLS.unfollowChannel, request, options);
  }

  /** Post a text, a picture or a video in a channel of the number. `POST /post-channel` */
  postChannel(request: PostChannelRequest, options?: CallOptions): Promise<ChannelPostAnswer> {
    return this.#transport.json(CALLS.postChannel, request, options);
  }

  /** Delete a post of a channel of the number, for everybody. `POST /delete-channel-post` */
  deleteChannelPost(
    request: DeleteChannelPostRequest,
    options?: CallOptions,
  ): Promise<{
    ok: true;
  }> {
    return this.#transport.json(CALLS.deleteChannelPost, request, options);
  }

  /** List the chat rooms of the hosted inbox, newest activity first. `GET /chatrooms` */
  listChatRooms(
    request: ListChatRoomsRequest,
    options?: CallOptions,
  ): Promise<{
    chatRooms: ChatRoom[];
  }> {
    return this.#transport.json(CALLS.listChatRooms, request, options);
  }

  /** List the newest messages of a room, or with `before` those before a message; oldest first. `GET /chatrooms/{chatRoomId}/messages` */
  listMessages(
    request: ListMessagesRequest,
    options?: CallOptions,
  ): Promise<{
    messages: StoredMessage[];
  }> {
    return this.#transport.json(CALLS.listMessages, request, options);
  }

  /** Get the permanent link to a stored message's file. `GET /chatrooms/{chatRoomId}/messages/{messageId}/media-url` */
  getMessageMediaUrl(
    request: GetMessageMediaUrlRequest,
    options?: CallOptions,
  ): Promise<{
    ok: true;
    url: string;
  }> {
    return this.#transport.json(CALLS.getMessageMediaUrl, request, options);
  }

  /** Ask the phone for the messages of a room before the oldest stored one, and store them. `POST /request-history` */
  requestHistory(
    request: RequestHistoryRequest,
    options?: CallOptions,
  ): Promise<{
    ok: true;
    /** Messages that came and were not stored yet */
    messages: number;
    /** Whether the phone holds still older messages of the chat; absent if it does not say so. Also false after an answer from which no further request can go on */
    more?: boolean;
  }> {
    return this.#transport.json(CALLS.requestHistory, request, options);
  }

  /** Set a room's unread count to 0, without read receipts. `POST /chatrooms/{chatRoomId}/read` */
  resetUnread(
    request: ResetUnreadRequest,
    options?: CallOptions,
  ): Promise<{
    status: 'ok';
  }> {
    return this.#transport.json(CALLS.resetUnread, request, options);
  }

  /** List the stored files of a session in its current `orgId`, newest first. `GET /media-files` */
  listMediaFiles(
    request: ListMediaFilesRequest,
    options?: CallOptions,
  ): Promise<{
    ok: true;
    files: MediaFile[];
    pagination: {
      page: number;
      limit: number;
      total: number;
    };
  }> {
    return this.#transport.json(CALLS.listMediaFiles, request, options);
  }

  /** Get the permanent link to a stored file, by its id in `/media-files`. `GET /media-files/{messageId}/url` */
  getMediaFileUrl(
    request: GetMediaFileUrlRequest,
    options?: CallOptions,
  ): Promise<{
    ok: true;
    url: string;
  }> {
    return this.#transport.json(CALLS.getMediaFileUrl, request, options);
  }

  /** Download a stored file, whole or in part. `GET /media/{id}/{fileName}` */
  getMedia(request: GetMediaRequest, options?: CallOptions): Promise<Response> {
    return this.#transport.response(
      { method: 'GET', path: '/media/{id}/{fileName}', query: [] },
      request,
      options,
    );
  }

  /** List the receivers of a session; its webhook, if there is one, has the id `1`. `GET /receivers` */
  listReceivers(
    request: ListReceiversRequest,
    options?: CallOptions,
  ): Promise<{
    receivers: Receiver[];
  }> {
    return this.#transport.json(CALLS.listReceivers, request, options);
  }

  /** Add a receiver beside the webhook; a session has up to 8 receivers in total. `POST /receivers` */
  addReceiver(
    request: AddReceiverRequest,
    options?: CallOptions,
  ): Promise<{
    ok: true;
    clientId: string;
    receiver: Receiver;
  }> {
    return this.#transport.json(CALLS.addReceiver, request, options);
  }

  /** Change, pause or resume a receiver; absent fields do not change. `POST /receivers/update` */
  updateReceiver(
    request: UpdateReceiverRequest,
    options?: CallOptions,
  ): Promise<{
    ok: true;
    clientId: string;
    receiver: Receiver;
  }> {
    return this.#transport.json(CALLS.updateReceiver, request, options);
  }

  /** Remove a receiver with its failed deliveries, and drop the events that wait for it. `POST /receivers/remove` */
  removeReceiver(
    request: RemoveReceiverRequest,
    options?: CallOptions,
  ): Promise<{
    ok: true;
    clientId: string;
    id: string;
    /** Number of dropped events */
    discarded: number;
  }> {
    return this.#transport.json(CALLS.removeReceiver, request, options);
  }

  /** Send a sample event to the session's webhook, and return the outcome. `POST /send-test-event` */
  sendTestEvent(request: SendTestEventRequest, options?: CallOptions): Promise<TestEventAnswer> {
    return this.#transport.json(CALLS.sendTestEvent, request, options);
  }

  /** Receive a session's events instead of its webhook for some seconds; call again to renew. `POST /listen-webhook` */
  listenWebhook(request: ListenWebhookRequest, options?: CallOptions): Promise<ListenAnswer> {
    return this.#transport.json(CALLS.listenWebhook, request, options);
  }

  /** Send a session's events to its webhook again: ends the listener with that token; without a token, any listener. `POST /unlisten-webhook` */
  unlistenWebhook(request: UnlistenWebhookRequest, options?: CallOptions): Promise<UnlistenAnswer> {
    return this.#transport.json(CALLS.unlistenWebhook, request, options);
  }

  /** List the events that no attempt could deliver, newest first. `GET /failed-deliveries` */
  listFailedDeliveries(
    request: ListFailedDeliveriesRequest = {},
    options?: CallOptions,
  ): Promise<{
    failedDeliveries: FailedDelivery[];
    /** `before` of the next page; absent on the last one */
    next?: string;
  }> {
    return this.#transport.json(CALLS.listFailedDeliveries, request, options);
  }

  /** Get one failed delivery with its event. `GET /failed-deliveries/{id}` */
  getFailedDelivery(
    request: GetFailedDeliveryRequest,
    options?: CallOptions,
  ): Promise<FailedDeliveryWithEvent> {
    return this.#transport.json(CALLS.getFailedDelivery, request, options);
  }

  /** Send a failed delivery again to its receiver, with four new attempts; a success removes it from the list. `POST /failed-deliveries/{id}/resend` */
  resendFailedDelivery(request: ResendFailedDeliveryRequest, options?: CallOptions): Promise<ResendAnswer> {
    return this.#transport.json(CALLS.resendFailedDelivery, request, options);
  }

  /** List the events that a session keeps, newest first, without their content. `GET /kept-events` */
  listKeptEvents(
    request: ListKeptEventsRequest,
    options?: CallOptions,
  ): Promise<{
    keptEvents: KeptEvent[];
    /** `before` of the next page; absent on the last one */
    next?: string;
  }> {
    return this.#transport.json(CALLS.listKeptEvents, request, options);
  }

  /** Send kept events of a session again to one of its receivers, oldest first. `POST /replay` */
  replay(request: ReplayRequest, options?: CallOptions): Promise<ReplayAnswer> {
    return this.#transport.json(CALLS.replay, request, options);
  }

  /** Get the history of one message, inbound or own, from the network to its receiver. `GET /message-trace` */
  messageTrace(request: MessageTraceRequest, options?: CallOptions): Promise<MessageTrace> {
    return this.#transport.json(CALLS.messageTrace, request, options);
  }

  /** List the messages that wait until their policy allows them, oldest first. `GET /outbox` */
  listOutbox(
    request: ListOutboxRequest,
    options?: CallOptions,
  ): Promise<{
    messages: HeldMessage[];
    /** `after` of the next page; present if more follow */
    next?: string;
  }> {
    return this.#transport.json(CALLS.listOutbox, request, options);
  }

  /** Cancel a message that waits until its policy allows it. `POST /outbox/cancel` */
  cancelHeldMessage(
    request: CancelHeldMessageRequest,
    options?: CallOptions,
  ): Promise<{
    ok: true;
    messageId: string;
  }> {
    return this.#transport.json(CALLS.cancelHeldMessage, request, options);
  }

  /** Get the policy of a session and its counts; with `to` also whether a message to that recipient would be sent now. `GET /policy` */
  getPolicy(request: GetPolicyRequest, options?: CallOptions): Promise<PolicyAnswer> {
    return this.#transport.json(CALLS.getPolicy, request, options);
  }

  /** Get the recent sends of a session, without their content, for a replay against a policy. `GET /policy/sends` */
  getPastSends(request: GetPastSendsRequest, options?: CallOptions): Promise<PastSends> {
    return this.#transport.json(CALLS.getPastSends, request, options);
  }

  /** Get the state of every session that the token can see, and of every node. `GET /fleet` */
  getFleet(request: GetFleetRequest = {}, options?: CallOptions): Promise<FleetAnswer> {
    return this.#transport.json(CALLS.getFleet, request, options);
  }

  /** List the nodes with a recent heartbeat; with `leases` also the node of each session. `GET /nodes` */
  listNodes(
    request: ListNodesRequest = {},
    options?: CallOptions,
  ): Promise<{
    nodes: Node[];
    /** An empty `podName` means that the node is gone */
    leases?: Lease[];
  }> {
    return this.#transport.json(CALLS.listNodes, request, options);
  }

  /** Make a node hand over its sessions and take no new ones. `POST /nodes/drain` */
  drainNode(
    request: DrainNodeRequest,
    options?: CallOptions,
  ): Promise<{
    node: Node;
  }> {
    return this.#transport.json(CALLS.drainNode, request, options);
  }

  /** Download a backup of the whole store, for `switchboard store restore`. `GET /backup` */
  getBackup(request: GetBackupRequest = {}, options?: CallOptions): Promise<Response> {
    return this.#transport.response(
      { method: 'GET', path: '/backup', query: ['clientId'] },
      request,
      options,
    );
  }

  /** Check that this process answers. `GET /health/live` */
  getLive(options?: CallOptions): Promise<{
    status: 'ok';
    podName: string;
    uptime: string;
  }> {
    return this.#transport.json(CALLS.getLive, {}, options);
  }

  /** Check that this node can work: 503 while the store is unreachable, and while it stops. `GET /health/ready` */
  getReady(options?: CallOptions): Promise<ReadyAnswer> {
    return this.#transport.json(CALLS.getReady, {}, options);
  }

  /** Get the health of every session of the node that answers, and its version of WhatsApp Web. `GET /health/clients` */
  getClientsHealth(options?: CallOptions): Promise<{
    podName: string;
    /** Sessions that need an operator */
    failedCount: number;
    /** The version of WhatsApp Web that this node reports */
    waVersion: WaVersion;
    clients: SessionHealth[];
  }> {
    return this.#transport.json(CALLS.getClientsHealth, {}, options);
  }

  /** Get facts about this run, without secrets, and the list of routes. `GET /config` */
  getConfig(request: GetConfigRequest = {}, options?: CallOptions): Promise<ConfigAnswer> {
    return this.#transport.json(CALLS.getConfig, request, options);
  }

  /** Get the metrics of the node that answers, for Prometheus. `GET /metrics` */
  getMetrics(request: GetMetricsRequest = {}, options?: CallOptions): Promise<Response> {
    return this.#transport.response(
      { method: 'GET', path: '/metrics', query: ['clientId'] },
      request,
      options,
    );
  }

  /** Get this API as an OpenAPI 3.1 document. `GET /openapi.json` */
  getOpenApi(request: GetOpenApiRequest = {}, options?: CallOptions): Promise<Record<string, unknown>> {
    return this.#transport.json(CALLS.getOpenApi, request, options);
  }
}
