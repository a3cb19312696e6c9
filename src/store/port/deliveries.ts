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
  /** Why, as `domain/reasons.ts` writes it; words in what earlier releases wrote. */
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
  /** Removes those of one receiver of a session. */
  removeOf(clientId: string, receiver: string): Promise<void>;
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

/** An event of a session, kept to be sent again to any of its receivers. */
export interface KeptEvent {
  /** The same when the event is announced again after a crash. */
  id: string;
  clientId: string;
  /** Milliseconds since the epoch: when it was announced. */
  at: number;
  type: string;
  chat: string;
  messageId: string;
  /** Bytes that it counts against the bound of its session. */
  size: number;
  /** JSON text of the event. */
  body: string;
}

/** A place in the order of kept events, whether or not an event is there. */
export type KeptPlace = Pick<KeptEvent, 'at' | 'id'>;

export interface KeptFilter {
  clientId: string;
  /** Milliseconds since the epoch, inclusive. */
  from?: number;
  to?: number;
  /** Any of these types. */
  types?: readonly string[];
  /** Only these events. */
  ids?: readonly string[];
  order: 'oldest first' | 'newest first';
  /** Only what follows this place in that order. */
  after?: KeptPlace;
  limit: number;
}

export interface KeptEventStore {
  /** False if an event with that id is kept already; it stays as it is. */
  add(event: KeptEvent): Promise<boolean>;
  /** Without their bodies. */
  list(filter: KeptFilter): Promise<Omit<KeptEvent, 'body'>[]>;
  get(clientId: string, id: string): Promise<KeptEvent | undefined>;
  /** Bytes of the events of a session. */
  bytes(clientId: string): Promise<number>;
  /** Removes the oldest events of a session that have so many bytes together, in one small step. @returns their bytes */
  removeOldest(clientId: string, bytes: number): Promise<number>;
  /** Removes what was announced before a time, of one session or of all. */
  prune(before: number, clientId?: string): Promise<number>;
}
