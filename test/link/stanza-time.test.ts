import { expect } from 'chai';
import { stanzaTime } from '../../src/link/baileys/stanza-time.js';

const NOW = 1_790_000_000_000;

describe("a stanza's time", () => {
  const times: [unknown, number][] = [
    ['1790000001', 1_790_000_001_000],
    [1_790_000_001, 1_790_000_001_000],
    ['8640000000000', 8_640_000_000_000_000],
    ['8640000000001', NOW],
    ['99999999999999', NOW],
    ['0', NOW],
    ['-1', NOW],
    ['', NOW],
    ['soon', NOW],
    [undefined, NOW],
    [null, NOW],
  ];
  for (const [seconds, expected] of times) {
    it(`reads ${JSON.stringify(seconds)} as a date that exists`, () => {
      const at = stanzaTime(seconds, NOW);
      expect(at).to.equal(expected);
      expect(() => new Date(at).toISOString()).to.not.throw();
    });
  }
});
