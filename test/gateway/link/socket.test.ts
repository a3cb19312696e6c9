import { expect } from 'chai';
import { readAtWire } from '../../../src/gateway/link/baileys/socket.js';

describe('the elements that a message gets at its write', () => {
  const node = { tag: 'tctoken', attrs: {} };

  it('are checked when they are read, also if there are none', () => {
    for (const nodes of [[], [node]]) {
      let checks = 0;
      const elements = readAtWire(nodes, () => {
        checks += 1;
      });
      // the library reads a list only if it is not empty
      expect(elements.length).to.be.greaterThan(0);
      expect(checks).to.equal(0);
      expect([...elements]).to.deep.equal(nodes);
      expect(checks).to.equal(1);
    }
  });

  it('fail with their check', () => {
    const elements = readAtWire([node], () => {
      throw new Error('not now');
    });
    expect(() => [...elements]).to.throw('not now');
  });

  it('have no iterator of their own, with which V8 iterates all arrays of the process slowly', () => {
    expect(
      Object.hasOwn(
        readAtWire([node], () => undefined),
        Symbol.iterator,
      ),
    ).to.equal(false);
  });
});
