import { expect } from 'chai';
import { MultiMap } from '../../src/domain/multi-map.js';

describe('a map with several values for each key', () => {
  it('keeps the values of a key in their order, until they are removed', () => {
    const map = new MultiMap<number>();
    map.add('a', 2);
    map.add('a', 1);
    map.add('b', 3);
    map.add('a', 2);
    expect(map.of('a')).to.deep.equal([2, 1]);
    expect(map.count('a')).to.equal(2);
    expect(map.all()).to.deep.equal([2, 1, 3]);
    map.delete('a', 2);
    map.delete('a', 1);
    map.delete('a', 1);
    expect(map.of('a')).to.deep.equal([]);
    expect(map.count('a')).to.equal(0);
    expect(map.count('c')).to.equal(0);
    expect(map.all()).to.deep.equal([3]);
  });
});
