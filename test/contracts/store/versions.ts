import { expect } from 'chai';
import type { StoreHarness } from './harness.js';

export function versionsContract(harness: () => StoreHarness): void {
  describe('the client version', () => {
    it('the client version is empty at first, and later the last stored one', async () => {
      const { versions } = harness().store;
      expect(await versions.get()).to.equal('');
      await versions.put('2.3000.1');
      await versions.put('2.3000.2');
      expect(await versions.get()).to.equal('2.3000.2');
    });
  });
}
