import { expect } from 'chai';
import { ApiSecretHasher } from '../../../../src/gateway/services/sessions/api-secret.js';

const SECRET = 'secret of acme';
/** Of the secret, as an earlier release stored it. */
const STORED = 'vd33BI15:WLbdcuc6LHwe8l-hlhaVpA:VnuoGEQk-chKGdWLUtOzstqAL1sRbbLtoUU2tV1eL9o';
const [MARK = '', SALT = '', DIGEST = ''] = STORED.split(':');

describe('ApiSecretHasher', () => {
  const hasher = new ApiSecretHasher(new Uint8Array(32).fill(7));

  it('accepts a secret whose hash an earlier release stored', () => {
    expect(hasher.matcher(SECRET)(STORED)).to.equal(true);
  });

  it('gives each hash a salt of its own, and accepts all of them', () => {
    const hashes = [hasher.hash(SECRET), hasher.hash(SECRET), hasher.hash(SECRET)];
    expect(new Set(hashes.map((hash) => hash.split(':')[1])).size).to.equal(3);
    expect(hashes.map(hasher.matcher(SECRET))).to.deep.equal([true, true, true]);
  });

  const refused: [what: string, hash: string][] = [
    ['that is empty', ''],
    ['of another secret', hasher.hash('secret of another')],
    ['made with another key', new ApiSecretHasher(new Uint8Array(32).fill(8)).hash(SECRET)],
    ['with the digest of another secret', `${MARK}:${SALT}:${hasher.hash('another').split(':')[2]}`],
    ['with another mark', `AAAAAAAA:${SALT}:${DIGEST}`],
    ['with another salt', `${MARK}:AAAAAAAAAAAAAAAAAAAAAA:${DIGEST}`],
    ['whose digest is cut', `${MARK}:${SALT}:${DIGEST.slice(0, 20)}`],
    ['without a digest', `${MARK}:${SALT}:`],
    ['without a salt', `${MARK}::${DIGEST}`],
    ['of a mark alone', `${MARK}:`],
  ];
  for (const [what, hash] of refused) {
    it(`refuses a hash ${what}`, () => {
      expect(hasher.matcher(SECRET)(hash)).to.equal(false);
    });
  }
});
