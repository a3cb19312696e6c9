import { expect } from 'chai';
import { GatewayError, isGatewayError } from '../../src/domain/errors.js';
import { StoreSteps } from '../../src/services/store-steps.js';
import { ManualClock } from '../support/manual-clock.js';

const FIRST_LOOK_MS = 250;

describe('steps that must reach the store', () => {
  let clock: ManualClock;
  let away: boolean;
  let looks: number;
  let steps: StoreSteps;
  beforeEach(() => {
    clock = new ManualClock();
    away = true;
    looks = 0;
    steps = new StoreSteps({ ping: async () => void (await reach(() => looks++)) }, clock);
  });

  async function reach<T>(work: () => T): Promise<T> {
    const result = work();
    if (away) throw new GatewayError('store_unavailable', 'away');
    return result;
  }

  it('wait while it is away, with one look for all of them, less and less often', async () => {
    const done = Promise.all([1, 2, 3].map((n) => steps.run(() => reach(() => n))));
    for (const pause of [FIRST_LOOK_MS, 2 * FIRST_LOOK_MS, 4 * FIRST_LOOK_MS]) {
      await clock.scheduled(pause);
      expect(clock.pending()).to.deep.equal([pause]);
      clock.advance(pause);
    }
    await clock.scheduled(8 * FIRST_LOOK_MS);
    expect(looks).to.equal(3);
    away = false;
    clock.advance(8 * FIRST_LOOK_MS);
    expect(await done).to.deep.equal([1, 2, 3]);
  });

  it('fail at once for any other reason', async () => {
    const failure = await steps.run(() => Promise.reject(new Error('broken'))).catch((error: Error) => error);
    expect(failure).to.include({ message: 'broken' });
    expect(clock.pending()).to.deep.equal([]);
  });

  it('wait for nothing after the stop', async () => {
    const waiting = steps.run(() => reach(() => 1)).catch((error: unknown) => error);
    await clock.scheduled(FIRST_LOOK_MS);
    steps.stop();
    expect(isGatewayError(await waiting, 'store_unavailable')).to.equal(true);
    const later = await steps.run(() => reach(() => 1)).catch((error: unknown) => error);
    expect(isGatewayError(later, 'store_unavailable')).to.equal(true);
    expect(clock.pending()).to.deep.equal([]);
  });

  it('give up on a step that fails although the store answers', async () => {
    let attempts = 0;
    const failing = steps
      .run(() => {
        attempts += 1;
        away = true;
        return reach(() => 1);
      })
      .catch((error: unknown) => error);
    for (let repetition = 0; repetition < 10; repetition++) {
      await clock.scheduled(FIRST_LOOK_MS);
      away = false;
      clock.advance(FIRST_LOOK_MS);
    }
    expect(isGatewayError(await failing, 'store_unavailable')).to.equal(true);
    expect(attempts).to.equal(11);
  });
});
