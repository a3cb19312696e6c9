import { expect } from 'chai';
import { Coalesced } from '../../../src/cli/inbox/coalesced.js';
import { ManualClock } from '../../support/manual-clock.js';

/** A load that a test ends. */
interface Load {
  end(): void;
  fail(): void;
}

describe('loads that are asked for too often', () => {
  let clock: ManualClock;
  let end: AbortController;
  let loads: Load[];
  let begun: () => void;
  let worthTrying: boolean;
  let loading: Coalesced;

  beforeEach(() => {
    clock = new ManualClock();
    end = new AbortController();
    loads = [];
    begun = () => undefined;
    worthTrying = true;
    loading = new Coalesced({
      load: () =>
        new Promise<void>((resolve, reject) => {
          loads.push({ end: resolve, fail: () => reject(new Error('it failed')) });
          begun();
        }),
      failed: () => worthTrying,
      clock,
      signal: end.signal,
    });
  });
  afterEach(() => end.abort());

  /** Resolves when that many have begun. */
  const load = async (count: number): Promise<Load> => {
    while (loads.length < count) {
      await new Promise<void>((resolve) => {
        begun = resolve;
      });
    }
    const last = loads[count - 1];
    if (!last) throw new Error('it has begun');
    return last;
  };

  it('run one at a time, and once more for all who asked meanwhile', async () => {
    const first = loading.request();
    const others = Promise.all(Array.from({ length: 1_000 }, () => loading.request()));
    expect(loads).to.have.lengthOf(1);
    clock.advance(200);
    (await load(1)).end();
    await first;
    // three times as long as it took
    await clock.scheduled(600);
    expect(loads).to.have.lengthOf(1);
    clock.advance(600);
    (await load(2)).end();
    await others;
    expect(loads).to.have.lengthOf(2);
  });

  it('need not wait for the pause when somebody waits', async () => {
    const first = loading.request();
    (await load(1)).end();
    await first;
    await clock.scheduled(100);
    loading.hurry();
    const second = loading.request();
    (await load(2)).end();
    await second;
  });

  it('are tried again after longer and longer pauses, until they succeed', async () => {
    void loading.request();
    for (const [count, pause] of [
      [1, 1_000],
      [2, 2_000],
      [3, 4_000],
    ] as const) {
      (await load(count)).fail();
      await clock.scheduled(pause);
      clock.advance(pause);
    }
    (await load(4)).end();
    await clock.scheduled(100);
    clock.advance(60_000);
    expect(loads).to.have.lengthOf(4);
  });

  it('end with a failure that trying again cannot mend', async () => {
    worthTrying = false;
    const asked = loading.request();
    (await load(1)).fail();
    await asked;
    await clock.scheduled(100);
    clock.advance(60_000);
    expect(loads).to.have.lengthOf(1);
  });

  it('leave nobody waiting when all is over', async () => {
    const asked = [loading.request(), loading.request()];
    (await load(1)).end();
    end.abort();
    await Promise.all(asked);
    await loading.request();
    expect(loads).to.have.lengthOf(1);
  });
});
