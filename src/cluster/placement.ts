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

/**
 * What a node does next, so that each one comes to hold its share. All nodes decide by the same rules from nearly the same
 * view; what two want at once is the first one's. A node gives a session away only while nobody waits to be taken and
 * another node has room, one at a time: each step brings the nodes nearer to their shares, so that it ends.
 *
 * @param random 0 to 1; nodes that look at the same moment begin at different sessions
 */
export function placement({ self, draining, held, takers, counts, free }: View, random: number): Plan {
  const others = takers.filter(({ nodeId }) => nodeId !== self);
  if (draining) return { take: [], give: others.length > 0 ? held : 0 };
  let total = free.length;
  for (const count of counts.values()) total += count;
  const share = Math.ceil(total / Math.max(1, takers.length));
  if (free.length > 0) {
    const start = Math.floor(random * free.length);
    const turned = [...free.slice(start), ...free.slice(0, start)];
    return { take: turned.slice(0, Math.max(0, share - held)), give: 0 };
  }
  const hasRoom = ({ nodeId, settled }: Taker) => settled && (counts.get(nodeId) ?? 0) < share;
  return { take: [], give: held > share && others.some(hasRoom) ? 1 : 0 };
}
