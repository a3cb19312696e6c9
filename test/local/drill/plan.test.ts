import { expect } from 'chai';
import { FAULT_KINDS } from '../../../src/local/drill/faults/kinds.js';
import { planFaults } from '../../../src/local/drill/plan.js';

const MINUTE_MS = 60_000;

describe('the plan of a drill', () => {
  it('is the same for the same seed, and differs for another seed', () => {
    const plan = planFaults(7, FAULT_KINDS, 20 * MINUTE_MS);
    expect(planFaults(7, FAULT_KINDS, 20 * MINUTE_MS)).to.deep.equal(plan);
    expect(planFaults(8, FAULT_KINDS, 20 * MINUTE_MS)).not.to.deep.equal(plan);
  });

  it('plays every kind before it repeats one', () => {
    const names = planFaults(3, FAULT_KINDS, 60 * MINUTE_MS).map(({ kind }) => kind);
    const first = names.slice(0, FAULT_KINDS.length);
    expect(first).to.have.members(FAULT_KINDS.map(({ name }) => name));
    expect(names).to.have.length.above(FAULT_KINDS.length);
  });

  it('begins each fault after the previous one has ended, and ends in time', () => {
    for (const seed of [1, 2, 3, 4, 5]) {
      const plan = planFaults(seed, FAULT_KINDS, 5 * MINUTE_MS);
      let free = 0;
      for (const { kind, at, forMs } of plan) {
        expect(at, kind).to.be.above(free);
        free = at + forMs;
      }
      expect(plan).to.have.length.above(0);
      expect(free).to.be.at.most(5 * MINUTE_MS);
    }
  });

  it('keeps each fault within the times of its kind', () => {
    const times = new Map(FAULT_KINDS.map(({ name, lasts }) => [name, lasts]));
    for (const { kind, forMs } of planFaults(11, FAULT_KINDS, 60 * MINUTE_MS)) {
      const [least = 0, most = 0] = times.get(kind) ?? [];
      expect(forMs / 1_000, kind).to.be.within(least, most);
    }
  });

  it('plans nothing without kinds', () => {
    expect(planFaults(1, [], MINUTE_MS)).to.deep.equal([]);
  });

  it('gives each kind its own name', () => {
    const names = FAULT_KINDS.map(({ name }) => name);
    expect(new Set(names)).to.have.lengthOf(names.length);
  });
});
