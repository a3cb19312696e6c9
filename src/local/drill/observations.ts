/** Records of a drill, from which the ledger is made. All times are milliseconds since the epoch. */

/** A message that a person wrote, or that the API was asked to send. */
export interface Written {
  /** The text of the message, unique in the drill. */
  token: string;
  way: 'received' | 'sent';
  /** The sessions that must announce and store the message: several for a group with several of them as members. */
  sessions: readonly string[];
  /** Chat and author. Messages of a lane are written in order. */
  lane: string;
  at: number;
  /** Undefined while neither network nor API has named it. */
  messageId: string | undefined;
  /**
   * `accepted`: the network has it. `held`: the API keeps it until its policy allows it. `refused`: the policy refused it.
   * `unanswered`: no request got a final answer.
   */
  outcome: 'accepted' | 'held' | 'refused' | 'unanswered';
  /** When the caller got the final answer. */
  answeredAt: number | undefined;
  /** The numbers of the phones that must show the message; empty for a received message. */
  phones: readonly string[];
}

/** An event that a receiver got. */
export interface Arrival {
  session: string;
  messageId: string;
  /** The text of the message. */
  token: string;
  /** `X-SN-Delivery`. */
  deliveryId: string;
  at: number;
  /** Whether the receiver processed the event; its answer may still have been lost. */
  processed: boolean;
}

/** A message in a place that is read at the end: a phone, or the history of a session. */
export interface Kept {
  messageId: string;
  token: string;
}

/** A receiver with all events that it got. */
export interface ReceiverLog {
  name: string;
  /** True if the docs guarantee the order of each chat. */
  ordered: boolean;
  /** True if retries end after minutes, so that an event may be in the list of failed deliveries instead. */
  mayGiveUp: boolean;
  /** Events in the order of arrival. */
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

/** All observations of a drill. */
export interface Observations {
  written: readonly Written[];
  /** Messages on phones, by number. */
  phones: ReadonlyMap<string, readonly Kept[]>;
  /** Messages in histories, by session. */
  history: ReadonlyMap<string, readonly Kept[]>;
  /** Ids of messages that still wait for their policy. */
  waiting: ReadonlySet<string>;
  receivers: readonly ReceiverLog[];
  /** Faults in the order in which they began; each begins after the end of the previous one. */
  faults: readonly FaultWindow[];
}
