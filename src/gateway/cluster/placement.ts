/** A node's view of the cluster. */
interface View {
  /** The deciding node's nodeId. */
  self: string;
  /** True while the node hands all its sessions over. */
  draining: boolean;
  /** Sessions that the node holds, without those it is giving. */
  held: number;
  /** Live nodes that take sessions; without this node while it drains. */
  takers: readonly Taker[];
  /** Sessions of each node, by nodeId. */
  counts: ReadonlyMap<string, number>;
  /** Sessions that no node holds, up to a limit. */
  free: readonly string[];
  /** Free sessions that the responsible node has not claimed for long, so any node may claim them. */
  overdue: ReadonlySet<string>;
}

export interface Taker {
  nodeId: string;
  /** True if the node has been alive for at least one lease, so that other nodes may give it sessions. */
  settled: boolean;
}

interface Plan {
  /** Sessions to claim. */
  take: readonly string[];
  /** How many sessions to give away. */
  give: number;
}

interface Load extends Taker {
  count: number;
}

/**
 * The next step of a node towards an equal number of sessions on all nodes. All nodes apply the same rules to nearly
 * the same view: free sessions go to the node with the fewest; if two claim the same one, the first gets it. If no session is
 * free, the node with the most gives one, provided that another has at least two fewer. Each step reduces the difference, so
 * the process ends and no session is given back.
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

/** A node's share of the free sessions, if each in turn goes to the node with the fewest. */
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
