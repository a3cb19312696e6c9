import type { PeerNode } from '../../cluster/owners.js';
import { PeerFeed, type PeerFeedOptions } from './peer-feed.js';

/** Nodes that are gone, of which is kept how far they were read: they may only have been cut off. */
const GONE_KEPT = 8;

/** What all other nodes tell, for one client's stream. */
export class PeerFeeds {
  readonly #options: Omit<PeerFeedOptions, 'node'>;
  /** By nodeId. */
  readonly #feeds = new Map<string, PeerFeed>();

  constructor(options: Omit<PeerFeedOptions, 'node'>) {
    this.#options = options;
  }

  /**
   * Joins the nodes that have come, and leaves those that have gone when they end.
   * @returns resolves when every one that has come is open, or could not be opened
   */
  async update(nodes: readonly PeerNode[]): Promise<void> {
    const listed = new Set(nodes.map(({ nodeId }) => nodeId));
    for (const [nodeId, feed] of this.#feeds) feed.isListed = listed.has(nodeId);
    this.#forgetOldest();
    await Promise.all(nodes.map((node) => this.#join(node)));
  }

  #join(node: PeerNode): Promise<void> {
    const feed = this.#feeds.get(node.nodeId) ?? new PeerFeed({ ...this.#options, node });
    if (feed.isRunning) return Promise.resolve();
    this.#feeds.delete(node.nodeId);
    this.#feeds.set(node.nodeId, feed);
    return new Promise((resolve) => void feed.run(resolve));
  }

  #forgetOldest(): void {
    const gone = [...this.#feeds].filter(([, { isListed, isRunning }]) => !isListed && !isRunning);
    for (const [nodeId] of gone.slice(0, Math.max(0, gone.length - GONE_KEPT))) this.#feeds.delete(nodeId);
  }
}
