import { Gauge, type Registry } from 'prom-client';
import { boundedCache } from '../../domain/bounded-cache.js';
import type { Clock } from '../../domain/clock.js';
import { networkOf } from '../../domain/connection-limit.js';
import { GatewayError } from '../../domain/errors.js';
import { LIMITS } from '../../domain/limits.js';
import { DelayedAnswers } from './delayed-answers.js';

/** Milliseconds for which a wrong token counts. */
const WINDOW_MS = 60_000;
/** Addresses that are remembered. */
const MAX_ADDRESSES = 10_000;

/**
 * Slows down callers that send wrong tokens, by address. Right tokens are never delayed and no address is locked out, because
 * behind a proxy all callers share one address.
 */
export class WrongTokens {
  readonly #clock: Clock;
  readonly #counts = boundedCache<{ since: number; count: number }>(MAX_ADDRESSES);
  readonly #delayed: DelayedAnswers;

  constructor(clock: Clock, registry: Registry) {
    this.#clock = clock;
    const limits = { ofKey: LIMITS.wrongTokensDelayed, ofNode: LIMITS.wrongTokensDelayedOfNode };
    const delayed = new DelayedAnswers(clock, limits);
    this.#delayed = delayed;
    new Gauge({
      name: 'switchboard_http_wrong_tokens_held',
      help: 'Answers to wrong tokens that wait because their address sent many',
      registers: [registry],
      collect() {
        this.set(delayed.count);
      },
    });
  }

  /**
   * Resolves when the wrong token may be refused.
   * @param gone aborts when the caller has gone
   * @throws GatewayError too_many_attempts when too many answers are delayed
   */
  async refuse(address: string, gone: AbortSignal): Promise<void> {
    const key = networkOf(address);
    if (this.#count(key) <= LIMITS.wrongTokensAtOnce) return;
    if (!(await this.#delayed.delay(key, LIMITS.wrongTokenDelayMs, gone))) throw tooMany();
  }

  /** Counts a wrong token. @returns how many there were within the window */
  #count(key: string): number {
    const now = this.#clock.now();
    const { since, count } = this.#counts.get(key) ?? { since: now, count: 0 };
    const next = now - since < WINDOW_MS ? { since, count: count + 1 } : { since: now, count: 1 };
    this.#counts.set(key, next);
    return next.count;
  }
}

function tooMany(): GatewayError {
  return new GatewayError(
    'too_many_attempts',
    'too many wrong tokens came from this address; check the token',
  );
}
