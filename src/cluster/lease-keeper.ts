import type { MonotonicClock } from '../domain/clock.js';
import type { Logger } from '../log.js';
import type { LeaseStore } from '../store/store.js';
import { type HeldLease, heldLease, isHeld, renewedLease } from './held-lease.js';

/** How often leases are renewed while they last once. */
const RENEWALS = 3;
/** How often it is tried while they last once, when the store fails. */
const TRIALS = 15;

export interface LeaseKeeperOptions {
  leases: LeaseStore;
  nodeId: string;
  /** Milliseconds that a lease lasts when it is not renewed. */
  lastsMs: number;
  clock: MonotonicClock;
  log: Logger;
  /** Told when a session must not be served any more, before another node can have it. Called once for each claim. */
  onLost(clientId: string): void;
}

/** The leases of one node: claims, renews and releases them, and knows by its own clock when one may be over. */
export class LeaseKeeper {
  readonly #options: LeaseKeeperOptions;
  readonly #held = new Map<string, HeldLease>();
  /** Sessions that are being claimed or released. */
  readonly #changing = new Set<string>();
  /** Sessions whose claim was answered since the last renewal was asked for, which may not have seen them. */
  readonly #unseen = new Set<string>();
  /** The last renewal has failed. */
  #isFailing = false;
  #cancelRenewal: (() => void) | undefined;
  #cancelWatch: (() => void) | undefined;
  /** By the monotonic clock. */
  #renewedAt: number;

  constructor(options: LeaseKeeperOptions) {
    this.#options = options;
    this.#renewedAt = options.clock.monotonic();
  }

  /** Milliseconds since the leases were last renewed, or since the start. */
  get renewedAgoMs(): number {
    return this.#options.clock.monotonic() - this.#renewedAt;
  }

  /** Begins to renew what is claimed from now on. */
  start(): void {
    this.#renewIn(this.#options.lastsMs / RENEWALS);
  }

  /** Ends the renewals; what is held runs out unless it is released. */
  stop(): void {
    this.#cancelRenewal?.();
    this.#cancelRenewal = undefined;
    this.#cancelWatch?.();
  }

  /**
   * Takes a session.
   * @returns its epoch; undefined when another node holds it
   * @throws GatewayError `store_unavailable`
   */
  async claim(clientId: string): Promise<number | undefined> {
    const { leases, nodeId, lastsMs, clock } = this.#options;
    const askedAt = clock.monotonic();
    const epoch = await this.#change(clientId, () => leases.claim(clientId, nodeId, lastsMs));
    if (epoch === undefined) return undefined;
    const lease = heldLease(epoch, askedAt, lastsMs);
    // an answer that was under way for too long is worth nothing
    if (!isHeld(lease, clock.monotonic())) return undefined;
    this.#held.set(clientId, lease);
    this.#unseen.add(clientId);
    this.#watch();
    return epoch;
  }

  /** Whether the session may be served now: no other node can have it. */
  holds(clientId: string): boolean {
    return isHeld(this.#held.get(clientId), this.#options.clock.monotonic());
  }

  /** The sessions that are held. */
  sessions(): string[] {
    return [...this.#held.keys()].filter((clientId) => this.holds(clientId));
  }

  /**
   * Gives a session away; it must not be served any more.
   * @param gone the session does not exist any more
   * @throws GatewayError `store_unavailable`: others have it once the lease has run out
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
      // once for an outage, not at each trial
      if (!this.#isFailing) log.warn({ err: error }, 'leases cannot be renewed');
      this.#isFailing = true;
      nextMs = lastsMs / TRIALS;
    }
    if (this.#cancelRenewal) this.#renewIn(nextMs);
  }

  /** Takes over what a renewal has found. */
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

  /** What was lost here, or claimed in vain, while the store goes on prolonging it: nobody could ever have it again. */
  async #giveBack(clientId: string, epoch: number): Promise<void> {
    const { leases, nodeId, log } = this.#options;
    await this.#change(clientId, () => leases.release(clientId, nodeId, epoch)).catch((error: unknown) => {
      log.warn({ err: error, clientId }, 'a lost lease could not be given back; it is tried again');
    });
  }

  /** Wakes up when the first lease is over. */
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
