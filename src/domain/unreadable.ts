/** Why a message could not be read. */
export const UNREADABLE_REASONS = [
  /** No key of this device fits. */
  'undecryptable',
  /** The message was decrypted, but its content is not a valid message. */
  'malformed',
  /** The network has no copy for this device. */
  'unavailable',
  /** Contents that the network gives to the phone alone. */
  'view_once',
  'bot',
  'hosted',
  /** The message uses an encryption that this device does not support. */
  'unsupported',
] as const;

export type UnreadableReason = (typeof UNREADABLE_REASONS)[number];
