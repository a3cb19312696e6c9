/** Records of a drill, from which the ledger is made. All times are milliseconds since the epoch. */

/** A message that a person wrote, or that the API was asked to send. */
export interface Written {
  /** The text of the message: no other message of the drill has it. */
  token: string;
  way: 'received' | 'sent';
  /** The sessions that must announce and store it: several for a group in which several are members. */
  sessions: readonly string[];
  /** Chat and author. The messages of a lane are written one after the other. */
  lane: string;
  at: number;
  /** Undefined while neither network nor API has named it. */
  messageId: string | undefined;
  /**
   * `accepted`: on the network. `held`: the API keeps it until its policy allows it. `refused`: the policy refused it.
   * `unanswered`: no request got an answer that is final.
   */
  outcome: 'accepted' | 'held' | 'refused' | 'unanswered';
  /** When the caller had the final answer. */
  answeredAt: number | undefined;
  /** The numbers of the phones that must show it; empty for a received message. */
  phones: readonly string[];
}

/** An event as a receiver got it. */
export interface Arrival {
  session: string;
  messageId: string;
  /** The text of the message. */
  token: string;
  /** `X-SN-Delivery`. */
  deliveryId: string;
  at: number;
  /** Whether the receiver took the event over. A receiver may do so, and its answer may still be lost. */
  processed: boolean;
}

/** A message in a place that is read at the end: a phone, or the history of a session. */
export interface Kept {
  messageId: string;
  token: string;
}

/** A receiver with everything that it got. */
export interface ReceiverLog {
  name: string;
  /** The docs promise the order of each chat. */
  ordered: boolean;
  /** Its retries end after minutes, so that an event may be in the list of failed deliveries in place of the receiver. */
  mayGiveUp: boolean;
  /** In the order of their coming. */
  arrivals: readonly Arrival[];
  /** Message ids in the list of failed deliveries, by session. */
  failed: ReadonlyMap<string, ReadonlySet<string>>;
}

/** A fault that was played. */
export interface FaultWindow {
  kind: string;
  at: number;
  mendedAt: number;
}

/** Everything that was seen of a drill. */
export interface Observations {
  written: readonly Written[];
  /** By number. */
  phones: ReadonlyMap<string, readonly Kept[]>;
  /** By session. */
  history: ReadonlyMap<string, readonly Kept[]>;
  /** Ids of messages that still wait for their policy. */
  waiting: ReadonlySet<string>;
  receivers: readonly ReceiverLog[];
  /** In the order of their begin; none begins before the one before it is mended. */
  faults: readonly FaultWindow[];
}
