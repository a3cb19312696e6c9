import type { MonotonicClock } from '../../domain/clock.js';
import { longestPause } from '../../domain/retry.js';
import type { Logger } from '../log.js';
import type { LeaseStore } from '../store/store.js';

/** A lease, by the monotonic clock of its node. */
export interface HeldLease {
  epoch: number;
  /** When the lease was last requested. */
  askedAt: number;
  /** Until when the node may act on the lease. */
  until: number;
}

/** The fraction of a lease that its node does not use: time to end its work, and a margin for clocks of unequal speed. */
const UNUSED = 0.1;

/**
 * A lease that the store granted or renewed. The node counts from its request, the store from a later moment, so the
 * node stops before the store frees the lease.
 * @param askedAt milliseconds of the node's monotonic clock, before the request
 * @param lastsMs milliseconds, as requested
 */
export function heldLease(epoch: number, askedAt: number, lastsMs: number): HeldLease {
  return { epoch, askedAt, until: askedAt + lastsMs * (1 - UNUSED) };
}

/** Whether a node may act on a lease. @param now milliseconds of its monotonic clock */
export function isHeld(lease: HeldLease | undefined, now: number): boolean {
  return lease !== undefined && now < lease.until;
}

/**
 * A lease after a renewal of all leases of its node.
 * @param epochs the leases that the node holds, by the store
 * @returns undefined if it is lost
 */
export function renewedLease(
  lease: HeldLease,
  epochs: ReadonlyMap<string, number>,
  { clientId, askedAt, lastsMs }: { clientId: string; askedAt: number; lastsMs: number },
): HeldLease | undefined {
  // claimed during the renewal, whose answer may not include this lease
  if (lease.askedAt > askedAt) return lease;
  return epochs.get(clientId) === lease.epoch ? heldLease(lease.epoch, askedAt, lastsMs) : undefined;
}

/** Renewals within the duration of a lease. */
const RENEWALS = 3;
/** Attempts within the duration of a lease while the store fails. */
const ATTEMPTS = 15;

interface LeaseKeeperOptions {
  leases: LeaseStore;
  nodeId: string;
  /** Duration of a lease in milliseconds. */
  lastsMs: number;
  clock: MonotonicClock;
  log: Logger;
  /** Called once for each lost lease, before another node can claim the session. */
  onLost(clientId: string): void;
}

/** Claims, renews and releases the leases of one node, and detects by the node's own clock when one expires. */
export class LeaseKeeper {
  readonly #options: LeaseKeeperOptions;
  readonly #held = new Map<string, HeldLease>();
  /** Sessions with a claim or release in flight. */
  readonly #changing = new Set<string>();
  /** Sessions claimed since the last renewal was requested: its answer may not include them. */
  readonly #unseen = new Set<string>();
  #isFailing = false;
  #cancelRenewal: (() => void) | undefined;
  #cancelWatch: (() => void) | undefined;
  /** Time of the last renewal, on the monotonic clock. */
  #renewedAt: number;

  constructor(options: LeaseKeeperOptions) {
    this.#options = options;
    this.#renewedAt = options.clock.monotonic();
  }

  /** Milliseconds since the leases were last renewed, or since the start. */
  get renewedAgoMs(): number {
    return this.#options.clock.monotonic() - this.#renewedAt;
  }

  /** Begins to renew leases. */
  start(): void {
    this.#renewIn(this.#options.lastsMs / RENEWALS);
  }

  /** Stops renewing: leases expire unless they are released. */
  stop(): void {
    this.#cancelRenewal?.();
    this.#cancelRenewal = undefined;
    this.#cancelWatch?.();
  }

  /**
   * Claims a session.
   * @returns the lease's epoch; undefined if another node holds it
   * @throws GatewayError `store_unavailable`
   */
  async claim(clientId: string): Promise<number | undefined> {
    const { leases, nodeId, lastsMs, clock } = this.#options;
    const askedAt = clock.monotonic();
    const epoch = await this.#change(clientId, () => leases.claim(clientId, nodeId, lastsMs));
    if (epoch === undefined) return undefined;
    const lease = heldLease(epoch, askedAt, lastsMs);
    // the answer took longer than the lease lasts
    if (!isHeld(lease, clock.monotonic())) return undefined;
    this.#held.set(clientId, lease);
    this.#unseen.add(clientId);
    this.#watch();
    return epoch;
  }

  /** Whether this node may serve the session now. */
  holds(clientId: string): boolean {
    return isHeld(this.#held.get(clientId), this.#options.clock.monotonic());
  }

  sessions(): string[] {
    return [...this.#held.keys()].filter((clientId) => this.holds(clientId));
  }

  /**
   * Releases a session, which must not be served afterwards.
   * @param gone the session was deleted
   * @throws GatewayError `store_unavailable`: the lease then expires by itself
   */
  async release(clientId: string, gone = false): Promise<void> {
    const lease = this.#held.get(clientId);
    if (!lease) return;
    this.#held.delete(clientId);
    const { leases, nodeId } = this.#options;
    await this.#change(clientId, () => leases.release(clientId, nodeId, lease.epoch, gone));
  }

  async #change<T>(clientId: string, change: () => Promise<T>): Promise<T> {
    this.#changing.add(clientId);
    try {
      return await change();
    } finally {
      this.#changing.delete(clientId);
    }
  }

  #renewIn(ms: number): void {
    this.#cancelRenewal = this.#options.clock.after(ms, () => void this.#renew());
  }

  async #renew(): Promise<void> {
    const { leases, nodeId, lastsMs, clock, log } = this.#options;
    const askedAt = clock.monotonic();
    this.#unseen.clear();
    let nextMs = lastsMs / RENEWALS;
    try {
      this.#take(await leases.renew(nodeId, lastsMs), askedAt);
      this.#renewedAt = clock.monotonic();
      if (this.#isFailing) log.info('leases are renewed again');
      this.#isFailing = false;
    } catch (error) {
      // log only once per outage
      if (!this.#isFailing) log.warn({ err: error }, 'leases cannot be renewed');
      this.#isFailing = true;
      nextMs = longestPause({ pausesMs: [lastsMs / ATTEMPTS], endless: true });
    }
    if (this.#cancelRenewal) this.#renewIn(nextMs);
  }

  /** Applies the answer to a renewal. */
  #take(epochs: ReadonlyMap<string, number>, askedAt: number): void {
    const { lastsMs } = this.#options;
    for (const [clientId, lease] of [...this.#held]) {
      if (this.#unseen.has(clientId)) continue;
      const renewed = renewedLease(lease, epochs, { clientId, askedAt, lastsMs });
      if (renewed) this.#held.set(clientId, renewed);
      else this.#lose(clientId, 'another node has it');
    }
    for (const [clientId, epoch] of epochs) {
      if (!this.#held.has(clientId) && !this.#changing.has(clientId)) void this.#giveBack(clientId, epoch);
    }
    this.#watch();
  }

  /** Releases a lease that the store still renews although this node has given it up; otherwise no node could ever claim it. */
  async #giveBack(clientId: string, epoch: number): Promise<void> {
    const { leases, nodeId, log } = this.#options;
    await this.#change(clientId, () => leases.release(clientId, nodeId, epoch)).catch((error: unknown) => {
      log.warn({ err: error, clientId }, 'a lost lease could not be released; it is tried again');
    });
  }

  /** Sets the timer for the first lease that expires. */
  #watch(): void {
    const { clock } = this.#options;
    this.#cancelWatch?.();
    if (this.#held.size === 0) return;
    const first = Math.min(...[...this.#held.values()].map(({ until }) => until));
    this.#cancelWatch = clock.after(Math.max(0, first - clock.monotonic()), () => {
      for (const clientId of [...this.#held.keys()]) {
        if (!this.holds(clientId)) this.#lose(clientId, 'it could not be renewed in time');
      }
      this.#watch();
    });
  }

  #lose(clientId: string, reason: string): void {
    this.#held.delete(clientId);
    this.#options.log.warn({ clientId, reason }, 'the lease of a session is lost');
    this.#options.onLost(clientId);
  }
}
