import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto';

/** Names the node that a request comes from, and proves it. */
export const HOP_HEADER = 'x-switchboard-hop';

/** A request from one node to another. */
export interface Hop {
  /** In upper case. */
  method: string;
  /** Path and query. */
  path: string;
  /** The nodeId of the node that it goes to. */
  to: string;
}

/** The two nodes of a request, by their nodeIds. */
export interface Ends {
  from: string;
  to: string;
}

/**
 * Proof that a request comes from a node of the same cluster: an HMAC under a key that all nodes derive from the encryption
 * key that they share. It names the receiving node, so that one that it was not meant for knows, be it after a restart. It
 * grants nothing but that the request is answered here or not at all; who calls is still proven by the caller's own token.
 */
export class Hops {
  readonly #key: Buffer;

  /** @param encryptionKey 32 bytes, the same on all nodes */
  constructor(encryptionKey: Uint8Array) {
    this.#key = Buffer.from(hkdfSync('sha256', encryptionKey, '', 'switchboard hop', 32));
  }

  /** The header's value. */
  sign(from: string, hop: Hop): string {
    return `${from} ${hop.to} ${this.#proof(from, hop).toString('base64url')}`;
  }

  /** Between which nodes a request goes; undefined when no node has sent it. */
  verify(header: string, { method, path }: Omit<Hop, 'to'>): Ends | undefined {
    const [from = '', to = '', proof = ''] = header.split(' ');
    const given = Buffer.from(proof, 'base64url');
    const expected = this.#proof(from, { method, path, to });
    return given.length === expected.length && timingSafeEqual(given, expected) ? { from, to } : undefined;
  }

  #proof(from: string, { method, path, to }: Hop): Buffer {
    return createHmac('sha256', this.#key)
      .update(JSON.stringify([from, to, method, path]))
      .digest();
  }
}
