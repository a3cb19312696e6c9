/** What a linked-devices QR says. */
export interface PairingQr {
  ref: string;
  /** The device's static Noise key, 32 bytes. */
  noiseKey: Buffer;
  /** The device's Signal identity key, 32 bytes. */
  identity: Buffer;
  /** Secret that authenticates the phone's answer, 32 bytes. */
  advSecret: Buffer;
}

const KEY_BYTES = 32;

/** Reads the text inside a QR, with or without its URL; undefined when it is no pairing QR. */
export function parseQr(text: string): PairingQr | undefined {
  const [ref, noiseKey, identity, advSecret] = text
    .slice(text.indexOf('#') + 1)
    .trim()
    .split(',');
  if (!ref || !noiseKey || !identity || !advSecret) return undefined;
  const keys = {
    noiseKey: Buffer.from(noiseKey, 'base64'),
    identity: Buffer.from(identity, 'base64'),
    advSecret: Buffer.from(advSecret, 'base64'),
  };
  const isWhole = Object.values(keys).every((key) => key.length === KEY_BYTES);
  return isWhole ? { ref, ...keys } : undefined;
}
