import type { TailEntry } from '../../delivery/tail.js';
import type { FailedRow } from '../failed.js';
import type { PairItem } from '../pair.js';
import type { NodeRow, SessionRow } from './wire.js';

/** Everything that the fleet's screen shows, as one immutable value: each change makes a new one. */
export interface FleetState {
  connection: FleetConnection;
  /** True until the first answer has come. */
  loading: boolean;
  /** Milliseconds that the daemon's clock is ahead of this machine's. */
  clockAheadMs: number;
  nodes: readonly NodeRow[];
  /** By name. */
  sessions: readonly SessionRow[];
  /** The session that is looked at closely. */
  opened: OpenedSession | undefined;
  /** The last thing worth saying: what was done, or why it was not. */
  notice: FleetNotice | undefined;
}

/** The live stream from the daemon. */
export type FleetConnection =
  | { state: 'connecting' }
  | { state: 'open' }
  /** Gone; it comes back by itself. What is shown may be old. */
  | { state: 'reconnecting'; reason: string };

export interface OpenedSession {
  clientId: string;
  /** Oldest first; what the daemon still has of the past, and what happens from now on. */
  entries: readonly TailEntry[];
  /** Newest first; undefined until they have come. */
  failed: readonly FailedRow[] | undefined;
  /** Ids of those that are being sent again. */
  resending: readonly string[];
}

export interface FleetNotice {
  level: 'error' | 'warning' | 'done';
  text: string;
  /** What to do next. */
  suggestions: readonly string[];
}

/** A pairing that was begun from the fleet. */
export interface FleetPairing {
  clientId: string;
  items: AsyncIterable<PairItem>;
  /** Ends it early. */
  stop(): void;
}

/**
 * The fleet without its picture: it follows the daemon's live stream, reads again what has no event, and acts. No action
 * throws: what goes wrong is the state's `notice`.
 */
export interface FleetModel {
  readonly state: FleetState;
  /** Calls back after every change; the returned function ends it. */
  subscribe(listener: () => void): () => void;
  /** Ends the live stream and whatever is under way. */
  close(): void;

  /** Looks at one session closely: its events and attempts, and what could not be delivered. */
  open(clientId: string): void;
  /** Looks at all again. */
  leave(): void;

  reconnect(clientId: string): Promise<void>;
  /** Logs the number out and deletes the session. */
  disconnect(clientId: string): Promise<void>;
  /** Sends failed deliveries of the opened session again, one after the other. */
  resend(ids: readonly string[]): Promise<void>;
  /** By a QR; with a phone number by a code that is typed on the phone. */
  pair(clientId: string, phone?: string): FleetPairing;

  say(notice: FleetNotice | undefined): void;
}
