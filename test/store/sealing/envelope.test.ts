import { createSecretKey } from 'node:crypto';
import { expect } from 'chai';
import { seal, unseal } from '../../../src/store/sealing/envelope.js';
import { bytes, text } from '../../contracts/store/harness.js';

const KEY = createSecretKey(new Uint8Array(32).fill(1));
const PLACE = ['acme', 'keys', 'session', '1.0'];

describe('sealed values', () => {
  it('open to what was sealed, also nothing at all', () => {
    for (const plain of ['', 'x', 'long '.repeat(10_000)]) {
      expect(text(unseal(KEY, PLACE, seal(KEY, PLACE, bytes(plain))))).to.equal(plain);
    }
  });

  it('never look the same twice', () => {
    const seen = new Set(Array.from({ length: 50 }, () => seal(KEY, PLACE, bytes('x')).toString('hex')));
    expect(seen.size).to.equal(50);
  });

  it('do not open under another key or at another place', () => {
    const sealed = seal(KEY, PLACE, bytes('x'));
    const otherKey = createSecretKey(new Uint8Array(32).fill(2));
    expect(() => unseal(otherKey, PLACE, sealed)).to.throw();
    const elsewhere = [
      ['other', 'keys', 'session', '1.0'],
      ['acme', 'keys', 'session', '1.1'],
      ['acme', 'keys', 'session,1.0'],
      ['acme', 'keys', 'session1', '.0'],
    ];
    for (const place of elsewhere) expect(() => unseal(KEY, place, sealed), place.join('/')).to.throw();
  });

  it('do not open when any byte was changed or is missing', () => {
    const sealed = seal(KEY, PLACE, bytes('secret'));
    for (let position = 0; position < sealed.length; position += 1) {
      const changed = Buffer.from(sealed);
      changed[position] = (changed[position] ?? 0) ^ 1;
      expect(() => unseal(KEY, PLACE, changed), `byte ${position}`).to.throw();
      expect(() => unseal(KEY, PLACE, sealed.subarray(0, position)), `first ${position}`).to.throw();
    }
  });
});
