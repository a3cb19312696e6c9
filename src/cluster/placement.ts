/** What a node sees of the cluster when it decides. */
export interface View {
  /** The nodeId of the node that decides. */
  self: string;
  /** It shall give everything away. */
  draining: boolean;
  /** How many sessions it holds, without those that it is giving away. */
  held: number;
  /** The nodes that are there and take sessions; without this one while it is draining. */
  takers: readonly Taker[];
  /** How many sessions each node holds, by nodeId. */
  counts: ReadonlyMap<string, number>;
  /** Sessions that nobody holds, as far as they were looked for. */
  free: readonly string[];
  /** Those of them that have been free for so long that whoever should have taken them seems unable to. */
  overdue: ReadonlySet<string>;
}

export interface Taker {
  nodeId: string;
  /** It has been there for long enough to be given sessions that others hold. */
  settled: boolean;
}

export interface Plan {
  /** Sessions to claim. */
  take: readonly string[];
  /** How many sessions to give away. */
  give: number;
}

/** A node that takes sessions, and how many it has. */
interface Load extends Taker {
  count: number;
}

/**
 * What a node does next, so that all come to hold the same number. Nodes decide by the same rules from nearly the same
 * view: free sessions go to whoever has the fewest; what two want at once is the first one's. When nobody waits to be
 * taken, the node with the most gives one away, if another has at least two fewer. Each such step brings the nodes nearer
 * to each other, so that it ends, and nothing is given back.
 */
export function placement({ self, draining, held, takers, counts, free, overdue }: View): Plan {
  const loads = takers.map((taker) => ({
    ...taker,
    count: taker.nodeId === self ? held : (counts.get(taker.nodeId) ?? 0),
  }));
  const others = loads.filter(({ nodeId }) => nodeId !== self);
  if (draining) return { take: [], give: others.length > 0 ? held : 0 };
  if (free.length > 0) {
    const share = new Set(shareOf(self, loads, free));
    return { take: free.filter((clientId) => share.has(clientId) || overdue.has(clientId)), give: 0 };
  }
  const fewest = Math.min(...others.filter(({ settled }) => settled).map(({ count }) => count));
  const isFullest = loads.toSorted(byCount).at(-1)?.nodeId === self;
  return { take: [], give: isFullest && held - fewest >= 2 ? 1 : 0 };
}

/** Those of the free sessions that are a node's, when each goes to whoever has the fewest by then. */
function shareOf(self: string, loads: readonly Load[], free: readonly string[]): string[] {
  const filling = loads.map((load) => ({ ...load }));
  return free.toSorted().filter(() => {
    const [emptiest] = filling.sort(byCount);
    if (emptiest) emptiest.count += 1;
    return emptiest?.nodeId === self;
  });
}

function byCount(a: Load, b: Load): number {
  return a.count - b.count || (a.nodeId < b.nodeId ? -1 : 1);
}
