import { createHmac, hkdfSync, randomBytes, timingSafeEqual } from 'node:crypto';
import { boundedCache } from '../../domain/bounded-cache.js';
import type { Clock } from '../../domain/clock.js';
import { type JsonObject, parseObject } from '../../domain/json.js';
import type { NodeRecord, NodeStore } from '../store/store.js';

/** Header with the proof of a request between nodes. */
export const HOP_HEADER = 'x-switchboard-hop';

/** Milliseconds that clock difference and transport of a request may add up to. */
const TOLERANCE_MS = 60_000;
/** Number of remembered requests, so that none is accepted twice; more than a node serves within the tolerance. */
const REMEMBERED = 200_000;

/** The rights of an authenticated caller: all, or those of the sessions that its secret opens. */
export interface Rights {
  /** Absent for the master token. */
  clientIds?: readonly string[];
}

/** A request from one node to another. */
interface Hop {
  /** In upper case. */
  method: string;
  /** Path and query. */
  path: string;
}

/** A proven request. */
export interface ProvenHop {
  /** The nodeIds of the sender and the receiver. */
  from: string;
  to: string;
  /** The rights of the caller whom the sender has authenticated; undefined for a caller without a token. */
  rights: Rights | undefined;
}

/**
 * Proves that requests, and rows of the store, come from a node of the same cluster: HMACs with keys that all nodes
 * derive from the encryption key. A request's proof names the caller's rights in place of its token, so that no token
 * leaves the node that received it. The proof also names the receiver, the time and a nonce, so that only that node
 * accepts it, and only once.
 */
export class NodeAuth {
  readonly #hopKey: Buffer;
  readonly #rowKey: Buffer;
  readonly #clock: Clock;
  readonly #seen = boundedCache<true>(REMEMBERED);

  /** @param encryptionKey 32 bytes, the same on all nodes */
  constructor(encryptionKey: Uint8Array, clock: Clock) {
    const key = (info: string) => Buffer.from(hkdfSync('sha256', encryptionKey, '', info, 32));
    this.#hopKey = key('switchboard hop');
    this.#rowKey = key('switchboard node row');
    this.#clock = clock;
  }

  /** The header's value. */
  sign({ from, to, rights }: ProvenHop, { method, path }: Hop): string {
    const claim = {
      from,
      to,
      at: this.#clock.now(),
      nonce: randomBytes(12).toString('base64url'),
      rights,
    };
    const text = Buffer.from(JSON.stringify(claim)).toString('base64url');
    return `${text}.${this.#proof(text, method, path)}`;
  }

  /** The claim of a request; undefined if its proof is wrong, or if it is too old or was accepted before. */
  verify(header: string, { method, path }: Hop): ProvenHop | undefined {
    const [text = '', proof = ''] = header.split('.');
    if (!same(proof, this.#proof(text, method, path))) return undefined;
    const claim = parseObject(Buffer.from(text, 'base64url').toString());
    const { from, to, at, nonce } = claim ?? {};
    if (typeof from !== 'string' || typeof to !== 'string' || typeof at !== 'number') return undefined;
    if (typeof nonce !== 'string' || Math.abs(this.#clock.now() - at) > TOLERANCE_MS) return undefined;
    if (this.#seen.has(nonce)) return undefined;
    this.#seen.set(nonce, true);
    return { from, to, rights: rightsIn(claim) };
  }

  /**
   * Wraps a list of nodes: signs the own address, and hides nodes without a valid signature, which somebody with write
   * access to the database may have added.
   */
  proven(nodes: NodeStore): NodeStore {
    const proofOf = ({ nodeId, url }: NodeRecord) => hmac(this.#rowKey, [nodeId, url]);
    return {
      announce: (node, lapseMs) => nodes.announce({ ...node, proof: proofOf(node) }, lapseMs),
      list: async (withinMs) =>
        (await nodes.list(withinMs)).filter((node) => same(node.proof ?? '', proofOf(node))),
      drain: (nodeId, draining) => nodes.drain(nodeId, draining),
      leave: (nodeId) => nodes.leave(nodeId),
    };
  }

  #proof(text: string, method: string, path: string): string {
    return hmac(this.#hopKey, [text, method, path]);
  }
}

function hmac(key: Buffer, parts: readonly string[]): string {
  return createHmac('sha256', key).update(JSON.stringify(parts)).digest('base64url');
}

function same(given: string, expected: string): boolean {
  const [one, other] = [Buffer.from(given), Buffer.from(expected)];
  return one.length === other.length && timingSafeEqual(one, other);
}

function rightsIn({ rights }: JsonObject = {}): Rights | undefined {
  if (typeof rights !== 'object' || rights === null) return undefined;
  if (!('clientIds' in rights)) return {};
  const { clientIds } = rights;
  // a malformed list gives no rights
  if (!Array.isArray(clientIds)) return { clientIds: [] };
  return { clientIds: clientIds.filter((clientId) => typeof clientId === 'string') };
}
