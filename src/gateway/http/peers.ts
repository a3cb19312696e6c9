import type { Request } from '@hapi/hapi';
import { GatewayError } from '../../domain/errors.js';
import { type Tracing, traceHeaders } from '../../domain/tracing.js';
import { HOP_HEADER, type NodeAuth, type ProvenHop } from '../cluster/node-auth.js';
import type { Owners, PeerNode } from '../cluster/owners.js';

declare module '@hapi/hapi' {
  interface PluginsStates {
    /** The proof of a request that another node sent; set before all other handling. */
    hop?: ProvenHop;
  }
}

/** True if another node sent the request, which must not be forwarded again. */
export function cameFromNode(request: Pick<Request, 'plugins'>): boolean {
  return request.plugins.hop !== undefined;
}

/** Queries other nodes on behalf of a caller. */
export class Peers {
  readonly #owners: Owners;
  readonly #nodeAuth: NodeAuth;
  readonly #tracing: Pick<Tracing, 'current'>;

  constructor(owners: Owners, nodeAuth: NodeAuth, tracing: Pick<Tracing, 'current'>) {
    this.#owners = owners;
    this.#nodeAuth = nodeAuth;
    this.#tracing = tracing;
  }

  get self(): PeerNode {
    return this.#owners.self;
  }

  /** The nodes to query for a request: all others for a caller, none if another node asks. */
  async toAsk(request: Pick<Request, 'plugins'>): Promise<PeerNode[]> {
    return cameFromNode(request) ? [] : this.#owners.others();
  }

  /**
   * Sends a GET request to another node, with the caller's rights and without its token.
   * @param path with its query
   * @param caller the request that this is done for
   * @returns the answer, of any status; read or cancel its body
   * @throws GatewayError `node_unreachable`
   */
  async get(
    { nodeId, name, url }: PeerNode,
    path: string,
    caller: Pick<Request, 'auth'>,
    signal: AbortSignal,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<Response> {
    const ends = { from: this.#owners.self.nodeId, to: nodeId, rights: caller.auth.credentials?.user };
    const hop = this.#nodeAuth.sign(ends, { method: 'GET', path });
    try {
      return await fetch(`${url}${path}`, {
        headers: { ...headers, ...traceHeaders(this.#tracing.current()), [HOP_HEADER]: hop },
        redirect: 'manual',
        signal,
      });
    } catch (cause) {
      throw new GatewayError('node_unreachable', `node ${name} cannot be reached`, { cause });
    }
  }
}
