import type { ReasonFields } from '../../domain/reasons.js';
import type { GatewayEvent } from './catalogue.js';

/** An entry of the live stream. */
export type TailEntry =
  | { kind: 'event'; at: string; clientId: string; event: GatewayEvent }
  | ({ kind: 'attempt'; at: string; clientId: string } & AttemptReport)
  | ({
      kind: 'dropped';
      at: string;
      clientId: string;
      deliveryId: string;
      type: string;
      receiver?: string;
    } & ReasonFields);

/**
 * A room of the hosted inbox changed: a message was added, changed or removed, or the name, the picture or the unread
 * count changed. The signal names only the room to read again, and is not buffered for clients that reconnect.
 */
export interface RoomSignal {
  kind: 'room';
  at: string;
  /** Empty if rooms of any session may have changed. */
  clientId: string;
  /** Empty if any room may have changed. */
  chatRoomId: string;
  /** Set if one message changed. */
  messageId?: string;
  /** The room's previous id, if it was renamed. */
  formerId?: string;
}

/** One POST to a receiver and its outcome. */
export interface AttemptReport extends ReasonFields {
  deliveryId: string;
  /** The event's type and message. */
  type: string;
  messageId: string;
  /** Id of the receiver; absent for the webhook of the session. */
  receiver?: string;
  url: string;
  /** From 1. */
  attempt: number;
  outcome: 'delivered' | 'rejected' | 'failed';
  /** The receiver's HTTP status; 0 without an answer. */
  status: number;
  durationMs: number;
}
