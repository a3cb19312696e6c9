// Printed from src/contract/sandbox by `npm run openapi`: change that, not this file.

/** Sends the calls, and rejects those that the sandbox refuses. */
export interface SandboxTransport {
  /** Sends JSON, and reads JSON if there is any. */
  ask<Answer = void>(method: string, path: string, body?: unknown): Promise<Answer>;
  /** Sends a file. */
  send<Answer>(path: string, bytes: Uint8Array | ReadableStream<Uint8Array>): Promise<Answer>;
}

const part = encodeURIComponent;

export type SandboxErrorCode =
  | 'call_conflict'
  | 'call_forbidden'
  | 'call_unknown'
  | 'channel_forbidden'
  | 'channel_unknown'
  | 'clock_too_far'
  | 'code_busy'
  | 'code_expired'
  | 'code_not_awaited'
  | 'code_wrong'
  | 'content_type_unsupported'
  | 'cross_site'
  | 'device_gone'
  | 'device_not_connected'
  | 'device_silent'
  | 'device_unknown'
  | 'file_too_large'
  | 'file_unknown'
  | 'group_conflict'
  | 'group_forbidden'
  | 'group_invalid'
  | 'group_unknown'
  | 'host_unknown'
  | 'internal'
  | 'invalid_request'
  | 'link_busy'
  | 'link_refused'
  | 'media_expired'
  | 'media_hash_wrong'
  | 'media_host_down'
  | 'media_rejected'
  | 'media_token_unknown'
  | 'media_unknown'
  | 'message_deleted'
  | 'message_elsewhere'
  | 'message_not_editable'
  | 'message_not_own'
  | 'message_unknown'
  | 'not_played'
  | 'page_unavailable'
  | 'passkey_code_wrong'
  | 'passkey_declined'
  | 'passkey_missing'
  | 'passkey_not_allowed'
  | 'passkey_not_asked'
  | 'passkey_options_invalid'
  | 'phone_taken'
  | 'phone_unknown'
  | 'picture_invalid'
  | 'privacy_invalid'
  | 'qr_expired'
  | 'qr_invalid'
  | 'request_timeout'
  | 'request_too_large'
  | 'route_unknown'
  | 'url_not_signed'
  | 'vote_invalid';

export interface AdClick {
  sourceUrl?: string;
  /** Id of the ad or the post */
  sourceId?: string;
  sourceType?: 'ad' | 'post';
  title?: string;
  body?: string;
  mediaType?: 'image' | 'video';
  mediaUrl?: string;
  thumbnailUrl?: string;
  ctwaClid?: string;
  ref?: string;
  sourceApp?: string;
}

export interface AddressBookEntry {
  number: string;
  /** Empty to remove the contact */
  name: string;
  /** The first word of the name by default */
  firstName?: string;
}

export type AssertionFlaw = 'signature' | 'challenge' | 'origin' | 'rpId' | 'flags';

export interface ButtonReplyContent {
  /** The message with the button */
  messageId: string;
  id: string;
  displayText: string;
}

export interface ButtonView {
  type: string;
  displayText: string;
  id?: string;
  url?: string;
  phoneNumber?: string;
  copyCode?: string;
}

export type CallAction = 'cancel' | 'timeout' | 'accept' | 'reject' | 'hangup';

export interface CallView {
  callId: string;
  /** The caller's number */
  from: string;
  /** The number of the person, or the group's jid, that is called */
  to: string;
  video: boolean;
  status: 'ringing' | 'accepted' | 'rejected' | 'cancelled' | 'timeout' | 'ended';
  /** Whether the phone of a called person declined it, or a linked device */
  rejectedBy?: 'phone' | 'device';
  /** Seconds since the epoch */
  timestamp: number;
}

export interface ChangeView {
  /** Id of the change itself */
  messageId: string;
  from: string;
  to: string;
  fromMe: boolean;
  type: 'reaction' | 'edit' | 'revoke' | 'vote' | 'pin';
  /** The message that it changes */
  targetId: string;
  /** False when the phone ignored it: the phone does not hold the target, or the author may not do that */
  applied: boolean;
  /** Empty when a reaction was taken back */
  emoji?: string;
  /** The new text of an edit */
  text?: string;
  /** The chosen options of a vote */
  options?: string[];
  /** For a pin: false when the message was unpinned */
  pinned?: boolean;
  /** Seconds since the epoch */
  timestamp: number;
}

export interface ChannelPost {
  text: string;
  /** The digits of the channel's jid; one channel by default */
  channel?: string;
}

export interface ChannelPostContent {
  text?: string;
  /** A file: its bytes are in exactly one of `base64`, `size` and `file` */
  media?: MediaContent;
}

export interface ChannelPostView {
  serverId: number;
  messageId: string;
  /** Number of the author; empty for a channel that nobody owns */
  from: string;
  type: 'text' | 'media';
  /** The text, or the caption of the file */
  text: string;
  media?: {
    kind: string;
    mimeType: string;
    size: number;
    sha256: string;
  };
  /** Seconds since the epoch */
  timestamp: number;
  edited: boolean;
  deleted: boolean;
  views: number;
  /** Emoji → how many people reacted with it */
  reactions: Record<string, number>;
}

export type ChannelRole = 'owner' | 'admin' | 'subscriber';

export interface ChannelView {
  jid: string;
  name: string;
  description: string;
  /** Seconds since the epoch */
  createdAt: number;
  inviteCode: string;
  followers: {
    number: string;
    role: ChannelRole;
    muted: boolean;
    /** Seconds since the epoch */
    followedAt: number;
  }[];
}

export interface ChatUpdate {
  unread?: boolean;
  archived?: boolean;
  pinned?: boolean;
  muted?: boolean;
}

export interface ChatView {
  /** The partner's number where known, else a jid; or the group's jid */
  with: string;
  /** Marked as unread by hand; says nothing about new messages */
  unread: boolean;
  archived: boolean;
  pinned: boolean;
  muted: boolean;
  /** Ids of the messages that are deleted for this account only */
  deletedMessages: string[];
  /** Ids of the starred messages; absent when there are none */
  starredMessages?: string[];
}

export interface ChatstateView {
  from: string;
  /** The group's jid, when it was in one */
  chat?: string;
  state: 'composing' | 'recording' | 'paused';
  /** Milliseconds since the epoch */
  at: number;
}

export interface ClockView {
  /** Milliseconds since the epoch */
  now: number;
  /** Milliseconds that it is ahead of the machine's time */
  ahead: number;
}

export interface ContactContent {
  displayName: string;
  phone: string;
}

export interface ContactView {
  displayName: string;
  /** E.164 with `+`; empty when the card has none */
  phone: string;
  vcard: string;
}

export type DeviceCopy =
  | 'damaged'
  | 'damaged-for-good'
  | 'unavailable'
  | 'unavailable-view-once'
  | 'unavailable-bot'
  | 'unavailable-hosted'
  | 'plaintext';

export interface DeviceDetails {
  id: number;
  /** As the phone shows it: `Chrome (Mac OS)` */
  platform: string;
  connected: boolean;
  /** One-time keys of the device that the network has left */
  preKeys: number;
  registrationId: number;
  /** Where its connection came from, as `ip:port`; absent while it is not connected */
  address?: string;
  /** The `ClientPayload` of its registration and its `DeviceProps`; absent for devices of an older sandbox */
  registration?: {
    payload: PayloadView;
    deviceProps: PayloadView;
  };
  /** The `ClientPayload` of its last login since the sandbox started */
  login?: PayloadView;
}

export interface DeviceView {
  id: number;
  /** As the phone shows it: `Chrome (Mac OS)` */
  platform: string;
  connected: boolean;
}

export type FaultKind =
  | 'account-banned'
  | 'account-banned-with-unlink'
  | 'app-state-conflict'
  | 'ask-again'
  | 'ban'
  | 'ban-with-unlink'
  | 'conflict'
  | 'cut-pairing'
  | 'delay'
  | 'device-removed'
  | 'dirty-account'
  | 'dirty-groups'
  | 'disconnect'
  | 'drop-acks'
  | 'drop-receipts'
  | 'expired-certificate'
  | 'garbage-frames'
  | 'hasty-primary'
  | 'ignore-app-state'
  | 'ignore-queries'
  | 'ignore-restrictions'
  | 'late-resend'
  | 'login-bad-request'
  | 'login-client-unknown'
  | 'login-experimental'
  | 'login-server-error'
  | 'login-user-agent'
  | 'logout'
  | 'media-host-down'
  | 'new-chat-cap'
  | 'new-chat-limit'
  | 'new-chat-second-warning'
  | 'new-chat-warning'
  | 'no-device-news'
  | 'no-keys'
  | 'no-lid-chats'
  | 'no-pairing-code'
  | 'no-resend'
  | 'no-version-page'
  | 'offline-batches'
  | 'passkey-expired'
  | 'passkey-options-missing'
  | 'reachout-lock'
  | 'refresh-at-scan'
  | 'refresh-lid'
  | 'refuse-companion-finish'
  | 'refuse-resume'
  | 'refuse-upgrade'
  | 'reject-assertion'
  | 'reject-media'
  | 'reject-sends'
  | 'repeat-pair-success'
  | 'replay-primary-hello'
  | 'restart-required'
  | 'second-passkey-request'
  | 'service-unavailable'
  | 'short-primary-key'
  | 'short-primary-nonce'
  | 'silence'
  | 'temporary-ban'
  | 'token-required'
  | 'unasked-continuation'
  | 'wrong-certificate'
  | 'wrong-certificate-key'
  | 'wrong-pair-hmac'
  | 'wrong-pair-signature'
  | 'wrong-relying-party';

export interface FaultRequest {
  kind: FaultKind;
  /** Limits the fault to the linked devices of this number */
  number?: string;
  /** How often */
  count?: number;
  /** Milliseconds, for faults that take time */
  ms?: number;
  /** For `cut-pairing` */
  step?: PairingStep;
}

export type GroupAction = 'add' | 'remove' | 'promote' | 'demote';

export interface GroupResult {
  number: string;
  /** 200, or the network's refusal code */
  status: number;
}

export type GroupRole = 'superadmin' | 'admin' | 'member';

export interface GroupUpdate {
  subject?: string;
  description?: string;
  /** An image in base64; null removes the picture */
  picture?: string | null;
  /** Only admins may write */
  announce?: boolean;
  /** Only admins may change subject and description */
  locked?: boolean;
  /** Everybody may add people, not only admins */
  membersAdd?: boolean;
  /** An admin must approve those who join by the invite */
  joinApproval?: boolean;
  /** Seconds after which messages disappear; 0 when they do not */
  ephemeral?: number;
}

export interface GroupView {
  jid: string;
  /** Number of the creator */
  owner: string;
  /** Seconds since the epoch */
  createdAt: number;
  /** True for a community: it holds groups, and nobody writes to it */
  isCommunity: boolean;
  /** The jid of the community that it is linked to; else empty */
  communityJid: string;
  inviteCode: string;
  /** People who ask to join, oldest first */
  requests: {
    number: string;
    /** Seconds since the epoch */
    at: number;
  }[];
  /** Version of the picture; empty when there is none */
  pictureId: string;
  participants: {
    number: string;
    lid: string;
    role: GroupRole;
  }[];
  subject: string;
  description: string;
  /** Only admins may write */
  announce: boolean;
  /** Only admins may change subject and description */
  locked: boolean;
  /** Everybody may add people, not only admins */
  membersAdd: boolean;
  /** An admin must approve those who join by the invite */
  joinApproval: boolean;
  /** Seconds after which messages disappear; 0 when they do not */
  ephemeral: number;
}

export interface LinkPreviewContent {
  /** The link in the text */
  matchedText: string;
  title: string;
  description?: string;
}

export interface LinkPreviewView {
  /** The link in the text */
  matchedText: string;
  title: string;
  description?: string;
  /** Bytes of the preview picture; absent when there is none */
  thumbnail?: number;
}

export interface ListReplyContent {
  /** The message with the list */
  messageId: string;
  id: string;
  title: string;
}

export interface ListView {
  title: string;
  buttonText: string;
  sections: {
    title: string;
    rows: {
      id: string;
      title: string;
      description: string;
    }[];
  }[];
}

export interface LocationView {
  latitude: number;
  longitude: number;
  name: string;
  address: string;
  live: boolean;
}

export interface MediaContent {
  kind: MediaKind;
  mimeType: string;
  base64?: string;
  /** Number of random bytes to make */
  size?: number;
  /** SHA-256 in hex of a file that was given to `POST /files`, or that a phone holds */
  file?: string;
  fileName?: string;
  caption?: string;
  /** A voice note */
  voice?: boolean;
  /** May be looked at once */
  viewOnce?: boolean;
  /** A sticker that moves, a video that plays like a GIF */
  animated?: boolean;
  seconds?: number;
  width?: number;
  height?: number;
  pageCount?: number;
}

export type MediaKind = 'image' | 'video' | 'audio' | 'document' | 'sticker';

export interface MediaView {
  mimeType: string;
  /** Bytes, decrypted */
  size: number;
  /** SHA-256 of the decrypted bytes, in hex; empty when the phone could not get them */
  sha256: string;
  /** Why the phone could not get the file */
  error?: string;
  fileName?: string;
  caption?: string;
  seconds?: number;
  width?: number;
  height?: number;
  pageCount?: number;
  /** How many values the waveform has */
  waveform?: number;
  /** Bytes of the preview picture */
  thumbnail?: number;
  voice: boolean;
  animated: boolean;
  viewOnce: boolean;
}

export interface MessageView {
  messageId: string;
  /** The author's number */
  from: string;
  /** The group's jid, or the recipient's number; `status@broadcast` for a status */
  to: string;
  fromMe: boolean;
  /** The content's key or a medium's kind; `unknown` with the protocol's field names in `text` */
  type: string;
  /** Text, caption or label; empty once the message is revoked */
  text: string;
  quotedMessageId?: string;
  /** Who wrote the quoted message, as the message says: a number where known, else a jid */
  quotedAuthor?: string;
  /** What the preview of the quoted message shows */
  quotedText?: string;
  /** Numbers where known, else jids */
  mentions: string[];
  forwarded: boolean;
  /** How often it was forwarded; absent when it was not */
  forwardingScore?: number;
  /** Who pinned it for everybody in the chat, and until when */
  pin?: {
    by: string;
    /** Seconds since the epoch */
    until: number;
  };
  /** Seconds after which it disappears */
  ephemeral?: number;
  edited: boolean;
  /** Earlier texts of an edited message, oldest first */
  history?: string[];
  revoked: boolean;
  /** Number of the author of the reaction → emoji */
  reactions: Record<string, string>;
  /** Number of the recipient → state */
  receipts: Record<string, 'delivered' | 'read' | 'played'>;
  /** Seconds since the epoch */
  timestamp: number;
  media?: MediaView;
  poll?: PollView;
  location?: LocationView;
  /** The first one, when there are several */
  contact?: ContactView;
  contacts?: ContactView[];
  buttonReply?: ButtonReplyContent;
  listReply?: ListReplyContent;
  /** For type `timer`: seconds after which later messages of the chat disappear; 0 when they stay */
  timer?: number;
  linkPreview?: LinkPreviewView;
  /** Of a text in a status: `#` and six hex digits */
  backgroundColor?: string;
  /** Of a text in a status */
  font?: number;
  /** For type `list` */
  list?: ListView;
  /** For types `buttons` and `list` */
  bodyText?: string;
  footerText?: string;
  buttons?: ButtonView[];
  /** Whether a phone shows the buttons or the list; false when the stanza lacks the `<biz>` element for them */
  rendered?: boolean;
}

export type NetworkEvent =
  | {
      type: 'message';
      number: string;
      message: MessageView;
    }
  | {
      type: 'status';
      number: string;
      status: MessageView;
    }
  | {
      type: 'change';
      number: string;
      change: ChangeView;
    }
  | {
      type: 'receipt';
      number: string;
      messageId: string;
      from: string;
      state: ReceiptState;
    }
  | {
      type: 'device';
      number: string;
      device: DeviceView;
      change: 'linked' | 'unlinked' | 'connected' | 'disconnected';
    }
  | {
      type: 'passkey';
      number: string;
      passkey: PasskeyView;
    }
  | {
      type: 'group';
      group: GroupView;
    }
  | {
      type: 'chat';
      number: string;
      chat: ChatView;
    }
  | {
      type: 'chatstate';
      number: string;
      chatstate: ChatstateView;
    }
  | {
      type: 'call';
      number: string;
      call: CallView;
    }
  | {
      type: 'presence';
      number: string;
      presence: PresenceView;
    }
  | StanzaEvent;

export interface NetworkUpdate {
  /** `2.3000.N`; null removes the floor */
  minVersion?: string | null;
  checkDisplay?: boolean;
}

export interface NetworkView {
  /** Clients of an older version get failure 405; null for no floor */
  minVersion: string | null;
  /** The version that `GET /sw.js` names */
  currentVersion: string;
  /** A code is refused to devices with another display name than `Browser (OS)` */
  checkDisplay: boolean;
}

export type PairingStep =
  | 'pair-device'
  | 'companion-hello'
  | 'primary-hello'
  | 'companion-finish'
  | 'passkey-request'
  | 'passkey-options'
  | 'passkey-ref'
  | 'passkey-prologue'
  | 'passkey-continuation'
  | 'passkey-nonce'
  | 'passkey-pairing-request'
  | 'pair-success'
  | 'pair-device-sign'
  | 'restart';

export interface PasskeyAssertion {
  id: string;
  rawId: string;
  type: 'public-key';
  response: {
    clientDataJSON: string;
    authenticatorData: string;
    signature: string;
    userHandle: string | null;
  };
  clientExtensionResults: Record<string, unknown>;
  authenticatorAttachment: string;
}

export interface PasskeyView {
  step: 'none' | 'assertion' | 'waiting' | 'confirm' | 'finishing';
  /** The code that the owner compares with that of the device: `XXXX-XXXX`, while the step is `confirm` */
  code?: string;
  /** The device has proved that it knows the secret of the QR or the code */
  handoffProved?: boolean;
}

export type PayloadView = Record<string, unknown>;

export interface PhoneView {
  number: string;
  name: string;
  /** `…@s.whatsapp.net` */
  jid: string;
  /** `…@lid` */
  lid: string;
  status: string;
  username: string;
  /** The verified name of a business; else empty */
  businessName: string;
  /** Version of the picture; empty when there is none */
  pictureId: string;
  pictureHidden: boolean;
  onlyAdminsAddMe: boolean;
  hideLid: boolean;
  /** `required`: a device is linked only after a passkey ceremony */
  passkey: 'required' | 'off';
  devices: DeviceView[];
}

export interface PollView {
  name: string;
  options: string[];
  /** How many options one may choose; 0: any number */
  selectableCount: number;
  /** Number of who voted → chosen options; hex SHA-256 where no option fits */
  votes: Record<string, string[]>;
}

export interface PresenceView {
  /** The phone or a linked device is online */
  online: boolean;
  /** Seconds since the epoch; 0 before the first time */
  lastSeen: number;
  devices: {
    id: number;
    online: boolean;
    /** Numbers and jids of groups that the device subscribed to */
    subscriptions: string[];
  }[];
}

export interface PrivacyUpdate {
  /** Values by the names on the wire: `last`, `profile`, `groupadd`, … */
  settings?: Record<string, string>;
  /** Numbers; replaces the list */
  blocked?: string[];
  /** Seconds after which messages disappear in new chats that the person begins; 0 when they do not */
  defaultEphemeral?: number;
  statuses?: StatusAudience;
}

export interface PrivacyView {
  /** Values by the names on the wire: `last`, `profile`, `groupadd`, … */
  settings: Record<string, string>;
  /** Numbers */
  blocked: string[];
  /** Seconds after which messages disappear in new chats that the person begins; 0 when they do not */
  defaultEphemeral: number;
  statuses: StatusAudience;
}

export interface ProfileUpdate {
  name?: string;
  status?: string;
  username?: string;
  /** Makes the person a business with a verified name; empty for none */
  businessName?: string;
  /** An image in base64; null removes the picture */
  picture?: string | null;
  pictureHidden?: boolean;
  /** Nobody can add the person to a group directly: admins must invite */
  onlyAdminsAddMe?: boolean;
  /** Private chats show only the number, groups only the LID */
  hideLid?: boolean;
  /** `required`: a device is linked only after a passkey ceremony */
  passkey?: 'required' | 'off';
}

export type ReceiptState = 'delivered' | 'read' | 'played';

export interface RefreshRequest {
  /** How many times in a row; 1 by default */
  count?: number;
  /** The element of the notification; `companion_reg_refresh` by default */
  element?: 'companion_reg_refresh' | 'pair-device-rotate-qr';
  /** QRs that were shown before; phones refuse their secrets from then on */
  qrs?: string[];
}

export interface RefreshResult {
  /** Devices that were asked */
  devices: number;
  /** Acknowledgements that came; `count` of each device where all is well */
  acknowledged: number;
}

export interface RingRequest {
  /** A number, or a group's jid */
  to: string;
  video?: boolean;
  /** The linked devices of the called people get a notice (`offer_notice`), with which they need not ring */
  notice?: boolean;
}

export interface StanzaEvent {
  type: 'stanza';
  /** Number of the device's owner; empty for a device that is not linked yet */
  number: string;
  /** Id of the device; 0 for one that is not linked yet */
  device: number;
  /** `in`: from the client to the network */
  direction: 'in' | 'out';
  stanza: StanzaJson;
}

export interface StanzaJson {
  tag: string;
  attrs?: Record<string, string>;
  children?: StanzaJson[];
  text?: string;
  base64?: string;
}

export interface StatsView {
  /** Open sockets */
  connections: number;
  /** Successful logins since the start */
  logins: number;
  /** Connections that were replaced by a newer one of the same device */
  conflicts: number;
  /** Connections that were dropped because their client was silent */
  dropped: number;
  /** Messages that clients sent again under the same id; duplicates are not delivered */
  repeated: number;
  /** Copies of messages that clients sent again because a device could not read them, or was missed */
  resent: number;
  /** Retry receipts of linked devices, by their `error` */
  retryReceipts: Record<string, number>;
  /** Negative acknowledgements of messages by linked devices, by their `error` */
  messageRefusals: Record<string, number>;
  /** Chats that each number began, with people who had not written to it, since the sandbox started */
  firstContacts: Record<string, number>;
  /** Copies of group messages that brought the sender key */
  senderKeys: number;
  /** Connections that were refused with 405 because of the client's version */
  outdated: number;
  /** How often devices refused `pair-success`, by `<code> <text>` */
  pairErrors: Record<string, number>;
  /** Handshakes that were resumed (Noise IK) */
  resumed: number;
  /** Requests for `GET /sw.js` */
  versionLookups: number;
  stanzasIn: number;
  stanzasOut: number;
  /** Successful logins by device, as `<number>:<device>` */
  loginsByDevice: Record<string, number>;
  /** Queries that clients made since the start, by namespace: `w:g2` are those about groups */
  queries: Record<string, number>;
  /** Messages held for devices that are not connected */
  waitingOffline: number;
  /** Stanzas that connected devices have not acknowledged yet */
  unacknowledged: number;
  phones: number;
  devices: number;
}

export interface StatusAudience {
  /** `contacts`: all other people; `blacklist`: all but some; `whitelist`: only some */
  mode: 'contacts' | 'blacklist' | 'whitelist';
  /** Numbers; none with `contacts` */
  people: string[];
}

export interface StatusRequest {
  /** Empty beside a file */
  text: string;
  /** A picture or a video, with its caption */
  media?: MediaContent;
  /** Numbers of the people who get it; by default those of the person's privacy */
  to?: string[];
  /** Of a text: `#` and six hex digits */
  backgroundColor?: string;
  /** Of a text */
  font?: number;
}

export interface TokenRequest {
  to: string;
  /** Seconds since the epoch; now by default */
  t?: number;
}

export interface TypingRequest {
  /** A number, or a group's jid */
  to: string;
  state: 'composing' | 'recording' | 'paused';
}

export interface VisitView {
  purpose: 'chat' | 'media' | 'version';
  /** `ip:port` at the other end */
  address: string;
  requests: number;
}

export interface WriteRequest {
  /** A number, or a group's jid */
  to: string;
  quotedMessageId?: string;
  /** Numbers */
  mentions?: string[];
  forwarded?: boolean;
  /** How often it was forwarded; 1 by default */
  forwardingScore?: number;
  /** Seconds after which it disappears */
  ephemeral?: number;
  /** The click on an ad (click to WhatsApp) from which the person began the chat; beside `text` and files */
  ad?: AdClick;
  /** What the linked devices of others get in place of a readable copy; phones get a readable one. `damaged`: a ciphertext that nobody can decrypt, until it is encrypted again; `damaged-for-good`: also then. `unavailable` and its kinds: no ciphertext. `plaintext`: the content, not encrypted */
  deviceCopy?: DeviceCopy;
  text?: string;
  /** A file: its bytes are in exactly one of `base64`, `size` and `file` */
  media?: MediaContent;
  poll?: {
    name: string;
    options: string[];
    selectableCount?: number;
  };
  vote?: {
    pollMessageId: string;
    /** None: the vote is taken back */
    options: string[];
  };
  reaction?: {
    messageId: string;
    /** Empty: the reaction is taken back */
    emoji: string;
  };
  edit?: {
    messageId: string;
    text: string;
    /** Inside the wrapper that some phones put around edits */
    wrapped?: boolean;
  };
  /** An edit that only those can read who hold the message */
  encryptedEdit?: {
    messageId: string;
    text: string;
  };
  revoke?: {
    messageId: string;
  };
  location?: {
    latitude: number;
    longitude: number;
    name?: string;
    address?: string;
    live?: boolean;
  };
  contact?: ContactContent;
  /** Several cards in one message */
  contacts?: ContactContent[];
  buttonReply?: {
    /** The message with the button */
    messageId: string;
    id: string;
    displayText: string;
    /** The protocol message of the tap; default `interactive`, as phones send for native buttons */
    as?: 'interactive' | 'buttons' | 'template';
  };
  listReply?: {
    /** The message with the list */
    messageId: string;
    id: string;
    title: string;
    /** The protocol message of the choice; default `list`, as phones send for legacy lists */
    as?: 'list' | 'interactive';
  };
  pin?: {
    messageId: string;
    /** False unpins it */
    pinned?: boolean;
    /** Seconds; a week by default */
    duration?: number;
  };
  /** Sets the timer of a private chat, in seconds; 0 turns it off */
  timer?: number;
  /** Any message of the protocol: an encoded `proto.Message`, base64 */
  raw?: string;
  /** Beside `text` only */
  linkPreview?: LinkPreviewContent;
}

/** One method for each operation. */
export class SandboxOperations {
  readonly #transport: SandboxTransport;

  constructor(transport: SandboxTransport) {
    this.#transport = transport;
  }

  /** Add a person with a phone. `POST /phones` */
  addPhone(request: {
    number: string;
    name?: string;
    /** Private chats show only the number, groups only the LID */
    hideLid?: boolean;
  }): Promise<{
    number: string;
    name: string;
    /** `…@s.whatsapp.net` */
    jid: string;
    /** `…@lid` */
    lid: string;
  }> {
    return this.#transport.ask('POST', `/phones`, request);
  }

  /** List all phones. `GET /phones` */
  async phones(): Promise<PhoneView[]> {
    return (await this.#transport.ask<{ phones: PhoneView[] }>('GET', `/phones`)).phones;
  }

  /** Show a phone. `GET /phones/{number}` */
  phone(number: string): Promise<PhoneView> {
    return this.#transport.ask('GET', `/phones/${part(number)}`);
  }

  /** Show a linked device with the payloads of its registration and its last login. `GET /phones/{number}/devices/{id}` */
  device(number: string, id: number): Promise<DeviceDetails> {
    return this.#transport.ask('GET', `/phones/${part(number)}/devices/${part(id)}`);
  }

  /** Change the profile and the privacy of a person. `PATCH /phones/{number}` */
  update(number: string, request: ProfileUpdate): Promise<PhoneView> {
    return this.#transport.ask('PATCH', `/phones/${part(number)}`, request);
  }

  /** Give a person another number. `POST /phones/{number}/change-number` */
  changeNumber(number: string, numberAfter: string): Promise<PhoneView> {
    return this.#transport.ask('POST', `/phones/${part(number)}/change-number`, { number: numberAfter });
  }

  /** Install WhatsApp anew on a phone. `POST /phones/{number}/reinstall` */
  reinstall(number: string): Promise<PhoneView> {
    return this.#transport.ask('POST', `/phones/${part(number)}/reinstall`);
  }

  /** Scan a pairing QR with the phone. `POST /phones/{number}/scan` */
  async scan(number: string, qr: string): Promise<DeviceView> {
    return (await this.#transport.ask<{ device: DeviceView }>('POST', `/phones/${part(number)}/scan`, { qr }))
      .device;
  }

  /** Ask all devices that are being linked for another secret. `POST /pairings/refresh` */
  refreshPairings(request: RefreshRequest = {}): Promise<RefreshResult> {
    return this.#transport.ask('POST', `/pairings/refresh`, request);
  }

  /** Type a device's pairing code on the phone. `POST /phones/{number}/enter-code` */
  async enterCode(number: string, code: string): Promise<DeviceView> {
    return (
      await this.#transport.ask<{ device: DeviceView }>('POST', `/phones/${part(number)}/enter-code`, {
        code,
      })
    ).device;
  }

  /** Remove all linked devices of a phone. `POST /phones/{number}/unlink` */
  unlink(number: string): Promise<{
    unlinked: number;
  }> {
    return this.#transport.ask('POST', `/phones/${part(number)}/unlink`);
  }

  /** Show the step of the passkey ceremony, as the phone shows it. `GET /phones/{number}/passkey` */
  passkey(number: string): Promise<PasskeyView> {
    return this.#transport.ask('GET', `/phones/${part(number)}/passkey`);
  }

  /** Demand the person's passkey from all devices that are being linked, before a QR is scanned. `POST /phones/{number}/passkey/request` */
  requestPasskey(number: string): Promise<{
    devices: number;
  }> {
    return this.#transport.ask('POST', `/phones/${part(number)}/passkey/request`);
  }

  /** Sign with the authenticator of the phone's owner. `POST /phones/{number}/passkey/assertion` */
  assertPasskey(number: string, options: object, flaw?: AssertionFlaw): Promise<PasskeyAssertion> {
    return this.#transport.ask('POST', `/phones/${part(number)}/passkey/assertion`, { options, flaw });
  }

  /** Confirm on the phone that the device shows the phone's code. `POST /phones/{number}/passkey/confirm` */
  confirmPasskey(number: string, code: string): Promise<PasskeyView> {
    return this.#transport.ask('POST', `/phones/${part(number)}/passkey/confirm`, { code });
  }

  /** Decline the device on the phone. `POST /phones/{number}/passkey/decline` */
  declinePasskey(number: string): Promise<void> {
    return this.#transport.ask('POST', `/phones/${part(number)}/passkey/decline`);
  }

  /** Write a message. `POST /phones/{number}/messages` */
  write(
    number: string,
    request: WriteRequest,
  ): Promise<{
    messageId: string;
  }> {
    return this.#transport.ask('POST', `/phones/${part(number)}/messages`, request);
  }

  /** Encrypt a message of the person once more under its id, for linked devices. `POST /phones/{number}/messages/{messageId}/repeat` */
  repeat(number: string, messageId: string): Promise<void> {
    return this.#transport.ask('POST', `/phones/${part(number)}/messages/${part(messageId)}/repeat`);
  }

  /** Post a status. `POST /phones/{number}/statuses` */
  postStatus(
    number: string,
    text?: unknown,
    media?: unknown,
    to?: unknown,
    backgroundColor?: unknown,
    font?: unknown,
  ): Promise<{
    messageId: string;
  }> {
    return this.#transport.ask('POST', `/phones/${part(number)}/statuses`, {
      text,
      media,
      to,
      backgroundColor,
      font,
    });
  }

  /** List the statuses that the phone shows, oldest first: own ones and those of others, for a day. `GET /phones/{number}/statuses` */
  async statuses(number: string): Promise<MessageView[]> {
    return (await this.#transport.ask<{ statuses: MessageView[] }>('GET', `/phones/${part(number)}/statuses`))
      .statuses;
  }

  /** Delete an own status for everybody. `DELETE /phones/{number}/statuses/{messageId}` */
  deleteStatus(number: string, messageId: string): Promise<void> {
    return this.#transport.ask('DELETE', `/phones/${part(number)}/statuses/${part(messageId)}`);
  }

  /** Write in a channel that the person follows. `POST /phones/{number}/channel-posts` */
  postInChannel(
    number: string,
    request: ChannelPost,
  ): Promise<{
    messageId: string;
  }> {
    return this.#transport.ask('POST', `/phones/${part(number)}/channel-posts`, request);
  }

  /** Give another person a trusted-contact token. `POST /phones/{number}/tokens` */
  giveToken(number: string, request: TokenRequest): Promise<void> {
    return this.#transport.ask('POST', `/phones/${part(number)}/tokens`, request);
  }

  /** List the trusted-contact tokens that the person, or a linked device, has given. `GET /phones/{number}/tokens` */
  async tokens(number: string): Promise<
    {
      to: string;
      t: number;
    }[]
  > {
    return (
      await this.#transport.ask<{
        tokens: {
          to: string;
          t: number;
        }[];
      }>('GET', `/phones/${part(number)}/tokens`)
    ).tokens;
  }

  /** Make another salt for the tokens of first contacts. `POST /phones/{number}/salt` */
  renewSalt(number: string): Promise<void> {
    return this.#transport.ask('POST', `/phones/${part(number)}/salt`);
  }

  /** List the messages that the phone holds, oldest first. `GET /phones/{number}/messages` */
  async messages(number: string): Promise<MessageView[]> {
    return (await this.#transport.ask<{ messages: MessageView[] }>('GET', `/phones/${part(number)}/messages`))
      .messages;
  }

  /** List the changes of the messages that the phone holds, oldest first. `GET /phones/{number}/changes` */
  async changes(number: string): Promise<ChangeView[]> {
    return (await this.#transport.ask<{ changes: ChangeView[] }>('GET', `/phones/${part(number)}/changes`))
      .changes;
  }

  /** List the typing states that the phone saw, oldest first. `GET /phones/{number}/chatstates` */
  async chatstates(number: string): Promise<ChatstateView[]> {
    return (
      await this.#transport.ask<{ chatstates: ChatstateView[] }>('GET', `/phones/${part(number)}/chatstates`)
    ).chatstates;
  }

  /** Delete a message on the own phone. `DELETE /phones/{number}/messages/{messageId}` */
  forgetMessage(number: string, messageId: string): Promise<void> {
    return this.#transport.ask('DELETE', `/phones/${part(number)}/messages/${part(messageId)}`);
  }

  /** Delete the file of a message on the own phone. `DELETE /phones/{number}/messages/{messageId}/file` */
  forgetFile(number: string, messageId: string): Promise<void> {
    return this.#transport.ask('DELETE', `/phones/${part(number)}/messages/${part(messageId)}/file`);
  }

  /** Read messages, look at statuses, or play voice notes and videos. `POST /phones/{number}/read` */
  read(
    number: string,
    messageIds: string[],
    played?: boolean,
  ): Promise<{
    read: number;
  }> {
    return this.#transport.ask('POST', `/phones/${part(number)}/read`, { messageIds, played });
  }

  /** Show the settings of a phone's chats. `GET /phones/{number}/chats` */
  chats(number: string): Promise<{
    chats: ChatView[];
    /** Patches that the phone could not verify */
    rejected: number;
  }> {
    return this.#transport.ask('GET', `/phones/${part(number)}/chats`);
  }

  /** Change the settings of a chat on the phone. `PATCH /phones/{number}/chats/{partner}` */
  updateChat(number: string, partner: string, request: ChatUpdate): Promise<ChatView> {
    return this.#transport.ask('PATCH', `/phones/${part(number)}/chats/${part(partner)}`, request);
  }

  /** Upload a file of any size, to send with `media.file`. `POST /files` */
  addFile(bytes: Uint8Array | ReadableStream<Uint8Array>): Promise<{
    /** SHA-256 in hex */
    file: string;
    size: number;
  }> {
    return this.#transport.send(`/files`, bytes);
  }

  /** Drop the file of a message, or all files, from the media host. `POST /media/expire` */
  expireMedia(messageId?: string): Promise<{
    expired: number;
  }> {
    return this.#transport.ask('POST', `/media/expire`, { messageId });
  }

  /** Order a fault. `POST /faults` */
  fault(request: FaultRequest): Promise<FaultRequest> {
    return this.#transport.ask('POST', `/faults`, request);
  }

  /** Clear all faults. `DELETE /faults` */
  clearFaults(): Promise<void> {
    return this.#transport.ask('DELETE', `/faults`);
  }

  /** Show what the network demands of every client. `GET /network` */
  network(): Promise<NetworkView> {
    return this.#transport.ask('GET', `/network`);
  }

  /** Change what the network demands of every client. `PATCH /network` */
  changeNetwork(request: NetworkUpdate): Promise<NetworkView> {
    return this.#transport.ask('PATCH', `/network`, request);
  }

  /** Show the network's time. `GET /clock` */
  clock(): Promise<ClockView> {
    return this.#transport.ask('GET', `/clock`);
  }

  /** Move the network's time forward, and that of the daemon that it runs in. `POST /clock` */
  advanceClock(advance: string): Promise<ClockView> {
    return this.#transport.ask('POST', `/clock`, { advance });
  }

  /** List the connections that clients have made, oldest first. `GET /connections` */
  async visits(): Promise<VisitView[]> {
    return (await this.#transport.ask<{ connections: VisitView[] }>('GET', `/connections`)).connections;
  }

  /** Show the counters of the network. `GET /stats` */
  stats(): Promise<StatsView> {
    return this.#transport.ask('GET', `/stats`);
  }

  /** Show the public key of the network's Noise root: 32 bytes in base64. `GET /root-key` */
  async publicRootKey(): Promise<string> {
    return (await this.#transport.ask<{ publicKey: string }>('GET', `/root-key`)).publicKey;
  }
}

/** One method for each operation. */
export class SandboxPeopleOperations {
  readonly #transport: SandboxTransport;

  constructor(transport: SandboxTransport) {
    this.#transport = transport;
  }

  /** Show the privacy of a person. `GET /phones/{number}/privacy` */
  privacy(number: string): Promise<PrivacyView> {
    return this.#transport.ask('GET', `/phones/${part(number)}/privacy`);
  }

  /** Change the privacy of a person. `PATCH /phones/{number}/privacy` */
  changePrivacy(number: string, request: PrivacyUpdate): Promise<PrivacyView> {
    return this.#transport.ask('PATCH', `/phones/${part(number)}/privacy`, request);
  }

  /** List the names in the person's address book. `GET /phones/{number}/contacts` */
  async contacts(number: string): Promise<AddressBookEntry[]> {
    return (
      await this.#transport.ask<{ contacts: AddressBookEntry[] }>('GET', `/phones/${part(number)}/contacts`)
    ).contacts;
  }

  /** Add, rename and, with an empty name, remove contacts. `PATCH /phones/{number}/contacts` */
  async nameContacts(number: string, contacts: AddressBookEntry[]): Promise<AddressBookEntry[]> {
    return (
      await this.#transport.ask<{ contacts: AddressBookEntry[] }>(
        'PATCH',
        `/phones/${part(number)}/contacts`,
        { contacts },
      )
    ).contacts;
  }
}

/** One method for each operation. */
export class SandboxGroupsOperations {
  readonly #transport: SandboxTransport;

  constructor(transport: SandboxTransport) {
    this.#transport = transport;
  }

  /** Create a group; `results` has the status of each participant. `POST /phones/{number}/groups` */
  create(
    number: string,
    request: {
      subject: string;
      participants?: string[];
    },
  ): Promise<{
    jid: string;
    /** Number of the creator */
    owner: string;
    /** Seconds since the epoch */
    createdAt: number;
    /** True for a community: it holds groups, and nobody writes to it */
    isCommunity: boolean;
    /** The jid of the community that it is linked to; else empty */
    communityJid: string;
    inviteCode: string;
    /** People who ask to join, oldest first */
    requests: {
      number: string;
      /** Seconds since the epoch */
      at: number;
    }[];
    /** Version of the picture; empty when there is none */
    pictureId: string;
    participants: {
      number: string;
      lid: string;
      role: GroupRole;
    }[];
    subject: string;
    description: string;
    /** Only admins may write */
    announce: boolean;
    /** Only admins may change subject and description */
    locked: boolean;
    /** Everybody may add people, not only admins */
    membersAdd: boolean;
    /** An admin must approve those who join by the invite */
    joinApproval: boolean;
    /** Seconds after which messages disappear; 0 when they do not */
    ephemeral: number;
    results: GroupResult[];
  }> {
    return this.#transport.ask('POST', `/phones/${part(number)}/groups`, request);
  }

  /** Show a group. `GET /groups/{jid}` */
  get(jid: string): Promise<GroupView> {
    return this.#transport.ask('GET', `/groups/${part(jid)}`);
  }

  /** List the groups of a person. `GET /phones/{number}/groups` */
  async of(number: string): Promise<GroupView[]> {
    return (await this.#transport.ask<{ groups: GroupView[] }>('GET', `/phones/${part(number)}/groups`))
      .groups;
  }

  /** Change a group. `PATCH /phones/{number}/groups/{jid}` */
  update(number: string, jid: string, request: GroupUpdate): Promise<GroupView> {
    return this.#transport.ask('PATCH', `/phones/${part(number)}/groups/${part(jid)}`, request);
  }

  /** Add, remove, promote or demote members. `POST /phones/{number}/groups/{jid}/participants` */
  async participants(
    number: string,
    jid: string,
    action: GroupAction,
    participants: string[],
  ): Promise<GroupResult[]> {
    return (
      await this.#transport.ask<{ results: GroupResult[] }>(
        'POST',
        `/phones/${part(number)}/groups/${part(jid)}/participants`,
        { action, participants },
      )
    ).results;
  }

  /** Approve or reject people who ask to join. `POST /phones/{number}/groups/{jid}/requests` */
  async answerRequests(
    number: string,
    jid: string,
    action: 'approve' | 'reject',
    participants: string[],
  ): Promise<GroupResult[]> {
    return (
      await this.#transport.ask<{ results: GroupResult[] }>(
        'POST',
        `/phones/${part(number)}/groups/${part(jid)}/requests`,
        { action, participants },
      )
    ).results;
  }

  /** Leave a group. `POST /phones/{number}/groups/{jid}/leave` */
  leave(number: string, jid: string): Promise<void> {
    return this.#transport.ask('POST', `/phones/${part(number)}/groups/${part(jid)}/leave`);
  }

  /** Show the invite code of a group. `GET /phones/{number}/groups/{jid}/invite` */
  async inviteCode(number: string, jid: string): Promise<string> {
    return (
      await this.#transport.ask<{ code: string }>('GET', `/phones/${part(number)}/groups/${part(jid)}/invite`)
    ).code;
  }

  /** Replace the invite code of a group; the old code stops working. `DELETE /phones/{number}/groups/{jid}/invite` */
  async renewInvite(number: string, jid: string): Promise<string> {
    return (
      await this.#transport.ask<{ code: string }>(
        'DELETE',
        `/phones/${part(number)}/groups/${part(jid)}/invite`,
      )
    ).code;
  }

  /** Join by an invite, or ask to join where an admin must approve. `POST /phones/{number}/groups/join` */
  join(number: string, code: string): Promise<GroupView> {
    return this.#transport.ask('POST', `/phones/${part(number)}/groups/join`, { code });
  }
}

/** One method for each operation. */
export class SandboxChannelsOperations {
  readonly #transport: SandboxTransport;

  constructor(transport: SandboxTransport) {
    this.#transport = transport;
  }

  /** Create a channel; the person owns it. `POST /phones/{number}/channels` */
  create(
    number: string,
    request: {
      name: string;
      description?: string;
    },
  ): Promise<ChannelView> {
    return this.#transport.ask('POST', `/phones/${part(number)}/channels`, request);
  }

  /** Show a channel with its followers. `GET /channels/{channel}` */
  get(channel: string): Promise<ChannelView> {
    return this.#transport.ask('GET', `/channels/${part(channel)}`);
  }

  /** List the channels that a person follows. `GET /phones/{number}/channels` */
  async of(number: string): Promise<ChannelView[]> {
    return (await this.#transport.ask<{ channels: ChannelView[] }>('GET', `/phones/${part(number)}/channels`))
      .channels;
  }

  /** Follow a channel. `POST /phones/{number}/channels/{channel}/follow` */
  follow(number: string, channel: string): Promise<ChannelView> {
    return this.#transport.ask('POST', `/phones/${part(number)}/channels/${part(channel)}/follow`);
  }

  /** Stop following a channel. `POST /phones/{number}/channels/{channel}/unfollow` */
  unfollow(number: string, channel: string): Promise<ChannelView> {
    return this.#transport.ask('POST', `/phones/${part(number)}/channels/${part(channel)}/unfollow`);
  }

  /** Make a follower an admin, or an admin a follower again; the person must own the channel. `POST /phones/{number}/channels/{channel}/admins` */
  changeAdmins(
    number: string,
    channel: string,
    action: 'promote' | 'demote',
    who: string,
  ): Promise<ChannelView> {
    return this.#transport.ask('POST', `/phones/${part(number)}/channels/${part(channel)}/admins`, {
      action,
      who,
    });
  }

  /** Post in a channel that the person owns or is an admin of. `POST /phones/{number}/channels/{channel}/posts` */
  post(number: string, channel: string, request: ChannelPostContent = {}): Promise<ChannelPostView> {
    return this.#transport.ask('POST', `/phones/${part(number)}/channels/${part(channel)}/posts`, request);
  }

  /** List the posts of a channel, oldest first, with the deleted ones. `GET /channels/{channel}/posts` */
  async posts(channel: string): Promise<ChannelPostView[]> {
    return (
      await this.#transport.ask<{ posts: ChannelPostView[] }>('GET', `/channels/${part(channel)}/posts`)
    ).posts;
  }

  /** Change the text of a post. `PATCH /phones/{number}/channels/{channel}/posts/{serverId}` */
  editPost(number: string, channel: string, serverId: number, text: string): Promise<ChannelPostView> {
    return this.#transport.ask(
      'PATCH',
      `/phones/${part(number)}/channels/${part(channel)}/posts/${part(serverId)}`,
      { text },
    );
  }

  /** Delete a post. `DELETE /phones/{number}/channels/{channel}/posts/{serverId}` */
  deletePost(number: string, channel: string, serverId: number): Promise<void> {
    return this.#transport.ask(
      'DELETE',
      `/phones/${part(number)}/channels/${part(channel)}/posts/${part(serverId)}`,
    );
  }

  /** React to a post; an empty emoji takes the reaction back. `POST /phones/{number}/channels/{channel}/posts/{serverId}/reaction` */
  react(number: string, channel: string, serverId: number, emoji: string): Promise<ChannelPostView> {
    return this.#transport.ask(
      'POST',
      `/phones/${part(number)}/channels/${part(channel)}/posts/${part(serverId)}/reaction`,
      { emoji },
    );
  }
}

/** One method for each operation. */
export class SandboxActivityOperations {
  readonly #transport: SandboxTransport;

  constructor(transport: SandboxTransport) {
    this.#transport = transport;
  }

  /** Call somebody, or a group. `POST /phones/{number}/calls` */
  ring(number: string, request: RingRequest): Promise<CallView> {
    return this.#transport.ask('POST', `/phones/${part(number)}/calls`, request);
  }

  /** List the calls that the person made or got, oldest first. `GET /phones/{number}/calls` */
  async calls(number: string): Promise<CallView[]> {
    return (await this.#transport.ask<{ calls: CallView[] }>('GET', `/phones/${part(number)}/calls`)).calls;
  }

  /** End or accept a call on the phone. `POST /phones/{number}/calls/{callId}` */
  act(number: string, callId: string, action: CallAction): Promise<CallView> {
    return this.#transport.ask('POST', `/phones/${part(number)}/calls/${part(callId)}`, { action });
  }

  /** Type on the phone. `POST /phones/{number}/typing` */
  type(number: string, request: TypingRequest): Promise<void> {
    return this.#transport.ask('POST', `/phones/${part(number)}/typing`, request);
  }

  /** Show the person's presence. `GET /phones/{number}/presence` */
  presence(number: string): Promise<PresenceView> {
    return this.#transport.ask('GET', `/phones/${part(number)}/presence`);
  }

  /** Take the phone up, or put it away. `POST /phones/{number}/presence` */
  setOnline(number: string, online: boolean): Promise<PresenceView> {
    return this.#transport.ask('POST', `/phones/${part(number)}/presence`, { online });
  }
}

/** One method for each operation. */
export class SandboxStanzasOperations {
  readonly #transport: SandboxTransport;

  constructor(transport: SandboxTransport) {
    this.#transport = transport;
  }

  /** Send a stanza to a connected device, as it stands; the answer shows it as it left. `POST /phones/{number}/devices/{id}/stanza` */
  async send(number: string, id: number, request: StanzaJson): Promise<StanzaJson> {
    return (
      await this.#transport.ask<{ stanza: StanzaJson }>(
        'POST',
        `/phones/${part(number)}/devices/${part(id)}/stanza`,
        request,
      )
    ).stanza;
  }
}
