import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';

const SALT_BYTES = 16;
/** Length of the mark by which a secret's hash is found; long enough that two secrets hardly ever share one. */
const MARK_BYTES = 6;

/** The part of a hash that is the same for the same secret. */
export function markOf(hash: string): string {
  return hash.split(':', 1).join();
}

/**
 * Per-session API secrets at rest: `<mark>:<salt>:<HMAC-SHA-256>`, keyed with a random key of the store that only the
 * encryption key opens, so that a stolen database alone does not even allow guessing. A slow hash would cost its time on
 * every request. The mark is a short keyed hash without the salt: it selects the one hash, among thousands, that is
 * compared.
 */
export class ApiSecretHasher {
  readonly #key: Uint8Array;

  /** @param key 32 bytes that stay the same for as long as the hashes are kept */
  constructor(key: Uint8Array) {
    this.#key = key;
  }

  hash(secret: string): string {
    const salt = randomBytes(SALT_BYTES).toString('base64url');
    return [this.#mark(secret), salt, this.#digest(salt, secret).toString('base64url')].join(':');
  }

  /**
   * Compares a hash with that of the secret, in a time that reveals nothing about the secret: marks and digests are
   * keyed, so a caller cannot choose them.
   */
  matcher(secret: string): (hash: string) => boolean {
    const mark = `${this.#mark(secret)}:`;
    return (hash) => {
      if (!hash.startsWith(mark)) return false;
      const [salt, digest] = hash.slice(mark.length).split(':');
      if (!salt || !digest) return false;
      const expected = Buffer.from(digest, 'base64url');
      const given = this.#digest(salt, secret);
      return expected.length === given.length && timingSafeEqual(expected, given);
    };
  }

  #mark(secret: string): string {
    return this.#hmac(`mark\0${secret}`).subarray(0, MARK_BYTES).toString('base64url');
  }

  #digest(salt: string, secret: string): Buffer {
    return this.#hmac(`hash\0${salt}\0${secret}`);
  }

  #hmac(text: string): Buffer {
    return createHmac('sha256', this.#key).update(text).digest();
  }
}
