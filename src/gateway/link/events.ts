import type { EpochMs } from '../../domain/clock.js';
import type { GroupChange, GroupSettingsChange } from '../../domain/group-change.js';
import type { MessageContent } from '../../domain/message-content.js';
import type { PresenceState } from '../../domain/presence.js';
import type { Reason } from '../../domain/reasons.js';
import type { ChatSettings, MessageStatus } from '../../domain/room.js';
import type { CloseCause } from '../../domain/session.js';
import type { UnreadableReason } from '../../domain/unreadable.js';
import type { ChannelPost } from './channels.js';

/** The identity of the linked number. */
export interface OwnIdentity {
  /** Own jid with its device: `15550000001:3@s.whatsapp.net`. */
  jid: string;
  pn: string;
  lid: string;
  name: string;
}

/** A step of the passkey ceremony that WhatsApp may demand while a number is linked. Contains no secret. */
export interface PasskeyState {
  step: 'assertion_needed' | 'sending' | 'confirm_code' | 'finishing';
  /** WebAuthn request options as the network sent them, while the step is `assertion_needed`. */
  options?: Record<string, unknown>;
  /** `XXXX-XXXX`, while the step is `confirm_code`. */
  code?: string;
  expiresAt: EpochMs;
}

/** Why a passkey ceremony ended without a link. */
export type PasskeyFailure =
  /** The network sent no readable WebAuthn options. */
  | 'options_missing'
  | 'expired'
  | 'refused'
  /** The owner declined on the phone. */
  | 'declined'
  /** A step arrived out of order. */
  | 'unexpected'
  | 'malformed';

/** A decrypted message that has arrived and is not processed yet. */
export interface IncomingMessage {
  messageId: string;
  /** Jids without device, from the stanza: the chat, and its other address where known. */
  chat: string;
  chatAlt?: string;
  /** In groups: the author, and the author's other address. */
  participant?: string;
  participantAlt?: string;
  fromMe: boolean;
  pushName: string;
  /** Handle of the other person, or in groups of the author, if the network sends it. */
  username?: string;
  /** By the network's clock. */
  timestamp: EpochMs;
  content: MessageContent;
  /** Journal entries to close when the message has been recorded and announced. */
  journalIds: string[];
  /** True if the network kept it for delivery while the link was down. */
  offline: boolean;
}

/** A message that arrived and could not be read. Its journal entries stay open until it is announced, as itself or as unreadable. */
export interface UnreadableMessage extends Omit<IncomingMessage, 'content'> {
  reason: UnreadableReason;
  /** Who can still supply the message: the sender, who was asked to encrypt it again, or the own phone, which can be asked. */
  recovery: 'sender' | 'phone' | 'none';
}

/** A limit that the network puts on the account. */
export interface Restriction {
  /** `reachout-lock`: the account cannot begin chats; `new-chat-limit`: it has begun too many in this cycle. */
  kind: 'reachout-lock' | 'new-chat-limit';
  active: boolean;
  /** The restriction is not active yet: the network only warns of it. */
  isWarning?: true;
  /** The network's name for the cause, or for the used part of the limit; may be empty. */
  cause: string;
  /** End of the restriction or of the cycle, if the network says so. */
  until?: EpochMs;
  /** Number of chats that the account may begin in the cycle, and has begun. */
  quota?: number;
  used?: number;
}

/** A step of a call, as the network reports it to a linked device. */
export interface CallStep {
  callId: string;
  /** `end` without an `accept` before it means that nobody took the call. */
  step: 'offer' | 'accept' | 'reject' | 'end';
  /** Jids of the caller without device: the one that the network uses, and the other one if known. */
  from: string;
  fromAlt?: string;
  /** Jid of the group, for a call in a group. */
  group?: string;
  pushName: string;
  /** Undefined if this step does not say it. */
  isVideo?: boolean;
  /** By the network's clock. */
  timestamp: EpochMs;
  /** True if the network kept it for delivery while the link was down. */
  offline: boolean;
}

/** A person as the network names them: jids without device. */
export interface NamedPerson {
  jid: string;
  alt?: string;
}

/** A change of a group. */
export interface GroupUpdate {
  /** Id of the change, which is the same if the network reports the change again. */
  changeId: string;
  group: string;
  change: GroupChange;
  /** The person who made the change, if the network says it. */
  by?: NamedPerson;
  /** Name that this person chose; may be empty. */
  pushName: string;
  /** The members concerned. */
  members: NamedPerson[];
  /** The new subject, description or invite code, or the id of the new picture. */
  value: string;
  settings?: GroupSettingsChange;
  /** By the network's clock. */
  timestamp: EpochMs;
}

/** Events of a link. The last is exactly one `closed`, or none after `close()`, `cut()` or `logout()`. */
export type LinkEvent =
  | { type: 'qr'; qr: string }
  /** A step of the pairing failed, such as a typed code; the pairing continues. */
  | { type: 'pairing-failed'; reason: Reason }
  /** The network demands a passkey, or the ceremony has moved on by a step. */
  | { type: 'passkey'; state: PasskeyState }
  /** An attempt of the ceremony failed. The ceremony continues with a new challenge, or the link ends and the next shows a QR code. */
  | { type: 'passkey-failed'; code: PasskeyFailure; reason: Reason }
  | { type: 'paired'; me: OwnIdentity }
  | { type: 'open'; me: OwnIdentity }
  /** `arrivedAt`: when its stanza arrived, on the monotonic clock. */
  | { type: 'message'; message: IncomingMessage; arrivedAt?: number }
  | { type: 'unreadable'; message: UnreadableMessage }
  | { type: 'channel-post'; post: ChannelPost }
  | {
      type: 'message-status';
      messageId: string;
      status: MessageStatus;
      at: number;
      by?: string;
      code?: string;
    }
  /** A part of the account's history can be read. The reader closes its journal entry. */
  | { type: 'history'; journalId: string }
  | {
      type: 'contact';
      lid?: string;
      pn?: string;
      name?: string;
      pushName?: string;
      username?: string;
      source: string;
    }
  /** The subject, the members or the settings of a group changed. */
  | { type: 'group-changed'; jid: string }
  /** Another device of the account changed settings of a chat. `mutedUntil` as in `ChatSettings`. */
  | ({ type: 'chat-changed'; chat: string } & ChatSettings)
  | { type: 'group-update'; update: GroupUpdate }
  | { type: 'call'; call: CallStep }
  /** A person types or comes online in a subscribed chat. */
  | {
      type: 'presence';
      chat: string;
      /** In groups: the member. */
      participant?: string;
      state: PresenceState;
      /** When a person that is `unavailable` was last seen; 0 if the network does not say it. */
      lastSeenAt: EpochMs;
    }
  /** The phone of a person whom messages were exchanged with has another identity key. */
  | { type: 'identity-changed'; jid: string; at: EpochMs }
  /** The picture of a person or a group changed or was removed. */
  | { type: 'picture-changed'; jid: string }
  /** The network restricts the account, or no longer does. */
  | { type: 'restriction'; restriction: Restriction }
  | {
      type: 'closed';
      reason: CloseCause;
      /** Milliseconds until the cause ends, if the network says so. */
      retryAfterMs?: number;
    };
