import { expect } from 'chai';
import { GatewayError, isGatewayError } from '../../../src/domain/errors.js';
import { Interrupted, StoreRetry } from '../../../src/gateway/services/store-retry.js';
import { ManualClock } from '../../support/manual-clock.js';

const FIRST_PAUSE_MS = 250;

describe('StoreRetry', () => {
  let clock: ManualClock;
  let away: boolean;
  let pings: number;
  let retry: StoreRetry;
  beforeEach(() => {
    clock = new ManualClock();
    away = true;
    pings = 0;
    retry = new StoreRetry({ ping: async () => void (await reach(() => pings++)) }, clock);
  });

  async function reach<T>(work: () => T): Promise<T> {
    const result = work();
    if (away) throw new GatewayError('store_unavailable', 'away');
    return result;
  }

  it('repeats steps while the store is unavailable, with one ping for all of them and growing pauses', async () => {
    const done = Promise.all([1, 2, 3].map((n) => retry.run(() => reach(() => n))));
    for (const pause of [FIRST_PAUSE_MS, 2 * FIRST_PAUSE_MS, 4 * FIRST_PAUSE_MS]) {
      await clock.scheduled(pause);
      expect(clock.pending()).to.deep.equal([pause]);
      clock.advance(pause);
    }
    await clock.scheduled(8 * FIRST_PAUSE_MS);
    expect(pings).to.equal(3);
    away = false;
    clock.advance(8 * FIRST_PAUSE_MS);
    expect(await done).to.deep.equal([1, 2, 3]);
  });

  it('fails at once for any other reason', async () => {
    const failure = await retry.run(() => Promise.reject(new Error('broken'))).catch((error: Error) => error);
    expect(failure).to.include({ message: 'broken' });
    expect(clock.pending()).to.deep.equal([]);
  });

  it('ends all waits at the stop', async () => {
    const waiting = retry.run(() => reach(() => 1)).catch((error: unknown) => error);
    await clock.scheduled(FIRST_PAUSE_MS);
    retry.stop();
    expect(isGatewayError(await waiting, 'store_unavailable')).to.equal(true);
    let attempts = 0;
    const later = await retry.run(() => reach(() => attempts++)).catch((error: unknown) => error);
    expect(isGatewayError(later, 'store_unavailable')).to.equal(true);
    expect([retry.stopped, attempts]).to.deep.equal([true, 1]);
    expect(clock.pending()).to.deep.equal([]);
  });

  it('fails a step that fails although the store answers', async () => {
    let attempts = 0;
    const failing = retry
      .run(() => {
        attempts += 1;
        away = true;
        return reach(() => 1);
      })
      .catch((error: unknown) => error);
    for (let repetition = 0; repetition < 10; repetition++) {
      await clock.scheduled(FIRST_PAUSE_MS);
      away = false;
      clock.advance(FIRST_PAUSE_MS);
    }
    expect(isGatewayError(await failing, 'store_unavailable')).to.equal(true);
    expect(attempts).to.equal(11);
  });

  it('interrupts a step whose signal is aborted during the outage, and does not run it again', async () => {
    const abandonment = new AbortController();
    let attempts = 0;
    const step = () => {
      attempts += 1;
      return reach(() => 1);
    };
    const waiting = retry.run(step, abandonment.signal).catch((error: unknown) => error);
    await clock.scheduled(FIRST_PAUSE_MS);
    abandonment.abort();
    away = false;
    clock.advance(FIRST_PAUSE_MS);
    expect(await waiting).to.be.instanceOf(Interrupted);
    expect(attempts).to.equal(1);
  });
});
