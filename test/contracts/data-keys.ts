import { expect } from 'chai';
import type { Backend } from '../../src/store/store.js';
import { bytes, type StoreFactory, type StoreHarness, text } from './store/harness.js';

/** What every back end must do for the keys of the sealing. */
export function dataKeysContract(name: string, factory: StoreFactory<Backend>): void {
  describe(`data keys contract: ${name}`, () => {
    let harness: StoreHarness<Backend>;
    beforeEach(async () => {
      harness = await factory();
    });
    afterEach(() => harness.destroy());
    const dataKeys = () => harness.store.dataKeys;
    const all = async () =>
      [...(await dataKeys().list())].map(([clientId, wrapped]) => [clientId, text(wrapped)]).sort();

    it('keeps the first key of a session, and says so', async () => {
      expect(await dataKeys().get('acme')).to.equal(undefined);
      expect(text(await dataKeys().putIfAbsent('acme', bytes('first')))).to.equal('first');
      expect(text(await dataKeys().putIfAbsent('acme', bytes('second')))).to.equal('first');
      expect(text(await dataKeys().get('acme'))).to.equal('first');
    });

    it('has one winner of many at the same time', async () => {
      const kept = await Promise.all(
        Array.from({ length: 20 }, (_, n) => dataKeys().putIfAbsent('acme', bytes(`key ${n}`))),
      );
      expect(new Set(kept.map(text)).size).to.equal(1);
    });

    it('replaces what is there and brings nothing back', async () => {
      await dataKeys().putIfAbsent('', bytes('own'));
      await dataKeys().putIfAbsent('acme', bytes('old'));
      await dataKeys().replace(
        new Map([
          ['acme', bytes('new')],
          ['gone', bytes('new')],
        ]),
      );
      expect(await all()).to.deep.equal([
        ['', 'own'],
        ['acme', 'new'],
      ]);
    });

    it('is forgotten with its session, the others stay', async () => {
      for (const clientId of ['', 'acme', 'other'])
        await dataKeys().putIfAbsent(clientId, bytes(`of ${clientId}`));
      await harness.store.forget('acme');
      expect(await all()).to.deep.equal([
        ['', 'of '],
        ['other', 'of other'],
      ]);
    });
  });
}
