import { randomInt } from 'node:crypto';
import { SeededChance } from '../../src/domain/chance.js';

const RANGE = 2 ** 32;

/** Randomness of a test. Tests put the seed into their titles, and `TEST_SEED` sets it. */
export class Chance extends SeededChance {
  constructor(seed = Number(process.env.TEST_SEED ?? randomInt(RANGE))) {
    super(seed);
  }
}
