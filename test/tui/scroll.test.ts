import { expect } from 'chai';
import { type Block, type Bottom, centred, revealed, scrolled, seen } from '../../src/tui/inbox/scroll.js';

/** Messages `m0`, `m1` … of so many rows each. */
function blocksOf(...rows: number[]): Block[] {
  let start = 0;
  return rows.map((count, place) => {
    const block = { messageId: `m${place}`, rows: count, start };
    start += count;
    return block;
  });
}

describe('scrolling a conversation', () => {
  const blocks = blocksOf(2, 3, 1, 4);

  it('shows the newest, or all when there is room', () => {
    expect(seen(blocks, undefined, 6)).to.deep.equal({ first: 4, end: 10 });
    expect(seen(blocks, undefined, 50)).to.deep.equal({ first: 0, end: 10 });
  });

  it('scrolls by rows, to the beginning and back to the newest', () => {
    const up = scrolled(blocks, undefined, 6, 3);
    expect(seen(blocks, up, 6)).to.deep.equal({ first: 1, end: 7 });
    const top = scrolled(blocks, up, 6, 100);
    expect(seen(blocks, top, 6)).to.deep.equal({ first: 0, end: 6 });
    expect(scrolled(blocks, top, 6, -100)).to.equal(undefined);
  });

  it('stays where it is when messages come', () => {
    const bottom: Bottom | undefined = scrolled(blocks, undefined, 6, 4);
    const newer = blocksOf(2, 3, 1, 4, 7);
    expect(seen(newer, bottom, 6)).to.deep.equal(seen(blocks, bottom, 6));
  });

  it('scrolls as little as it takes to see a message', () => {
    expect(seen(blocks, revealed(blocks, undefined, 6, 'm1'), 6)).to.deep.equal({ first: 2, end: 8 });
    const top = scrolled(blocks, undefined, 6, 100);
    expect(seen(blocks, revealed(blocks, top, 6, 'm3'), 6)).to.deep.equal({ first: 4, end: 10 });
    expect(revealed(blocks, top, 6, 'm0')).to.equal(top);
  });

  it('puts a message that was looked for amid others', () => {
    const many = blocksOf(...Array.from({ length: 50 }, () => 1));
    expect(seen(many, centred(many, undefined, 7, 'm20'), 7)).to.deep.equal({ first: 17, end: 24 });
    expect(seen(many, centred(many, undefined, 7, 'm0'), 7)).to.deep.equal({ first: 0, end: 7 });
    expect(centred(many, undefined, 7, 'm48')).to.equal(undefined);
  });

  it('shows the end of a message that is larger than the screen', () => {
    const large = blocksOf(2, 20, 2);
    expect(seen(large, revealed(large, undefined, 6, 'm1'), 6)).to.deep.equal({ first: 16, end: 22 });
  });

  it('falls back to the newest when its message is gone', () => {
    expect(seen(blocks, { messageId: 'gone', row: 0 }, 6)).to.deep.equal({ first: 4, end: 10 });
  });
});
