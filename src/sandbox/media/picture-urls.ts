import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Clock } from '../../domain/clock.js';

/** Pictures have a host of their own. */
const ORIGIN = 'https://pps.whatsapp.net';
const FOLDER = '/v/pictures';
const TTL_S = 10 * 24 * 60 * 60;
const HEX = 16;

/** Addresses of pictures that nobody can make up and that expire, as the real network's. */
export class PictureUrls {
  readonly #key: Buffer;
  readonly #clock: Clock;

  constructor(key: Buffer, clock: Clock) {
    this.#key = key;
    this.#clock = clock;
  }

  /** The address of a file, good for ten days. @param sha256 of the file, hex */
  sign(sha256: string): URL {
    const expiry = (Math.floor(this.#clock.now() / 1_000) + TTL_S).toString(HEX);
    const url = new URL(`${FOLDER}/${sha256}.jpg`, ORIGIN);
    url.searchParams.set('oh', this.#mac(sha256, expiry));
    url.searchParams.set('oe', expiry);
    return url;
  }

  /** False when it was not signed here, or is too old. */
  isGood(sha256: string, { oh, oe }: { oh: string; oe: string }): boolean {
    const [given, expected] = [Buffer.from(oh), Buffer.from(this.#mac(sha256, oe))];
    if (given.length !== expected.length || !timingSafeEqual(given, expected)) return false;
    return Number.parseInt(oe, HEX) * 1_000 > this.#clock.now();
  }

  #mac(sha256: string, expiry: string): string {
    return createHmac('sha256', this.#key).update(`${sha256} ${expiry}`).digest('base64url');
  }
}
