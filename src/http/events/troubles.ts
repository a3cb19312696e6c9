import { LRUCache } from 'lru-cache';
import type { PeerNode } from '../../cluster/owners.js';
import { errorMessage } from '../../domain/error-message.js';
import type { Logger } from '../../log.js';

/** Nodes that are remembered. */
const MAX_NODES = 1_000;

/** Says once of each node that its events cannot be read, however many streams and attempts find out. */
export class PeerTroubles {
  readonly #log: Logger;
  readonly #said = new LRUCache<string, true>({ max: MAX_NODES });

  constructor(log: Logger) {
    this.#log = log;
  }

  failed({ nodeId, name }: PeerNode, error: unknown): void {
    if (this.#said.has(nodeId)) return;
    this.#said.set(nodeId, true);
    this.#log.warn({ node: name, reason: errorMessage(error) }, 'the events of another node cannot be read');
  }

  worked({ nodeId, name }: PeerNode): void {
    if (this.#said.delete(nodeId)) this.#log.info({ node: name }, 'the events of another node can be read');
  }
}
