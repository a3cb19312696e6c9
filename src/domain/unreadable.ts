/** Why a message could not be read. */
export const UNREADABLE_REASONS = [
  /** No key of this device fits. */
  'undecryptable',
  /** The message was decrypted, and its content cannot be read as a message. */
  'malformed',
  /** The network has no copy for this device. */
  'unavailable',
  /** Contents that the network gives to the phone alone. */
  'view_once',
  'bot',
  'hosted',
  /** An encryption that this device does not know. */
  'unsupported',
] as const;

export type UnreadableReason = (typeof UNREADABLE_REASONS)[number];
