import type { EpochMs } from './clock.js';

/**
 * The state of the network's cryptography, as opaque bytes. The link produces and reads it, the store keeps it; neither
 * knows the other.
 */

/** One key of a session's Signal state; `value` null deletes it. */
export interface KeyChange {
  /** The library's name of the key family: `session`, `pre-key`, `sender-key`, … */
  type: string;
  id: string;
  value: Uint8Array | null;
}

/**
 * A decrypted message that is not recorded and announced yet. It is committed together with the ratchet step that decrypted
 * it, so that a crash cannot lose the content.
 */
export interface JournalEntry {
  /** Hex SHA-256 of the ciphertext: the same for a redelivery of the same stanza. */
  id: string;
  /** The network's message id. */
  messageId: string;
  /** The padded plaintext. */
  plain: Uint8Array;
  /** The encoded stanza that carried it; empty if unknown. */
  stanza: Uint8Array;
  receivedAt: EpochMs;
  /** When the message was recorded and announced; undefined while the entry is open. */
  closedAt?: number;
}

/** The writes of one step of the link, committed all or nothing. */
export interface KeyCommit {
  credentials?: Uint8Array;
  keys?: readonly KeyChange[];
  journal?: readonly JournalEntry[];
}
