/** A lease as its node knows it. */
export interface HeldLease {
  epoch: number;
  /** When it was asked for last, by the node's monotonic clock. */
  askedAt: number;
  /** Until when the node may act on it, by the same clock. */
  until: number;
}

/**
 * The part of a lease that its node leaves unused: nobody else can have the session yet, while the node ends what it is
 * doing. It also covers clocks that do not run equally fast.
 */
const UNUSED = 0.1;

/**
 * What a node knows of a lease that the store gave or prolonged. It counts from the moment of asking: the store counts from
 * a later one, so the node is done before the store is.
 * @param askedAt milliseconds of the node's monotonic clock, from before the store was asked
 * @param lastsMs milliseconds, as the store was told
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
 * @param epochs what the store says that the node holds
 * @returns undefined when it is lost
 */
export function renewedLease(
  lease: HeldLease,
  epochs: ReadonlyMap<string, number>,
  { clientId, askedAt, lastsMs }: { clientId: string; askedAt: number; lastsMs: number },
): HeldLease | undefined {
  // claimed while the renewal was under way, which may not have seen it
  if (lease.askedAt > askedAt) return lease;
  return epochs.get(clientId) === lease.epoch ? heldLease(lease.epoch, askedAt, lastsMs) : undefined;
}
