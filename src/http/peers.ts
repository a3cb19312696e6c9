import type { Request } from '@hapi/hapi';
import { HOP_HEADER, type Hops } from '../cluster/hops.js';
import type { Owners, PeerNode } from '../cluster/owners.js';
import { GatewayError } from '../domain/errors.js';

/** Headers of a caller that a request to another node carries too. */
const CALLERS_OWN = ['authorization', 'x-v3-secret', 'last-event-id'];

declare module '@hapi/hapi' {
  interface PluginsStates {
    /** Set on every request before anything else looks at it. */
    hop?: {
      /** The nodeId of the node that it comes from. */
      from: string;
    };
  }
}

/** True when another node has sent the request: it is answered here or not at all. */
export function cameFromNode(request: Pick<Request, 'plugins'>): boolean {
  return request.plugins.hop !== undefined;
}

/** Asks other nodes, in the caller's name, what only they know. */
export class Peers {
  readonly #owners: Owners;
  readonly #hops: Hops;

  constructor(owners: Owners, hops: Hops) {
    this.#owners = owners;
    this.#hops = hops;
  }

  /** This node. */
  get self(): PeerNode {
    return this.#owners.self;
  }

  /** The other nodes, for a request of a caller; none for a request of a node, which asks for what is known here. */
  async toAsk(request: Pick<Request, 'plugins'>): Promise<PeerNode[]> {
    return cameFromNode(request) ? [] : this.#owners.others();
  }

  /**
   * Gets something of another node. The caller's token goes with it.
   * @param path with its query
   * @returns the answer as it comes, whatever its status; its body is read or cancelled by the caller
   * @throws GatewayError `node_unreachable`
   */
  async get(
    { nodeId, name, url }: PeerNode,
    path: string,
    { headers }: { headers: object },
    signal: AbortSignal,
  ): Promise<Response> {
    const own = CALLERS_OWN.flatMap((header) => {
      const value: unknown = Reflect.get(headers, header);
      return value === undefined ? [] : [[header, String(value)] as const];
    });
    const hop = this.#hops.sign(this.#owners.self.nodeId, { method: 'GET', path, to: nodeId });
    try {
      return await fetch(`${url}${path}`, {
        headers: { ...Object.fromEntries(own), [HOP_HEADER]: hop },
        redirect: 'manual',
        signal,
      });
    } catch (cause) {
      throw new GatewayError('node_unreachable', `node ${name} cannot be reached`, { cause });
    }
  }
}
