import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';

const SALT_BYTES = 16;

/**
 * Per-session API secrets at rest: `<salt>:<HMAC-SHA-256>`, keyed with the daemon's encryption key, so that a stolen
 * database alone does not even allow guessing. A slow hash would cost its time on every request.
 */
export class ApiSecretHasher {
  readonly #key: Uint8Array;

  constructor(encryptionKey: Uint8Array) {
    this.#key = createHmac('sha256', encryptionKey).update('api-secret').digest();
  }

  hash(secret: string): string {
    const salt = randomBytes(SALT_BYTES).toString('base64url');
    return `${salt}:${this.#digest(salt, secret).toString('base64url')}`;
  }

  /** Compares in constant time; false for an empty hash. */
  matches(hash: string, secret: string): boolean {
    const [salt, digest] = hash.split(':');
    if (!salt || !digest) return false;
    const expected = Buffer.from(digest, 'base64url');
    const given = this.#digest(salt, secret);
    return expected.length === given.length && timingSafeEqual(expected, given);
  }

  #digest(salt: string, secret: string): Buffer {
    return createHmac('sha256', this.#key).update(`${salt}\0${secret}`).digest();
  }
}
