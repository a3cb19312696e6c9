import type { Clock } from '../../../domain/clock.js';
import { doubling, type RetryPolicy } from '../../../domain/retry.js';
import type { NamedMessage } from '../../link/history.js';
import type { LinkFactory } from '../../link/link.js';
import type { WaVersions } from '../../link/wa-versions.js';
import type { Logger } from '../../log.js';
import type { Store } from '../../store/store.js';
import type { Admission } from './waiting.js';

/** A fact about a session that has changed. */
export type FactChange =
  /** The workspace, the webhook, or what the network restricts. */
  | { type: 'workspace' | 'webhook' | 'restrictions'; clientId: string }
  /** A part of the history was imported; `answer` if the phone sent it on request. */
  | { type: 'history'; clientId: string; answer?: HistoryAnswer };

/** What the phone's answer to a request for older messages of a chat brought. */
export interface HistoryAnswer {
  /** Id of the request. */
  requestId: string;
  /** Messages that were not stored before. */
  messages: number;
  /** Whether the phone holds still older ones; undefined if it does not say so. */
  hasMore: boolean | undefined;
  /** The oldest message that it names; undefined if it names none. */
  oldest?: NamedMessage | undefined;
}

/** Dependencies of a session that connects. */
export interface ConnectContext {
  store: Store;
  links: LinkFactory;
  admission: Admission;
  clock: Clock;
  /** Pauses after failed logins. */
  backoff: RetryPolicy;
  /** Pauses after a link that had been up. */
  returns: RetryPolicy;
  /** The client version; the library's when it is not given. */
  versions?: WaVersions;
  log: Logger;
  /** Whether this node may serve the session at this instant. */
  holds(clientId: string): boolean;
  /** Like `holds`, but asks the store. @throws GatewayError session_elsewhere, store_unavailable */
  confirm(clientId: string): Promise<void>;
}

/** Lost links of a session that reconnect at once, until one of them is stable. */
const QUICK_RETURNS = 8;
/** Default pauses after a link that had been up: short ones, within a budget that a stable link renews. */
export const RETURNS: RetryPolicy = {
  pausesMs: [...Array<number>(QUICK_RETURNS).fill(100), ...doubling(1_000, 60_000)],
  endless: true,
  jitter: 0.25,
};

/** A link that held for this many milliseconds is stable. */
export const STABLE_AFTER_MS = 30_000;

/** Milliseconds for an orderly end of a link. */
export const RENEW_MS = 5_000;
