import { expect } from 'chai';
import { freePort } from '../../../src/local/drill/tcp-proxy.js';

describe('a free port', () => {
  it('is none that the system gives to outgoing connections, which might take it before the server listens', async () => {
    const ports = await Promise.all(Array.from({ length: 50 }, freePort));
    for (const port of ports) expect(port).to.be.within(10_000, 32_767);
    expect(new Set(ports)).to.have.property('size').that.is.above(45);
  });
});
