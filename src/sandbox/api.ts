import type { CallView, PresenceView } from './api-activity.js';
import type { ContentFields, DeviceCopy, WriteContent } from './api-contents.js';
import type { GroupView } from './api-groups.js';
import type { StanzaEvent } from './api-stanzas.js';

/** Requests and answers of the control API, for the server and its client. */

export * from './api-activity.js';
export * from './api-contents.js';
export type * from './api-groups.js';
export type * from './api-stanzas.js';

/** A simulated person's phone. */
export interface PhoneView {
  /** E.164 with `+`. */
  number: string;
  name: string;
  /** `…@s.whatsapp.net` */
  jid: string;
  /** `…@lid` */
  lid: string;
  status: string;
  username: string;
  /** The verified name of a business; else empty. */
  businessName: string;
  /** Version of the picture; empty when there is none. */
  pictureId: string;
  pictureHidden: boolean;
  onlyAdminsAddMe: boolean;
  hideLid: boolean;
  /** `required`: a device is linked only after a passkey ceremony. */
  passkey: 'required' | 'off';
  devices: DeviceView[];
}

/** A change of a person's profile and privacy. */
export interface ProfileUpdate {
  name?: string;
  status?: string;
  username?: string;
  /** Makes the person a business with a verified name; empty for none. */
  businessName?: string;
  /** An image in base64; null removes the picture. */
  picture?: string | null;
  pictureHidden?: boolean;
  /** Private chats show only the number, groups only the LID. */
  hideLid?: boolean;
  /** Nobody can add the person to a group directly: admins must invite. */
  onlyAdminsAddMe?: boolean;
  /** `required`: a device is linked only after a passkey ceremony. */
  passkey?: 'required' | 'off';
}

/** Privacy of a person. */
export interface PrivacyView {
  /** Values by the names on the wire: `last`, `profile`, `groupadd`, … */
  settings: Record<string, string>;
  /** Numbers. */
  blocked: string[];
  /** Seconds after which messages disappear in new chats that the person begins; 0 when they do not. */
  defaultEphemeral: number;
}

/** A change of a person's privacy; `blocked` replaces the list. */
export type PrivacyUpdate = Partial<PrivacyView>;

/** A name in a person's address book. */
export interface AddressBookEntry {
  number: string;
  /** Empty to remove the contact. */
  name: string;
  /** The first word of the name by default. */
  firstName?: string;
}

/** A device that is linked to a phone. */
export interface DeviceView {
  id: number;
  /** As the phone shows it: `Chrome (Mac OS)`. */
  platform: string;
  connected: boolean;
}

/** A linked device with what it sent to the network about itself; without its keys. */
export interface DeviceDetails extends DeviceView {
  /** One-time keys of the device that the network has left. */
  preKeys: number;
  registrationId: number;
  /** Where its connection came from, as `ip:port`; absent while it is not connected. */
  address?: string;
  /** The `ClientPayload` of its registration and its `DeviceProps`; undefined for devices of an older sandbox. */
  registration?: { payload: PayloadView; deviceProps: PayloadView };
  /** The `ClientPayload` of its last login since the sandbox started. */
  login?: PayloadView;
}

/** A decoded message of the protocol: names of enums, bytes in base64. */
export type PayloadView = Record<string, unknown>;

/** The state of a message at one recipient, in this order; `played` for voice notes and the like. */
export type ReceiptState = 'delivered' | 'read' | 'played';

/** A decrypted message on a phone, with all later changes applied. */
export interface MessageView extends ContentFields {
  messageId: string;
  /** The author's number. */
  from: string;
  /** The group's jid, or the recipient's number. */
  to: string;
  fromMe: boolean;
  /** The content's key or a medium's kind; `unknown` with the protocol's field names in `text`. */
  type: string;
  /** Text, caption or label; empty once the message is revoked. */
  text: string;
  quotedMessageId?: string;
  /** Who wrote the quoted message, as the message says: a number where known, else a jid. */
  quotedAuthor?: string;
  /** What the preview of the quoted message shows. */
  quotedText?: string;
  /** Numbers where known, else jids. */
  mentions: string[];
  forwarded: boolean;
  /** How often it was forwarded; absent when it was not. */
  forwardingScore?: number;
  /** Who pinned it for everybody in the chat, and until when, in seconds since the epoch. */
  pin?: { by: string; until: number };
  /** Seconds after which it disappears. */
  ephemeral?: number;
  edited: boolean;
  /** Earlier texts of an edited message, oldest first. */
  history?: string[];
  revoked: boolean;
  /** Number of the author of the reaction → emoji. */
  reactions: Record<string, string>;
  /** Number of the recipient → state. */
  receipts: Record<string, ReceiptState>;
  /** Seconds since the epoch. */
  timestamp: number;
}

/** A change of an earlier message. */
export interface ChangeView {
  /** Id of the change itself. */
  messageId: string;
  from: string;
  to: string;
  fromMe: boolean;
  type: 'reaction' | 'edit' | 'revoke' | 'vote' | 'pin';
  /** The message that it changes. */
  targetId: string;
  /** False when the phone ignored it: the phone does not hold the target, or the author may not do that. */
  applied: boolean;
  /** Empty when a reaction was taken back. */
  emoji?: string;
  /** The new text of an edit. */
  text?: string;
  /** The chosen options of a vote. */
  options?: string[];
  /** Of a pin: false when the message was unpinned. */
  pinned?: boolean;
  /** Seconds since the epoch. */
  timestamp: number;
}

/** A message to write. */
export interface WriteRequest extends WriteContent {
  /** A number, or a group's jid. */
  to: string;
  quotedMessageId?: string;
  /** Numbers. */
  mentions?: string[];
  forwarded?: boolean;
  /** How often it was forwarded; 1 by default. */
  forwardingScore?: number;
  /** Seconds after which it disappears. */
  ephemeral?: number;
  /** The ad from which the person began the chat; beside `text` and files. */
  ad?: AdClick;
  /** What the linked devices of others get in place of a readable copy; phones get a readable one. */
  deviceCopy?: DeviceCopy;
}

/** A click on an ad that leads into a chat (click to WhatsApp). */
export interface AdClick {
  sourceUrl?: string;
  /** Id of the ad or the post. */
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

/** A trusted-contact token that a person gives to another one. */
export interface TokenRequest {
  /** Number. */
  to: string;
  /** Seconds since the epoch; now by default. */
  t?: number;
}

/** What a channel writes. */
export interface ChannelPost {
  text: string;
  /** The digits of the channel's jid; one channel by default. */
  channel?: string;
}

/** The settings of a chat, shared by a phone and its linked devices. */
export interface ChatView {
  /** The partner's number where known, else a jid; or the group's jid. */
  with: string;
  /** Marked as unread by hand; says nothing about new messages. */
  unread: boolean;
  archived: boolean;
  pinned: boolean;
  muted: boolean;
  /** Ids of the messages that are deleted for this account only. */
  deletedMessages: string[];
  /** Ids of the starred messages; absent when there are none. */
  starredMessages?: string[];
}

export type ChatUpdate = Partial<Pick<ChatView, 'unread' | 'archived' | 'pinned' | 'muted'>>;

/** A typing state that a phone saw. */
export interface ChatstateView {
  from: string;
  /** The group's jid, when it was in one. */
  chat?: string;
  state: 'composing' | 'recording' | 'paused';
  /** Milliseconds since the epoch. */
  at: number;
}

/** The steps of linking a device, in their order; passkey steps only where the phone demands a passkey. */
export const PAIRING_STEPS = [
  'pair-device',
  'companion-hello',
  'primary-hello',
  'companion-finish',
  'passkey-request',
  'passkey-options',
  'passkey-ref',
  'passkey-prologue',
  'passkey-continuation',
  'passkey-nonce',
  'passkey-pairing-request',
  'pair-success',
  'pair-device-sign',
  'restart',
] as const;
export type PairingStep = (typeof PAIRING_STEPS)[number];

/** An order of a fault. */
export interface FaultRequest {
  kind: string;
  /** Limits the fault to the linked devices of this number. */
  number?: string;
  /** How often. */
  count?: number;
  /** Milliseconds, for `delay` and `no-version-page`. */
  ms?: number;
  /** For `cut-pairing`. */
  step?: PairingStep;
}

/** A step of the passkey ceremony, as the phone shows it. */
export interface PasskeyView {
  step: 'none' | 'assertion' | 'waiting' | 'confirm' | 'finishing';
  /** The code that the owner compares with that of the device: `XXXX-XXXX`, while the step is `confirm`. */
  code?: string;
  /** The device has proved that it knows the secret of the QR or the code. */
  handoffProved?: boolean;
}

/** The JSON of a WebAuthn assertion; bytes are base64url. */
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
  clientExtensionResults: object;
  authenticatorAttachment: string;
}

/** Parts of an assertion that a relying party must refuse. */
export const ASSERTION_FLAWS = ['signature', 'challenge', 'origin', 'rpId', 'flags'] as const;
export type AssertionFlaw = (typeof ASSERTION_FLAWS)[number];

/** What the network demands of every client. */
export interface NetworkView {
  /** Clients of an older version get failure 405; null for no floor. */
  minVersion: string | null;
  /** The version that `GET /sw.js` names. */
  currentVersion: string;
  /** A code is refused to devices with another display name than `Browser (OS)`. */
  checkDisplay: boolean;
}

/** Asks all devices that are being linked to make another secret. */
export interface RefreshRequest {
  /** How many times in a row; 1 by default. */
  count?: number;
  /** The element of the notification; `companion_reg_refresh` by default. */
  element?: 'companion_reg_refresh' | 'pair-device-rotate-qr';
  /** QRs that were shown before; phones refuse their secrets from then on. */
  qrs?: string[];
}

export interface RefreshResult {
  /** Devices that were asked. */
  devices: number;
  /** Acknowledgements that came; `count` of each device where all is well. */
  acknowledged: number;
}

export interface NetworkUpdate {
  /** `2.3000.N`; null removes the floor. */
  minVersion?: string | null;
  checkDisplay?: boolean;
}

/** Counters of the network. */
export interface StatsView {
  /** Open sockets. */
  connections: number;
  /** Successful logins since the start. */
  logins: number;
  /** Connections that were replaced by a newer one of the same device. */
  conflicts: number;
  /** Connections that were dropped because their client was silent. */
  dropped: number;
  /** Messages that clients sent again under the same id; duplicates are not delivered. */
  repeated: number;
  /** Copies of messages that clients sent again because a device could not read them, or was missed. */
  resent: number;
  /** Retry receipts of linked devices, by their `error`. */
  retryReceipts: Record<string, number>;
  /** Negative acknowledgements of messages by linked devices, by their `error`. */
  messageRefusals: Record<string, number>;
  /** Chats that each number began, with people who had not written to it, since the sandbox started. */
  firstContacts: Record<string, number>;
  /** Copies of group messages that brought the sender key. */
  senderKeys: number;
  /** Connections that were refused with 405 because of the client's version. */
  outdated: number;
  /** How often devices refused `pair-success`, by `<code> <text>`. */
  pairErrors: Record<string, number>;
  /** Handshakes that were resumed (Noise IK). */
  resumed: number;
  /** Requests for `GET /sw.js`. */
  versionLookups: number;
  stanzasIn: number;
  stanzasOut: number;
  /** Successful logins by device, as `<number>:<device>`. */
  loginsByDevice: Record<string, number>;
  /** Queries that clients made since the start, by namespace: `w:g2` are those about groups. */
  queries: Record<string, number>;
  /** Messages held for devices that are not connected. */
  waitingOffline: number;
  /** Stanzas that connected devices have not acknowledged yet. */
  unacknowledged: number;
  phones: number;
  devices: number;
}

/** An event of `GET /stream`. */
export type NetworkEvent =
  | { type: 'message'; number: string; message: MessageView }
  | { type: 'change'; number: string; change: ChangeView }
  | { type: 'receipt'; number: string; messageId: string; from: string; state: ReceiptState }
  | {
      type: 'device';
      number: string;
      device: DeviceView;
      change: 'linked' | 'unlinked' | 'connected' | 'disconnected';
    }
  | { type: 'passkey'; number: string; passkey: PasskeyView }
  | StanzaEvent
  | { type: 'group'; group: GroupView }
  | { type: 'chat'; number: string; chat: ChatView }
  | { type: 'chatstate'; number: string; chatstate: ChatstateView }
  | { type: 'call'; number: string; call: CallView }
  | { type: 'presence'; number: string; presence: PresenceView };
