/** The faults of the passkey ceremony. */
export const PASSKEY_FAULTS = {
  'passkey-expired': {
    description: 'The challenge of the passkey has expired when it is sent: an answer is refused with 410',
    defaultCount: 1,
  },
  'passkey-options-missing': {
    description:
      'The demand for a passkey comes without its options, and is counted; further counts answer the query for them with 404',
    defaultCount: 1,
  },
  'reject-assertion': {
    description: 'An assertion is refused with 401, though it verifies',
    defaultCount: 1,
  },
  'second-passkey-request': {
    description: 'The demand for a passkey comes twice; the second challenge counts',
    defaultCount: 1,
  },
  'short-primary-key': {
    description: "The phone's key in the passkey ceremony has 31 bytes",
    defaultCount: 1,
  },
  'short-primary-nonce': {
    description: "The phone's nonce in the passkey ceremony has 31 bytes",
    defaultCount: 1,
  },
  'unasked-continuation': {
    description: 'The phone continues the passkey ceremony before the device has begun it',
    defaultCount: 1,
  },
  'wrong-relying-party': {
    description: 'The options of the passkey name the relying party example.org',
    defaultCount: 1,
  },
  'hasty-primary': {
    description:
      'The phone continues the passkey ceremony in the same instant in which the device has proved its passkey',
    defaultCount: 1,
  },
};
