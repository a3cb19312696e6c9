import { configureSuccessfulPairing, initAuthCreds } from '@whiskeysockets/baileys';
import { expect } from 'chai';
import { completeProof, signDevice } from '../../../src/sandbox/pairing/adv.js';
import { generateKeyPair, sign, verify } from '../../../src/sandbox/wire/curve.js';
import { bytesOf, child, stanza } from '../../../src/sandbox/wire/stanza.js';

describe('Sandbox: device identities', () => {
  const creds = initAuthCreds();
  const phone = generateKeyPair();
  const identity = Buffer.from(creds.signedIdentityKey.public);
  const advSecret = Buffer.from(creds.advSecretKey, 'base64');
  const proof = signDevice(phone, { identity, advSecret, keyIndex: 1, nowS: 1_700_000_000 });
  const success = stanza('iq', { id: '1' }, [
    stanza('pair-success', {}, [
      stanza('device-identity', {}, proof.container),
      stanza('device', { jid: '15550000001:1@s.whatsapp.net', lid: '123456789012345:1@lid' }),
    ]),
  ]);

  function answer(): Buffer {
    const { reply } = configureSuccessfulPairing(success, creds);
    return bytesOf(child(child(reply, 'pair-device-sign'), 'device-identity'));
  }

  it('are complete when phone and device have both signed', () => {
    expect(completeProof(phone, proof, identity, answer())).to.have.length.above(150);
  });

  it('are refused when another device signed, or another phone', () => {
    expect(completeProof(phone, proof, generateKeyPair().public, answer())).to.equal(undefined);
    expect(completeProof(generateKeyPair(), proof, identity, answer())).to.equal(undefined);
    const other = signDevice(phone, { identity, advSecret, keyIndex: 2, nowS: 1_700_000_000 });
    expect(completeProof(phone, other, identity, answer())).to.equal(undefined);
  });

  it('rest on signatures that are really checked', () => {
    const message = Buffer.from('message');
    const signature = sign(phone.private, message);
    expect(verify(phone.public, message, signature)).to.equal(true);
    expect(verify(phone.public, Buffer.from('massage'), signature)).to.equal(false);
    expect(verify(generateKeyPair().public, message, signature)).to.equal(false);
    expect(verify(phone.public, message, signature.subarray(1))).to.equal(false);
  });
});
