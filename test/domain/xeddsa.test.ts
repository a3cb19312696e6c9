import { randomBytes } from 'node:crypto';
import { Curve } from '@whiskeysockets/baileys';
import { expect } from 'chai';
import { signXed, verifyXed } from '../../src/domain/xeddsa.js';

/** Keys of both signs of the point's other coordinate are among so many. */
const KEYS = 12;

describe('signatures with X25519 keys', () => {
  for (let at = 0; at < KEYS; at++) {
    it(`are those of the reference implementation, with key ${at + 1}`, () => {
      const { private: privateKey, public: publicKey } = Curve.generateKeyPair();
      const message = randomBytes(at * 17);
      const own = signXed(privateKey, publicKey, message);
      expect(Curve.verify(publicKey, message, own)).to.equal(true);
      const theirs = Curve.sign(privateKey, message);
      expect(verifyXed(publicKey, message, theirs)).to.equal(true);
    });
  }

  it('are refused for another message, another key, or with any byte changed', () => {
    const { private: privateKey, public: publicKey } = Curve.generateKeyPair();
    const message = Buffer.from('certificate');
    const signature = Curve.sign(privateKey, message);
    expect(verifyXed(publicKey, Buffer.from('certificates'), signature)).to.equal(false);
    expect(verifyXed(Curve.generateKeyPair().public, message, signature)).to.equal(false);
    for (const index of signature.keys()) {
      const changed = Buffer.from(signature);
      changed.writeUInt8(changed.readUInt8(index) ^ 1, index);
      expect(verifyXed(publicKey, message, changed), `byte ${index}`).to.equal(false);
    }
    expect(verifyXed(publicKey, message, signature.subarray(1))).to.equal(false);
    expect(verifyXed(publicKey.subarray(1), message, signature)).to.equal(false);
  });

  it('refuse a public key that is not that of the private key', () => {
    const [one, other] = [Curve.generateKeyPair(), Curve.generateKeyPair()];
    expect(() => signXed(one.private, other.public, Buffer.from('a'))).to.throw(
      /not that of the private key/,
    );
  });
});
