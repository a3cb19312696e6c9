import { Gauge, type Registry } from 'prom-client';
import { boundedCache } from '../../domain/bounded-cache.js';
import type { Clock } from '../../domain/clock.js';
import type { ErrorCode } from '../../domain/errors.js';
import { LIMITS } from '../../domain/limits.js';
import { DelayedAnswers } from './delayed-answers.js';

/** Milliseconds without a refusal after which the delay of a secret is reset. */
const FORGOTTEN_MS = 10_000;
/** Milliseconds by which the delay grows with each refusal. */
const STEP_MS = 20;
/** Number of secrets that are remembered. */
const MAX_SECRETS = 10_000;
/** Codes of refusals by a limit of the secret itself. */
const OWN_LIMITS: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  'too_many_requests',
  'too_many_streams',
  'too_many_uploads',
]);

/**
 * Delays refusals of a secret that keeps sending above its limits: otherwise a program that repeats each refused request
 * at once would keep the node busy.
 */
export class Refusals {
  readonly #clock: Clock;
  readonly #counts = boundedCache<{ count: number; at: number }>(MAX_SECRETS);
  readonly #delayed: DelayedAnswers;

  constructor(clock: Clock, registry: Registry) {
    this.#clock = clock;
    const delayed = new DelayedAnswers(clock, {
      ofKey: LIMITS.refusalsDelayed,
      ofNode: LIMITS.refusalsDelayedOfNode,
    });
    this.#delayed = delayed;
    new Gauge({
      name: 'switchboard_http_refusals_held',
      help: 'Refusals that wait because their secret goes on although its limits refuse it',
      registers: [registry],
      collect() {
        this.set(delayed.count);
      },
    });
  }

  /**
   * Resolves when a request may be refused.
   * @param gone aborts when the caller has gone
   */
  async refuse(secret: string, code: ErrorCode, gone: AbortSignal): Promise<void> {
    if (!OWN_LIMITS.has(code)) return;
    const now = this.#clock.now();
    const before = this.#counts.get(secret);
    const count = before && now - before.at < FORGOTTEN_MS ? before.count + 1 : 1;
    this.#counts.set(secret, { count, at: now });
    const ms = Math.min((count - LIMITS.refusalsAtOnce) * STEP_MS, LIMITS.refusalDelayMs);
    if (ms > 0) await this.#delayed.delay(secret, ms, gone);
  }
}
