import { expect } from 'chai';
import { delayAfter, outcomeOf } from '../../src/delivery/retry.js';

describe('the retry policy', () => {
  const outcomes: [number, string][] = [
    [200, 'delivered'],
    [201, 'delivered'],
    [204, 'delivered'],
    [299, 'delivered'],
    [301, 'rejected'],
    [307, 'rejected'],
    [400, 'rejected'],
    [401, 'rejected'],
    [404, 'rejected'],
    [408, 'rejected'],
    [410, 'rejected'],
    [428, 'rejected'],
    [429, 'failed'],
    [430, 'rejected'],
    [499, 'rejected'],
    [500, 'failed'],
    [503, 'failed'],
    [599, 'failed'],
  ];
  for (const [status, outcome] of outcomes) {
    it(`takes ${status} for ${outcome}`, () => {
      expect(outcomeOf(status)).to.equal(outcome);
    });
  }

  const delays: [attempt: number, random: number, delay: number | undefined][] = [
    [1, 0, 400],
    [1, 0.5, 500],
    [1, 1, 600],
    [2, 0, 800],
    [2, 1, 1_200],
    [3, 0, 1_600],
    [3, 1, 2_400],
    [4, 0.5, undefined],
  ];
  for (const [attempt, random, delay] of delays) {
    it(`waits ${delay ?? 'no more'} after attempt ${attempt} when ${random} is drawn`, () => {
      expect(delayAfter(attempt, random)).to.equal(delay);
    });
  }
});
