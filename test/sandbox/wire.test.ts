import { createHash } from 'node:crypto';
import { expect } from 'chai';
import { openSealed, type SealContext, seal } from '../../src/sandbox/phone/message-secret.js';
import { FrameReader, frame, HEADER, ProtocolError } from '../../src/sandbox/wire/frames.js';

describe('Sandbox: frames', () => {
  const payloads = [Buffer.from('one'), Buffer.alloc(0), Buffer.alloc(3_000, 7)];
  const stream = Buffer.concat([HEADER, ...payloads.map((payload) => frame(payload))]);

  it('frames are reassembled from chunks of any size', () => {
    for (const size of [1, 2, 3, 5, 1000, stream.length]) {
      const reader = new FrameReader();
      const read: Buffer[] = [];
      for (let at = 0; at < stream.length; at += size)
        read.push(...reader.push(stream.subarray(at, at + size)));
      expect(read).to.deep.equal(payloads);
    }
  });

  it('frames may follow a routing intro', () => {
    const routing = Buffer.from('where to');
    const intro = Buffer.concat([Buffer.from('ED'), Buffer.from([0, 1]), frame(routing)]);
    expect(new FrameReader().push(Buffer.concat([intro, stream]))).to.deep.equal(payloads);
  });

  it('frames require the header before them', () => {
    expect(() => new FrameReader().push(Buffer.from('GET / HTTP/1.1'))).to.throw(ProtocolError);
  });
});

const AUTHOR = '100000000000001@lid';
const VOTER = '100000000000002@lid';
const EDIT: SealContext = {
  secret: Uint8Array.from({ length: 32 }, (_, position) => position),
  targetId: '3EB0C0FFEE',
  targetAuthor: AUTHOR,
  sender: AUTHOR,
  useCase: 'Message Edit',
};
const VOTE: SealContext = {
  ...EDIT,
  sender: VOTER,
  useCase: 'Poll Vote',
  authenticated: `3EB0C0FFEE\0${VOTER}`,
};
const encIv = Uint8Array.from({ length: 12 }, (_, position) => 100 + position);

// made with another implementation of HKDF and AES-GCM
const SEALED_EDIT = '0e31e6bbf1358df2f2bae748fcc9ca604baba7cfc3a4ab';
const SEALED_VOTE =
  '8f0f2df7b44509830e6b7ef01b61cb51b0796dbbe8eea979340d18370e1e5b997f02caa39a78d26faba330f058df09c461d0';

describe('Sandbox: contents encrypted with a message secret', () => {
  it('encrypted contents can be decrypted when another implementation encrypted them', () => {
    const edit = openSealed({ encPayload: Buffer.from(SEALED_EDIT, 'hex'), encIv }, EDIT);
    expect(edit?.toString('latin1')).to.equal('\n\x05first');
    const vote = openSealed({ encPayload: Buffer.from(SEALED_VOTE, 'hex'), encIv }, VOTE);
    expect(vote?.subarray(2)).to.deep.equal(createHash('sha256').update('now').digest());
  });

  it('encrypted contents cannot be decrypted in any other context', () => {
    const sealed = seal(Buffer.from('first'), EDIT);
    expect(openSealed(sealed, EDIT)?.toString()).to.equal('first');
    for (const change of [
      { secret: new Uint8Array(32) },
      { targetId: '3EB0' },
      { sender: VOTER },
      { targetAuthor: VOTER },
      { useCase: 'Poll Vote' },
      { authenticated: 'x' },
    ])
      expect(openSealed(sealed, { ...EDIT, ...change })).to.equal(undefined);
  });

  it('encrypted contents cannot be decrypted when they are malformed', () => {
    expect(openSealed(undefined, EDIT)).to.equal(undefined);
    expect(openSealed({ encPayload: new Uint8Array(3), encIv }, EDIT)).to.equal(undefined);
    expect(openSealed({ encPayload: new Uint8Array(30), encIv: new Uint8Array(2) }, EDIT)).to.equal(
      undefined,
    );
  });
});
