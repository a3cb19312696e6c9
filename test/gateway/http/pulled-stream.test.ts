import { expect } from 'chai';
import { pulledStream } from '../../../src/gateway/http/pulled-stream.js';

/** Longer than any test takes. */
const LONG_MS = 600_000;

describe('a stream that reads its source no faster than its reader', () => {
  const begin = () => {
    const state = { given: 0, ended: false };
    const pieces = async function* (count = Number.POSITIVE_INFINITY) {
      try {
        for (; state.given < count; state.given++) yield Buffer.alloc(1_000_000, state.given);
      } finally {
        state.ended = true;
      }
    };
    return { state, pieces };
  };

  it('returns all pieces in order, and ends', async () => {
    const { state, pieces } = begin();
    const bytes = Buffer.concat(await (await pulledStream(pieces(3), LONG_MS)).toArray());
    expect([0, 1_000_000, 2_000_000].map((at) => bytes[at])).to.deep.equal([0, 1, 2]);
    expect({ length: bytes.length, ...state }).to.deep.equal({ length: 3_000_000, given: 3, ended: true });
  });

  it('reads no further than its reader', async () => {
    const { state, pieces } = begin();
    const stream = await pulledStream(pieces(), LONG_MS);
    for (const count of [1, 2, 3]) {
      await new Promise((resolve) =>
        stream.readableLength > 0 ? resolve(0) : stream.once('readable', resolve),
      );
      stream.read();
      expect(state.given).to.be.at.most(count + 1);
    }
    stream.destroy();
  });

  it('ends its source when the reader is gone, even before the first piece is read', async () => {
    const { state, pieces } = begin();
    const stream = await pulledStream(pieces(), LONG_MS);
    stream.destroy();
    await new Promise((resolve) => stream.once('close', resolve));
    expect(state).to.deep.equal({ given: 0, ended: true });
  });

  it('leaves no timer behind when the reader is gone while a piece is read', async () => {
    const timers = () => process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length;
    const { pieces } = begin();
    const stream = await pulledStream(pieces(), LONG_MS);
    const before = timers();
    stream.read(0);
    stream.destroy();
    await new Promise((resolve) => stream.once('close', resolve));
    expect(timers()).to.equal(before);
  });

  it('ends its source when the reader reads nothing for too long', async () => {
    const { state, pieces } = begin();
    const stream = await pulledStream(pieces(), 20);
    stream.once('readable', () => undefined);
    const error = await new Promise((resolve) => stream.once('error', resolve));
    expect(String(error)).to.equal('Error: the reader takes nothing');
    expect(state.ended).to.equal(true);
  });

  it('fails with its source: at once for the first piece, later within the stream', async () => {
    const failing = async function* (count: number) {
      for (let n = 0; n < count; n++) yield Buffer.from('piece');
      throw new Error('the disk is gone');
    };
    expect(await pulledStream(failing(0), LONG_MS).catch(String)).to.equal('Error: the disk is gone');
    const stream = await pulledStream(failing(2), LONG_MS);
    expect(await stream.toArray().catch(String)).to.equal('Error: the disk is gone');
  });
});
