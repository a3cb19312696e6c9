import { expect } from 'chai';
import { callAt, systemClock } from '../../src/domain/clock.js';
import { VirtualClock } from '../../src/domain/virtual-clock.js';
import { ManualClock } from '../support/manual-clock.js';

const HOUR_MS = 60 * 60_000;
const DAY_MS = 24 * HOUR_MS;

describe('VirtualClock', () => {
  it('shows the time of its base until it is moved, and is ahead from then on', async () => {
    const base = new ManualClock();
    const clock = new VirtualClock(base);
    expect(clock.now()).to.equal(base.now());
    void clock.advance(DAY_MS);
    base.advance(5);
    expect(clock.now()).to.equal(base.now() + DAY_MS);
    expect(clock.aheadMs).to.equal(DAY_MS);
    expect(new VirtualClock(base, DAY_MS).now()).to.equal(clock.now());
  });

  it('fires the timers that are due when it is moved, in the order of their times, and resolves then', async () => {
    const clock = new VirtualClock();
    const calls: string[] = [];
    const start = clock.now();
    const note = (name: string) => () => void calls.push(name);
    callAt(clock, start + 3 * HOUR_MS, note('third'));
    callAt(clock, start + HOUR_MS, note('first'));
    callAt(clock, start + 2 * HOUR_MS, note('second'));
    callAt(clock, start + 2 * HOUR_MS, note('second too'));
    const later = callAt(clock, start + 30 * DAY_MS, note('later'));
    callAt(clock, start + HOUR_MS, note('cancelled'))();
    await clock.advance(DAY_MS);
    expect(calls).to.deep.equal(['first', 'second', 'second too', 'third']);
    later();
    await clock.advance(60 * DAY_MS);
    expect(calls).to.have.length(4);
  });

  it('fires a timer at its time if it is not due yet, even after a move', () => {
    const base = new ManualClock();
    const clock = new VirtualClock(base);
    const calls: number[] = [];
    callAt(clock, clock.now() + 50 * DAY_MS, () => calls.push(clock.now()));
    const due = clock.now() + 50 * DAY_MS;
    void clock.advance(10 * DAY_MS);
    base.advance(40 * DAY_MS - 1);
    expect(calls).to.deep.equal([]);
    base.advance(1);
    expect(calls).to.deep.equal([due]);
  });

  it('fires each timer once, and accepts new timers while it is moved', async () => {
    const clock = new VirtualClock();
    const calls: string[] = [];
    callAt(clock, clock.now() + HOUR_MS, () => {
      calls.push('first');
      callAt(clock, clock.now() + HOUR_MS, () => calls.push('second'));
    });
    await clock.advance(DAY_MS);
    expect(calls).to.deep.equal(['first']);
    await clock.advance(HOUR_MS);
    expect(calls).to.deep.equal(['first', 'second']);
  });

  it('measures durations without the jump of a move', async () => {
    const base = new ManualClock();
    const clock = new VirtualClock(base);
    let isOver = false;
    clock.after(HOUR_MS, () => {
      isOver = true;
    });
    void clock.advance(DAY_MS);
    base.advance(HOUR_MS - 1);
    expect(isOver).to.equal(false);
    base.advance(1);
    expect(isOver).to.equal(true);
    const before = clock.monotonic();
    await new VirtualClock().advance(DAY_MS);
    expect(clock.monotonic() - before).to.be.lessThan(HOUR_MS);
    expect(clock.monotonic()).to.be.at.most(systemClock.monotonic());
  });

  it('never moves back', async () => {
    const clock = new VirtualClock();
    for (const ms of [0, -1, Number.NaN, Number.POSITIVE_INFINITY]) {
      const refusal = await clock.advance(ms).then(
        () => undefined,
        (error: unknown) => error,
      );
      expect(refusal).to.be.instanceOf(RangeError);
    }
    expect(clock.aheadMs).to.equal(0);
  });
});
