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

/**
 * Proof that a request comes from a node of the same cluster: an HMAC under a key that all nodes derive from the encryption
 * key that they share. It names the receiving node, so that it is worth nothing at another one or after a restart. It grants
 * nothing but that the request is answered here or not at all; who calls is still proven by the caller's own token.
 */
export class Hops {
  readonly #key: Buffer;

  /** @param encryptionKey 32 bytes, the same on all nodes */
  constructor(encryptionKey: Uint8Array) {
    this.#key = Buffer.from(hkdfSync('sha256', encryptionKey, '', 'switchboard hop', 32));
  }

  /** The header's value. */
  sign(from: string, hop: Hop): string {
    return `${from} ${this.#proof(from, hop).toString('base64url')}`;
  }

  /** The nodeId of the node that a request comes from; undefined when no node has sent it. */
  verify(header: string, hop: Hop): string | undefined {
    const [from = '', proof = ''] = header.split(' ');
    const given = Buffer.from(proof, 'base64url');
    const expected = this.#proof(from, hop);
    return given.length === expected.length && timingSafeEqual(given, expected) ? from : undefined;
  }

  #proof(from: string, { method, path, to }: Hop): Buffer {
    return createHmac('sha256', this.#key)
      .update(JSON.stringify([from, to, method, path]))
      .digest();
  }
}
