import { expect } from 'chai';
import {
  type HeldEnd,
  type HeldInput,
  type HeldState,
  isHeldEnd,
  nextHeldState,
} from '../../src/domain/held-send.js';

const STATES: HeldState[] = ['storing', 'waiting', 'judging', 'leaving', 'cancelling'];
const INPUTS: HeldInput[] = [
  'stored',
  'not_stored',
  'judge',
  'allowed',
  'put_back',
  'acknowledged',
  'give_up',
  'cancel',
  'withdraw',
];

describe('the life of a held message', () => {
  const walk = (...inputs: HeldInput[]) => {
    let state: HeldState | HeldEnd = 'storing';
    for (const input of inputs) {
      if (isHeldEnd(state)) return `${state} before ${input}`;
      state = nextHeldState(state, input);
    }
    return state;
  };

  it('leads from its request over a judgement to the network', () => {
    expect(walk('stored', 'judge', 'allowed', 'acknowledged')).to.equal('sent');
  });

  it('waits on after a refusal and after a failed attempt', () => {
    expect(walk('stored', 'judge', 'put_back', 'judge', 'allowed', 'put_back')).to.equal('waiting');
  });

  it('can be given up in every state, and cancelled only while it waits', () => {
    const takes = (input: HeldInput) =>
      STATES.filter((state) => {
        try {
          nextHeldState(state, input);
          return true;
        } catch {
          return false;
        }
      });
    expect(takes('give_up')).to.deep.equal(STATES);
    expect(takes('cancel')).to.deep.equal(['waiting']);
    // a copy that is being judged or sent may leave
    expect(takes('withdraw')).to.deep.equal(['storing', 'waiting', 'cancelling']);
  });

  it('ends only in an end, and refuses what cannot come', () => {
    for (const state of STATES) {
      for (const input of INPUTS) {
        try {
          const next = nextHeldState(state, input);
          expect(isHeldEnd(next)).to.equal(!STATES.some((one) => one === next));
        } catch (error) {
          expect(error).to.be.instanceOf(TypeError);
        }
      }
    }
    expect(() => nextHeldState('leaving', 'cancel')).to.throw('cannot be cancel while it is leaving');
  });
});
