/** An event whose attempts have all failed, kept for an operator. */
export interface FailedDelivery {
  /** The delivery's id, sortable by time. */
  id: string;
  clientId: string;
  /** Of the receiver that it is for; absent for the webhook. */
  receiver?: string;
  url: string;
  type: string;
  messageId: string;
  /** JSON text of the event as it was POSTed. */
  body: string;
  reason: string;
  attempts: number;
  /** Milliseconds since the epoch. */
  failedAt: number;
}

export interface FailedFilter {
  clientId?: string;
  /** With `clientId`: only those of this receiver; `1` is the webhook. */
  receiver?: string;
  limit: number;
  /** Continue after this delivery, which may have been deleted. */
  before?: { id: string; failedAt: number };
}

export interface FailedDeliveryStore {
  /** Adds a delivery and keeps only the newest `keep` of its receiver. */
  add(delivery: FailedDelivery, keep: number): Promise<void>;
  /** Newest first. */
  list(filter: FailedFilter): Promise<FailedDelivery[]>;
  get(id: string): Promise<FailedDelivery | undefined>;
  /** Counts by session, or of one session; sessions without failed deliveries are left out. */
  counts(clientId?: string): Promise<Map<string, number>>;
  /** Counts of one session by receiver, `1` for the webhook; receivers without failed deliveries are left out. */
  countsOf(clientId: string): Promise<Map<string, number>>;
  remove(id: string): Promise<void>;
  prune(failedBefore: number): Promise<number>;
}

/** An event that waits for a receiver with durable retries, written down before its first attempt. */
export interface WaitingDelivery {
  /** The delivery's id; the same event has the same id again after a crash. */
  id: string;
  clientId: string;
  /** Of the receiver that it waits for; absent for the webhook. */
  receiver?: string;
  /** Events of one chat are delivered in order, those of different chats are not. */
  chat: string;
  type: string;
  messageId: string;
  /** JSON text of the event as it is POSTed. */
  body: string;
  /** Bytes that it counts against the bound of its receiver. */
  size: number;
  attempts: number;
  /** Milliseconds since the epoch, different for each event of a receiver: the order of the events. */
  since: number;
}

export interface WaitingDeliveryStore {
  /** Does nothing if an event with that id waits already. */
  add(delivery: WaitingDelivery): Promise<void>;
  /** The events of a session without their bodies, oldest first. */
  list(clientId: string): Promise<Omit<WaitingDelivery, 'body'>[]>;
  get(id: string): Promise<WaitingDelivery | undefined>;
  /** Notes the number of attempts so far, if the event still waits. */
  noteAttempts(clientId: string, id: string, attempts: number): Promise<void>;
  remove(id: string): Promise<void>;
}
