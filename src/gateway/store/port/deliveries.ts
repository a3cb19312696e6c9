import type { EpochMs } from '../../../domain/clock.js';
import { collection, type RecordOf } from './fields.js';

/** Events whose attempts have all failed, kept for an operator. */
export const FAILED_DELIVERIES = collection('failed_deliveries', {
  /** The delivery's id, sortable by time. */
  id: { is: 'text', documentId: true },
  clientId: { is: 'text' },
  url: { is: 'text', sealed: ['id', 'receiver'] },
  type: { is: 'text' },
  messageId: { is: 'text' },
  /** JSON text of the event as it was POSTed. With another receiver, it would go to somebody else. */
  body: { is: 'text', sealed: ['id', 'receiver'] },
  /** The reason in the stored form of `domain/reasons.ts`; records of earlier releases hold a sentence. */
  reason: { is: 'text' },
  attempts: { is: 'number' },
  /** Milliseconds since the epoch. */
  failedAt: { is: 'number' },
  /** Of the receiver that it is for; absent for the webhook. */
  receiver: { is: 'text', none: 'absent' },
});

export type FailedDelivery = RecordOf<typeof FAILED_DELIVERIES>;

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

/** Events that wait for a receiver with durable retries, written down before their first attempt. */
export const WAITING_DELIVERIES = collection('waiting_deliveries', {
  /** The delivery's id; the same event has the same id again after a crash. */
  id: { is: 'text', documentId: true },
  clientId: { is: 'text' },
  /** Events of one chat are delivered in order, those of different chats are not. */
  chat: { is: 'text' },
  type: { is: 'text' },
  messageId: { is: 'text' },
  /** JSON text of the event as it is POSTed. */
  body: { is: 'text', sealed: ['id', 'receiver'] },
  /** Bytes that it counts against the bound of its receiver. */
  size: { is: 'number' },
  attempts: { is: 'number' },
  /** Milliseconds since the epoch, different for each event of a receiver: the order of the events. */
  since: { is: 'number' },
  /** Of the receiver that it waits for; absent for the webhook. */
  receiver: { is: 'text', none: 'absent' },
});

export type WaitingDelivery = RecordOf<typeof WAITING_DELIVERIES>;

const { body: _waiting, ...briefOfWaiting } = WAITING_DELIVERIES.fields;

/** Waiting deliveries without their bodies. */
export const WAITING_IN_BRIEF = collection(WAITING_DELIVERIES.name, briefOfWaiting);

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

/** Events of a session, kept to be sent again to any of its receivers. */
export const KEPT_EVENTS = collection('kept_events', {
  /** The same when the event is announced again after a crash. */
  id: { is: 'text', documentId: true },
  clientId: { is: 'text' },
  /** Milliseconds since the epoch: when it was announced. */
  at: { is: 'number' },
  type: { is: 'text' },
  chat: { is: 'text' },
  messageId: { is: 'text' },
  /** Bytes that it counts against the bound of its session. */
  size: { is: 'number' },
  /** JSON text of the event. */
  body: { is: 'text', sealed: ['id'] },
});

export type KeptEvent = RecordOf<typeof KEPT_EVENTS>;

const { body: _kept, ...briefOfKept } = KEPT_EVENTS.fields;

/** Kept events without their bodies. */
export const KEPT_IN_BRIEF = collection(KEPT_EVENTS.name, briefOfKept);

/** A place in the order of kept events, whether or not an event is there. */
export type KeptPlace = Pick<KeptEvent, 'at' | 'id'>;

export interface KeptFilter {
  clientId: string;
  /** Inclusive. */
  from?: EpochMs;
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
