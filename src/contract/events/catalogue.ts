import type { GroupChange, GroupSettingsChange } from '../../domain/group-change.js';
import type { PresenceState } from '../../domain/presence.js';
import type { ReasonFields } from '../../domain/reasons.js';
import type { SessionStatus } from '../../domain/session.js';
import type { UnreadableReason } from '../../domain/unreadable.js';
import type { EventEnvelope, EventMeta, GroupSender } from './envelope.js';
import type { MediaExtra } from './extras.js';

/** The values of `event`; `type` is more specific. */
export const EVENT_NAMES = [
  'message.received',
  'message.sent',
  'message.status',
  'message.unreadable',
  'session.status',
  'call',
  'presence',
  'group.update',
  'account.status',
  'identity.change',
  'channel.post',
  'status.post',
] as const satisfies readonly GatewayEvent['event'][];

/** Event types of messages, as the contract lists them. */
export const MESSAGE_EVENT_TYPES = [
  'text',
  'image',
  'video',
  'audio',
  'document',
  'sticker',
  'poll_creation',
  'vote_update',
  'interactive_reply',
  'contact',
  'location',
  'reaction',
  'edit',
  'revoke',
] as const;

/** Opt-in event types, off until `extraEvents` names them. */
export const EXTRA_EVENT_TYPES = [
  'message_status',
  'session_status',
  'call',
  'presence',
  'group_update',
  'message_unreadable',
  'account_status',
  'identity_change',
  'channel_post',
  'status_post',
] as const;

/** All types of events. */
export const EVENT_TYPES = [...MESSAGE_EVENT_TYPES, ...EXTRA_EVENT_TYPES] as const;

export type MessageEventType = (typeof MESSAGE_EVENT_TYPES)[number];
export type ExtraEventType = (typeof EXTRA_EVENT_TYPES)[number];
export type EventType = (typeof EVENT_TYPES)[number];

/** All events that a receiver can get. */
export type GatewayEvent =
  | EventEnvelope
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

/**
 * Emitted when the status of an own message changes, to sessions with it in `extraEvents` and to every tail: `sent` once the
 * network has it, `delivered` and `read` for each device or member that reports it, `failed` when the network refused it.
 * Match it by `messageId`; the order is not guaranteed.
 */
export interface MessageStatusEvent {
  event: 'message.status';
  type: 'message_status';
  clientId: string;
  orgId: string;
  /** RFC 3339, UTC. */
  timestamp: string;
  messageId: string;
  status: 'sent' | 'delivered' | 'read' | 'played' | 'failed';
  /** User-part of the person who received or read the message; empty for `sent` and `failed`. */
  by: string;
  /** The network's error code of a failed message, or the API's code for a held message that was given up; otherwise empty. */
  code: string;
}

/**
 * Emitted when a session's status changes, to sessions with it in `extraEvents` and to every tail. After a terminal status
 * none follows until an operator calls `/start` again.
 */
export interface SessionStatusEvent extends ReasonFields {
  event: 'session.status';
  type: 'session_status';
  clientId: string;
  orgId: string;
  /** RFC 3339, UTC. */
  timestamp: string;
  status: SessionStatus;
  previousStatus: SessionStatus;
}

/**
 * Emitted when the network begins or ends a restriction of the linked number, warns of one, or changes how many chats it may begin, to
 * sessions with it in `extraEvents` and to every tail.
 */
export interface AccountStatusEvent {
  event: 'account.status';
  type: 'account_status';
  clientId: string;
  orgId: string;
  /** RFC 3339, UTC. */
  timestamp: string;
  restricted: boolean;
  /** End of the restriction, RFC 3339, UTC; empty if the network does not say it. */
  until: string;
  /** Reason for people; empty without a restriction. */
  reason: string;
  /** The network's warning before the limit of new chats: `FIRST_WARNING`, `SECOND_WARNING`; empty without a warning. */
  warning: string;
  /** Chats that the number has begun, and may begin, until `resetsAt`; zeros and empty if the network names no limit. */
  newChats: { used: number; limit: number; resetsAt: string };
}

/** The contents of a status; `revoke`: its author deleted an earlier one. */
export const STATUS_POST_KINDS = ['text', 'image', 'video', 'audio', 'revoke'] as const;
export type StatusPostKind = (typeof STATUS_POST_KINDS)[number];

/**
 * Emitted when somebody posts a status that the linked number may see, or deletes one, and for the number's own statuses, to
 * sessions with it in `extraEvents`. A status is no message: it is in no chat and not in the history.
 */
export interface StatusPostEvent {
  event: 'status.post';
  type: 'status_post';
  clientId: string;
  orgId: string;
  /** RFC 3339, UTC. */
  timestamp: string;
  messageId: string;
  /** User-part of the author: the LID where known, else the number. */
  from: string;
  fromPhone: string;
  fromName: string;
  /** The linked number posted it: through the API, on the phone or on another device. */
  fromMe: boolean;
  kind: StatusPostKind;
  /** Text or caption. */
  body: string;
  /** When phones stop showing it, RFC 3339, UTC; absent for `revoke`. */
  expiresAt?: string;
  /** For files. */
  media?: MediaExtra;
  /** For `revoke`: the status that was deleted. */
  targetId?: string;
  /** From the `metaData` of an own status. */
  meta?: EventMeta;
}

/** The conversation of an event that is no message; the fields mean the same as in the envelope of messages. */
interface Conversation {
  clientId: string;
  orgId: string;
  /** RFC 3339, UTC. */
  timestamp: string;
  chatRoomId: string;
  myLid: string;
  /** User-part of the other person's LID; in a group the group's id. */
  clientLid: string;
  remoteJid: string;
  isGroup: boolean;
}

/** The states of a call as a linked device sees them; those after `offer` end the call for this device. */
export const CALL_STATUSES = ['offer', 'accept', 'reject', 'missed', 'ended'] as const;
export type CallStatus = (typeof CALL_STATUSES)[number];

/**
 * Emitted when somebody calls the linked number and when that call ends, to sessions with it in `extraEvents` and to
 * every tail. Match the events of a call by `callId`; each status is reported once.
 */
export interface CallEvent extends Conversation {
  event: 'call';
  type: 'call';
  callId: string;
  status: CallStatus;
  /** User-part of the caller: the LID where known, else the number. */
  from: string;
  /** Number of the caller, with `+`; empty where not known. */
  fromPhone: string;
  fromName: string;
  isVideo: boolean;
  /** The gateway rejected the call because of `rejectCalls`. */
  rejected: boolean;
  /** The call rang while the session was not connected. */
  offline: boolean;
}

/** Emitted when a person types or comes online, in a chat that the session has subscribed to. */
export interface PresenceEvent extends Conversation {
  event: 'presence';
  type: 'presence';
  state: PresenceState;
  /** User-part of the person: the LID where known, else the number. */
  from: string;
  fromPhone: string;
  fromName: string;
  /** When a person that is `unavailable` was last seen, RFC 3339, UTC; empty if the network does not say it. */
  lastSeen: string;
}

/**
 * Emitted when a person has a new security code, because the person has installed WhatsApp anew or changed the phone, to sessions with it
 * in `extraEvents` and to every tail. Only for people with whom there is a private chat; each change is reported once.
 */
export interface IdentityChangeEvent extends Conversation {
  event: 'identity.change';
  type: 'identity_change';
  /** User-part of the person: the LID where known, else the number. */
  from: string;
  fromPhone: string;
  fromName: string;
}

/**
 * Emitted when a message arrived and could not be read, after its sender and the own phone were asked for it in vain, to
 * sessions with it in `extraEvents` and to every tail. If a readable copy arrives later, the message's own event
 * follows.
 */
export interface MessageUnreadableEvent extends Conversation {
  event: 'message.unreadable';
  type: 'message_unreadable';
  remoteName: string;
  remotePhone: string;
  remoteUsername: string;
  pushName: string;
  avatarUrl: string;
  fromMe: boolean;
  messageId: string;
  reason: UnreadableReason;
  group?: GroupSender;
}

/** A person in a `group_update`. */
export interface GroupUpdatePerson {
  /** User-part: the LID where known, else the number. */
  user: string;
  /** Phone number with `+`; empty if unknown. */
  phone: string;
  name: string;
}

/** Emitted when a group of the linked number changes, to sessions with it in `extraEvents` and to every tail. */
export interface GroupUpdateEvent extends Conversation {
  event: 'group.update';
  type: 'group_update';
  /** Id of the change, which is the same if the network reports the change again. */
  changeId: string;
  change: GroupChange;
  /** The linked number made the change: through the API, on the phone or on another device. */
  fromMe: boolean;
  /** The person who made the change; fields are empty if the network does not say it. */
  by: GroupUpdatePerson;
  /** The members that the change is about; empty for changes of the group itself. */
  members: GroupUpdatePerson[];
  /** The new subject, description or invite code, or the id of the new picture; empty after a removal, and for other changes. */
  value: string;
  /** The changed settings, for a change of `settings`. */
  settings?: GroupSettingsChange;
}

/** What happened to a post of a channel. */
export const CHANNEL_POST_ACTIONS = ['posted', 'edited', 'deleted'] as const;

/**
 * Emitted for a post of a channel that the linked number follows, and for a change of one, to sessions with it in
 * `extraEvents` and to every tail. Posts are no messages: they are in no chat and in no history.
 */
export interface ChannelPostEvent extends ChannelPostContent {
  event: 'channel.post';
  type: 'channel_post';
  clientId: string;
  orgId: string;
  /** When it was posted, edited or deleted, RFC 3339, UTC. */
  timestamp: string;
  channelJid: string;
  messageId: string;
  /** The network's number of the post; 0 if unknown. */
  serverId: number;
  action: (typeof CHANNEL_POST_ACTIONS)[number];
  /** The linked number wrote it: through the API, on the phone or on another device. */
  fromMe: boolean;
}

/** The content of a post. */
export interface ChannelPostContent {
  /** The kind of its content, as the `type` of a message's event; empty for a deleted post. */
  kind: MessageEventType | '';
  /** Text, caption or rendered text. */
  body: string;
  media?: ChannelPostMedia;
}

/** A file of a post, which is not encrypted. */
export interface ChannelPostMedia {
  mimeType: string;
  /** Bytes. */
  fileSize: number;
  seconds?: number;
  /** Pixels. */
  width?: number;
  height?: number;
  /** The network's address of the file. */
  url: string;
  /** SHA-256 in base64; may be empty. */
  fileSha256: string;
}

/** The `X-SN-Event` of the call that checks a temporary receiver. */
export const LISTEN_CHECK = 'listen_check';

/** A test call, not an event of the catalogue: a temporary receiver must answer 2xx before it gets events. */
export interface ListenCheck {
  event: 'listen.check';
  type: typeof LISTEN_CHECK;
  clientId: string;
  /** RFC 3339, UTC. */
  timestamp: string;
}
