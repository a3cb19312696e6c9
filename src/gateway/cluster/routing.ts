import { randomInt } from 'node:crypto';
import { type MonotonicClock, wait } from '../../domain/clock.js';
import { pauseAfter } from '../../domain/retry.js';
import type { Owners, PeerNode } from './owners.js';

/** What to do with a request for a session. */
type RouteDecision =
  /** Answer the request here, and call `leave` at its end. Without `leave` the session does not exist: the handler says so. */
  | { to: 'handler'; leave?: () => void }
  | { to: 'node'; node: PeerNode }
  /** Look again after a pause: the session is moving between nodes. */
  | { to: 'wait' };

/**
 * Decides which node answers a caller's request.
 * @param creates the request creates the session if there is none
 * @throws GatewayError `store_unavailable`
 */
export async function decideRoute(
  owners: Owners,
  clientId: string,
  creates: boolean,
): Promise<RouteDecision> {
  const leave = owners.enter(clientId);
  if (leave) return { to: 'handler', leave };
  const owner = await owners.find(clientId);
  if (owner.at === 'peer') return { to: 'node', node: owner.node };
  if (owner.at !== 'nobody') return { to: 'wait' };
  if (creates) return routeOfNewSession(owners, clientId);
  return { to: (await owners.exists(clientId)) ? 'wait' : 'handler' };
}

/**
 * Begins a request that another node forwarded. It is answered here or refused, never forwarded again.
 * @returns ends the request; undefined if this node does not hold the session
 * @throws GatewayError `store_unavailable`
 */
export async function enterForwarded(
  owners: Owners,
  clientId: string,
  creates: boolean,
): Promise<(() => void) | undefined> {
  const leave = owners.enter(clientId);
  if (leave || !creates) return leave;
  owners.distrust(clientId);
  const { at } = await owners.find(clientId);
  if (at !== 'nobody' || !(await owners.take(clientId))) return undefined;
  return owners.enter(clientId);
}

async function routeOfNewSession(owners: Owners, clientId: string): Promise<RouteDecision> {
  if (await owners.take(clientId)) {
    const leave = owners.enter(clientId);
    return leave ? { to: 'handler', leave } : { to: 'wait' };
  }
  owners.distrust(clientId);
  const owner = await owners.find(clientId);
  if (owner.at === 'peer') return { to: 'node', node: owner.node };
  if (owner.at !== 'nobody') return { to: 'wait' };
  // the session is still free, so this node is full or draining and another one must take it
  const others = await owners.others();
  const node = others.length > 0 ? others[randomInt(others.length)] : undefined;
  return node ? { to: 'node', node } : { to: 'wait' };
}

/** Look-ups of the node of a session. */
const LOOKUP = { pausesMs: [100, 200, 300, 400, 500, 700, 800], endless: false };
/** Milliseconds for all look-ups, including their own time. */
const LONGEST_MS = 3_000;

/** The time that a request waits for the node of its session. */
export class RetryBudget {
  readonly #clock: MonotonicClock;
  readonly #gone: AbortSignal;
  readonly #since: number;
  #lookups = 0;

  /** @param gone aborts when the caller has gone */
  constructor(clock: MonotonicClock, gone: AbortSignal) {
    this.#clock = clock;
    this.#gone = gone;
    this.#since = clock.monotonic();
  }

  /** Waits before the next look-up; false if the budget is spent or the caller has gone. */
  async next(): Promise<boolean> {
    this.#lookups += 1;
    const ms = pauseAfter(LOOKUP, this.#lookups);
    if (ms === undefined || this.#clock.monotonic() - this.#since >= LONGEST_MS) return false;
    await wait(this.#clock, ms, this.#gone);
    return !this.#gone.aborted;
  }
}
