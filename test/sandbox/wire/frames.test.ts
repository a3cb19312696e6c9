import { expect } from 'chai';
import { FrameReader, frame, HEADER, ProtocolError } from '../../../src/sandbox/wire/frames.js';

describe('Sandbox: frames', () => {
  const payloads = [Buffer.from('one'), Buffer.alloc(0), Buffer.alloc(3_000, 7)];
  const stream = Buffer.concat([HEADER, ...payloads.map((payload) => frame(payload))]);

  it('come out as they went in, however the bytes are cut', () => {
    for (const size of [1, 2, 3, 5, 1000, stream.length]) {
      const reader = new FrameReader();
      const read: Buffer[] = [];
      for (let at = 0; at < stream.length; at += size)
        read.push(...reader.push(stream.subarray(at, at + size)));
      expect(read).to.deep.equal(payloads);
    }
  });

  it('may follow a routing intro', () => {
    const routing = Buffer.from('where to');
    const intro = Buffer.concat([Buffer.from('ED'), Buffer.from([0, 1]), frame(routing)]);
    expect(new FrameReader().push(Buffer.concat([intro, stream]))).to.deep.equal(payloads);
  });

  it('need the header before them', () => {
    expect(() => new FrameReader().push(Buffer.from('GET / HTTP/1.1'))).to.throw(ProtocolError);
  });
});
