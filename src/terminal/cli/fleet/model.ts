import type { TailEntry } from '../../../contract/events/stream-entry.js';
import type { FailedDelivery, FleetNode, FleetSession } from '../../../contract/index.js';
import type { EpochMs } from '../../../domain/clock.js';
import type { Notice } from '../inbox/model.js';
import type { PairItem } from '../pair.js';

/** State of the fleet screen; immutable. */
export interface FleetState {
  connection:
    | { state: 'connecting' }
    | { state: 'open' }
    /** Connection lost; reconnects automatically. The shown data may be stale. */
    | { state: 'reconnecting'; reason: string };
  /** True until the first answer. */
  loading: boolean;
  /** When the daemon was read last by this machine's clock. */
  readAt?: EpochMs;
  /** Milliseconds by which the daemon's clock is ahead of this machine's. */
  clockAheadMs: number;
  nodes: readonly FleetNode[];
  /** Sessions, sorted by name. */
  sessions: readonly FleetSession[];
  opened: OpenedSession | undefined;
  /** Outcome of the last action. */
  notice: Notice | undefined;
}

export interface OpenedSession {
  clientId: string;
  /** Entries, oldest first: buffered entries of the daemon, then new ones. */
  entries: readonly TailEntry[];
  /** Failed deliveries, newest first; undefined while loading. */
  failed: readonly FailedDelivery[] | undefined;
  /** Ids of deliveries in flight. */
  resending: readonly string[];
}

export interface FleetPairing {
  clientId: string;
  items: AsyncIterable<PairItem>;
  stop(): void;
}

/**
 * Model of the fleet screen: follows the live stream, polls data without events, and runs actions. Actions never throw:
 * an error becomes the state's `notice`.
 */
export interface FleetModel {
  readonly state: FleetState;
  /** Calls back after every change. @returns the unsubscribe function */
  subscribe(listener: () => void): () => void;
  /** Ends the live stream and all calls. */
  close(): void;

  /** Opens a session: its events, attempts and failed deliveries. */
  open(clientId: string): void;
  /** Closes the opened session. */
  leave(): void;

  reconnect(clientId: string): Promise<void>;
  /** Logs out and deletes the session. */
  disconnect(clientId: string): Promise<void>;
  /** @param proxy URL with user and password; null for direct connections */
  setProxy(clientId: string, proxy: string | null): Promise<void>;
  /** Delivers all failed events of a session again, one after the other. */
  resendAllOf(clientId: string): Promise<void>;
  /** Delivers failed events of the opened session again, one after the other. */
  resend(ids: readonly string[]): Promise<void>;
  /** Pairs a session by QR code, or by pairing code if a phone number is given. With a workspace its history is kept, including that of the phone. */
  pair(clientId: string, how?: { phone?: string; orgId?: string }): FleetPairing;

  say(notice: Notice | undefined): void;
}
