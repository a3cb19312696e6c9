import { expect } from 'chai';
import { ERRORS, passes, type TailFilter } from '../../src/cli/tail-filter.js';
import type { TailEntry } from '../../src/delivery/tail.js';
import { AT, attempt, statusEvent, textEvent } from './support/entries.js';

const DROPPED: TailEntry = {
  kind: 'dropped',
  at: AT,
  clientId: 'acme',
  deliveryId: '01ARZ',
  type: 'text',
  reason: 'answered 410',
};
const ENTRIES: Readonly<Record<string, TailEntry>> = {
  text: textEvent(),
  status: statusEvent('connected', 'reconnecting'),
  delivered: attempt(),
  failed: attempt({ outcome: 'failed', status: 500 }),
  rejected: attempt({ outcome: 'rejected', status: 410, type: 'image' }),
  dropped: DROPPED,
};

describe('the filter of the tail', () => {
  const shown = (filter: TailFilter) =>
    Object.entries(ENTRIES).flatMap(([name, entry]) => (passes(entry, filter) ? [name] : []));

  it('lets everything through when nothing is asked for', () => {
    expect(shown({})).to.deep.equal(Object.keys(ENTRIES));
    expect(shown({ types: [], outcomes: [] })).to.deep.equal(Object.keys(ENTRIES));
  });

  it('goes by the type of events, attempts and drops', () => {
    expect(shown({ types: ['image', 'session_status'] })).to.deep.equal(['status', 'rejected']);
  });

  it('goes by outcome, which no event has', () => {
    expect(shown({ outcomes: ['delivered'] })).to.deep.equal(['delivered']);
    expect(shown({ outcomes: ERRORS })).to.deep.equal(['failed', 'rejected', 'dropped']);
    expect(shown({ outcomes: ERRORS, types: ['text'] })).to.deep.equal(['failed', 'dropped']);
  });

  it('is not broken by an entry of a kind that it does not know', () => {
    const unknown: TailEntry = JSON.parse('{"kind":"novelty","at":"","clientId":"acme"}');
    expect(passes(unknown, {})).to.equal(true);
    expect(passes(unknown, { types: ['text'] })).to.equal(false);
    expect(passes(unknown, { outcomes: ERRORS })).to.equal(false);
  });
});
