import type { PeerNode } from '../../cluster/owners.js';
import type { Clock } from '../../domain/clock.js';
import type { Peers } from '../peers.js';

/** Milliseconds between looks at the nodes. */
const LOOK_MS = 1_000;

type Listener = (nodes: readonly PeerNode[]) => void;

/** Which other nodes there are, told again and again while somebody wants to know: one timer for all who do. */
export class NodeWatch {
  readonly #peers: Pick<Peers, 'toAsk'>;
  readonly #clock: Clock;
  readonly #listeners = new Set<Listener>();
  #cancel: () => void = () => undefined;

  constructor(peers: Pick<Peers, 'toAsk'>, clock: Clock) {
    this.#peers = peers;
    this.#clock = clock;
  }

  /** The nodes now; undefined when the store cannot tell. */
  nodes(): Promise<PeerNode[] | undefined> {
    return this.#peers.toAsk({ plugins: {} }).catch(() => undefined);
  }

  /** Calls back every second from now on; the returned function ends it. */
  watch(listener: Listener): () => void {
    this.#listeners.add(listener);
    if (this.#listeners.size === 1) this.#lookLater();
    return () => {
      this.#listeners.delete(listener);
      if (this.#listeners.size === 0) this.#cancel();
    };
  }

  #lookLater(): void {
    this.#cancel();
    this.#cancel = this.#clock.after(LOOK_MS, () => void this.#look());
  }

  async #look(): Promise<void> {
    const nodes = await this.nodes();
    for (const listener of nodes ? this.#listeners : []) listener(nodes ?? []);
    if (this.#listeners.size > 0) this.#lookLater();
  }
}
