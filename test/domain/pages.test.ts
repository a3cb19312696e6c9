import { expect } from 'chai';
import { pages } from '../../src/domain/pages.js';

describe('pages', () => {
  for (const { entries, expected } of [
    { entries: [], expected: [[]] },
    { entries: [1, 2, 3], expected: [[1, 2], [3]] },
    { entries: [0, 1, 2, 3], expected: [[0, 1], [2, 3], []] },
  ]) {
    it(`reads ${entries.length} entries until a page is not full`, async () => {
      const read = async (after?: number) =>
        entries.slice(after === undefined ? 0 : entries.indexOf(after) + 1).slice(0, 2);
      const found = [];
      for await (const page of pages(2, read)) found.push(page);
      expect(found).to.deep.equal(expected);
    });
  }
});
