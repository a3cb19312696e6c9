/** A call from one person to another one, or to a group. */
export interface CallView {
  callId: string;
  /** The caller's number. */
  from: string;
  /** The number of the person, or the group's jid, that is called. */
  to: string;
  video: boolean;
  status: 'ringing' | 'accepted' | 'rejected' | 'cancelled' | 'timeout' | 'ended';
  /** Whether the phone of a called person declined it, or a linked device. */
  rejectedBy?: 'phone' | 'device';
  /** Seconds since the epoch. */
  timestamp: number;
}

export interface RingRequest {
  /** A number, or a group's jid. */
  to: string;
  video?: boolean;
}

/**
 * What becomes of a call: the caller may `cancel` or `hangup`, a called person may `accept` or `reject` on the phone, and
 * `timeout` is what the caller's phone does after a minute.
 */
export const CALL_ACTIONS = ['cancel', 'timeout', 'accept', 'reject', 'hangup'] as const;
export type CallAction = (typeof CALL_ACTIONS)[number];

/** A person's presence as others see it. */
export interface PresenceView {
  /** The phone or a linked device is online. */
  online: boolean;
  /** Seconds since the epoch; 0 before the first time. */
  lastSeen: number;
  devices: {
    id: number;
    online: boolean;
    /** Numbers and jids of groups that the device subscribed to. */
    subscriptions: string[];
  }[];
}

/** The person types in a chat on the phone. */
export interface TypingRequest {
  /** A number, or a group's jid. */
  to: string;
  state: 'composing' | 'recording' | 'paused';
}
