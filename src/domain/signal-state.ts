/**
 * What the network's cryptography must remember, as opaque bytes. The link produces and reads it, the store keeps it;
 * neither knows the other.
 */

/** One key of a session's Signal state; `value` null deletes it. */
export interface KeyChange {
  /** The library's name of the key family: `session`, `pre-key`, `sender-key`, … */
  type: string;
  id: string;
  value: Uint8Array | null;
}

/**
 * A decrypted message that is not finished yet. It is committed together with the ratchet step that decrypted it, so
 * that the content survives whatever happens before it has been recorded and announced.
 */
export interface JournalEntry {
  /** Hex SHA-256 of the ciphertext: the same for a redelivery of the same stanza. */
  id: string;
  /** The network's message id. */
  messageId: string;
  /** The padded plaintext as the decryption returned it. */
  plain: Uint8Array;
  /** The encoded stanza that carried it; empty when it was not seen. */
  stanza: Uint8Array;
  /** Milliseconds since the epoch. */
  receivedAt: number;
  /** When the event had been recorded and announced; undefined while it is open. */
  closedAt?: number;
}

/** Everything that one step of the link writes; a store takes all of it or nothing. */
export interface KeyCommit {
  credentials?: Uint8Array;
  keys?: readonly KeyChange[];
  journal?: readonly JournalEntry[];
}
