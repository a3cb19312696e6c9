/** The shapes of the control API: what it takes and gives, for the server and for its client. */

import type { ContentFields, WriteContent } from './api-contents.js';
import type { GroupView } from './api-groups.js';

export type * from './api-contents.js';
export type * from './api-groups.js';

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
  /** The name that the network vouches for, of a business; else empty. */
  businessName: string;
  /** Version of the picture; empty when there is none. */
  pictureId: string;
  pictureHidden: boolean;
  onlyAdminsAddMe: boolean;
  hideLid: boolean;
  devices: DeviceView[];
}

/** What a person changes about how others see or reach them. */
export interface ProfileUpdate {
  name?: string;
  status?: string;
  username?: string;
  /** Makes the person a business with a verified name; empty for none. */
  businessName?: string;
  /** An image in base64; null takes the picture away. */
  picture?: string | null;
  pictureHidden?: boolean;
  /** People whom this one writes with see the number only, and people in groups the LID only, until it is false again. */
  hideLid?: boolean;
  /** Nobody can add the person to a group directly: an admin has to invite. */
  onlyAdminsAddMe?: boolean;
}

/** A device that is linked to a phone. */
export interface DeviceView {
  id: number;
  /** As the phone would show it: `Chrome (Mac OS)`. */
  platform: string;
  connected: boolean;
}

/** How far a message came; voice notes and the like are played after they are read. */
export type ReceiptState = 'delivered' | 'read' | 'played';

/** A message as a phone holds it, decrypted, with everything that changed it since. */
export interface MessageView extends ContentFields {
  messageId: string;
  /** The author's number. */
  from: string;
  /** The group's jid, or the number of who got it. */
  to: string;
  fromMe: boolean;
  /** The content's key or a medium's kind; `unknown` with the protocol's field names in `text`. */
  type: string;
  /** Text, caption or label; empty once the message is revoked. */
  text: string;
  quotedMessageId?: string;
  /** What the preview of the quoted message shows. */
  quotedText?: string;
  /** Numbers where known, else jids. */
  mentions: string[];
  forwarded: boolean;
  /** Seconds after which it disappears. */
  ephemeral?: number;
  edited: boolean;
  /** Earlier texts of an edited message, oldest first. */
  history?: string[];
  revoked: boolean;
  /** Number of who reacted → emoji. */
  reactions: Record<string, string>;
  /** Number of the recipient → how far it came. */
  receipts: Record<string, ReceiptState>;
  /** Seconds since the epoch. */
  timestamp: number;
}

/** Something that changes an earlier message and is none of its own. */
export interface ChangeView {
  /** Of the change itself. */
  messageId: string;
  from: string;
  to: string;
  fromMe: boolean;
  type: 'reaction' | 'edit' | 'revoke' | 'vote';
  /** The message that it changes. */
  targetId: string;
  /** False when the phone ignored it: it does not hold the target, or the author may not do that. */
  applied: boolean;
  /** Empty when a reaction was taken back. */
  emoji?: string;
  /** The new text of an edit. */
  text?: string;
  /** The chosen options of a vote. */
  options?: string[];
  /** Seconds since the epoch. */
  timestamp: number;
}

/** What a person writes. */
export interface WriteRequest extends WriteContent {
  /** A number, or a group's jid. */
  to: string;
  quotedMessageId?: string;
  /** Numbers. */
  mentions?: string[];
  forwarded?: boolean;
  /** Seconds after which it disappears. */
  ephemeral?: number;
}

/** A chat's settings, which a phone and its linked devices share. */
export interface ChatView {
  /** The partner's number where known, else a jid; or the group's jid. */
  with: string;
  /** Marked as unread by hand; new messages are another matter. */
  unread: boolean;
  archived: boolean;
  pinned: boolean;
  muted: boolean;
  /** Ids of the messages that are deleted for this account only. */
  deletedMessages: string[];
}

/** What a person changes about a chat. */
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

/** A disturbance to order. */
export interface FaultRequest {
  kind: string;
  /** Only the companions of that number. */
  number?: string;
  /** How often. */
  count?: number;
  /** Milliseconds, for `delay`. */
  ms?: number;
}

/** Counters of the network. */
export interface StatsView {
  /** Open sockets. */
  connections: number;
  /** Successful logins since the start. */
  logins: number;
  /** Connections that were replaced by a newer one of the same device. */
  conflicts: number;
  /** Connections that were dropped because their client had fallen silent. */
  dropped: number;
  /** Messages that clients sent again under the same id: who has a copy gets no other. */
  repeated: number;
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

/** What `GET /stream` tells. */
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
  | { type: 'group'; group: GroupView }
  | { type: 'chat'; number: string; chat: ChatView }
  | { type: 'chatstate'; number: string; chatstate: ChatstateView };
