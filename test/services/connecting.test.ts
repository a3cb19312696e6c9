import { expect } from 'chai';
import { Admission } from '../../src/services/sessions/admission.js';
import { backoffDelay, longestDelay } from '../../src/services/sessions/backoff.js';

describe('connecting', () => {
  const options = { baseMs: 1_000, capMs: 60_000, random: () => 0.5 };

  it('waits twice as long after each failure, up to a cap', () => {
    const delays = [1, 2, 3, 4, 5, 6, 7, 8, 50].map((failures) => backoffDelay(failures, options));
    expect(delays).to.deep.equal([1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000, 60_000]);
    expect(longestDelay(options)).to.equal(60_000);
  });

  it('spreads the delays by a quarter, so that many sessions never move as one', () => {
    expect(backoffDelay(1, { ...options, random: () => 0 })).to.equal(750);
    expect(backoffDelay(1, { ...options, random: () => 1 })).to.equal(1_250);
  });

  it('lets only a few links be on their way up, and those that people wait for first', async () => {
    const admission = new Admission();
    const order: string[] = [];
    const leave: (() => void)[] = [];
    let most = 0;
    const enter = (name: string, urgent: boolean) =>
      admission.enter(
        () =>
          new Promise((resolve) => {
            order.push(name);
            leave.push(resolve);
            most = Math.max(most, leave.length);
          }),
        { urgent },
      );
    for (let index = 0; index < 20; index++) enter(`back ${index}`, false);
    enter('asked for', true);
    while (order.length < 21) {
      await Promise.resolve();
      if (leave.length === 8) for (const done of leave.splice(0)) done();
      if (order.length >= 16) for (const done of leave.splice(0)) done();
    }
    expect(most).to.equal(8);
    expect(order.indexOf('asked for')).to.be.lessThan(9);
  });
});
