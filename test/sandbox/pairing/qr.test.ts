import { expect } from 'chai';
import { parseQr } from '../../../src/sandbox/pairing/qr.js';

const KEYS = [1, 2, 3].map((fill) => Buffer.alloc(32, fill));
const TEXT = ['2@ref', ...KEYS.map((key) => key.toString('base64')), '1'].join(',');

describe('Sandbox: pairing QR', () => {
  it('is read with its address and without', () => {
    const expected = { ref: '2@ref', noiseKey: KEYS[0], identity: KEYS[1], advSecret: KEYS[2] };
    expect(parseQr(`https://wa.me/settings/linked_devices#${TEXT}`)).to.deep.equal(expected);
    expect(parseQr(TEXT)).to.deep.equal(expected);
  });

  it('is nothing when a part is missing or no key', () => {
    expect(parseQr('')).to.equal(undefined);
    expect(parseQr('2@ref,AAAA,AAAA,AAAA,1')).to.equal(undefined);
    expect(parseQr(TEXT.split(',').slice(0, 3).join(','))).to.equal(undefined);
  });
});
