import { type Clock, callAt } from '../../../domain/clock.js';
import { pauseAfter } from '../../../domain/retry.js';
import { type ConnectContext, STABLE_AFTER_MS } from './session-context.js';

/** The planned next attempt of a session to connect; a new plan replaces the previous one. */
export class NextAttempt {
  /** Milliseconds since the epoch; 0 when none is planned. */
  at = 0;
  readonly #clock: Clock;
  #cancelTimer: () => void = () => undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** @param at milliseconds since the epoch; `begin` is called at once if that is past */
  plan(at: number, begin: () => void): void {
    this.cancel();
    this.at = at;
    this.#cancelTimer = callAt(this.#clock, at, begin);
  }

  cancel(): void {
    this.at = 0;
    this.#cancelTimer();
  }
}

/** Failed logins and lost links of a session. Only failed logins back off; a link that had been up comes back soon. */
export class Setbacks {
  /** Logins that failed since a link was up. */
  failures = 0;
  /** Links that were lost since one was stable. */
  #losses = 0;
  readonly #context: Pick<ConnectContext, 'backoff' | 'returns' | 'admission'>;

  constructor(context: Pick<ConnectContext, 'backoff' | 'returns' | 'admission'>) {
    this.#context = context;
  }

  get count(): number {
    return this.failures + this.#losses;
  }

  /** @param heldMs milliseconds for which the link was up; undefined after a failed login */
  add(heldMs: number | undefined): void {
    if (heldMs === undefined) {
      this.failures += 1;
      return;
    }
    this.failures = 0;
    this.#losses = heldMs >= STABLE_AFTER_MS ? 1 : this.#losses + 1;
  }

  forget(): void {
    this.failures = 0;
    this.#losses = 0;
  }

  /** Milliseconds before the next attempt; uses the node's budget after a lost link. */
  pauseMs(): number {
    const { backoff, returns, admission } = this.#context;
    const afterFailures = { ...backoff, endless: true as const };
    if (this.failures > 0) return pauseAfter(afterFailures, this.failures);
    const afterLosses = { ...returns, endless: true as const };
    return pauseAfter(admission.mayReturn() ? afterLosses : afterFailures, this.#losses);
  }
}
