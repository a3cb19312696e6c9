import { expect } from 'chai';
import type { KeptFilter } from '../../../src/gateway/store/store.js';
import { keptEvent, type StoreHarness } from './harness.js';

export function keptEventsContract(harness: () => StoreHarness): void {
  describe('kept events', () => {
    const kept = () => harness().store.keptEvents;
    const ids = async (filter: Partial<KeptFilter> = {}) => {
      const found = await kept().list({ clientId: 'acme', order: 'oldest first', limit: 100, ...filter });
      return found.map(({ id }) => id);
    };
    const fill = async () => {
      await kept().add(keptEvent('B', { at: 20, type: 'image' }));
      await kept().add(keptEvent('A', { at: 20 }));
      await kept().add(keptEvent('C', { at: 10, size: 300 }));
      await kept().add(keptEvent('D', { at: 30 }));
      await kept().add(keptEvent('E', { at: 15, clientId: 'other' }));
    };

    it('returns every field of a kept event to its own session, and lists it without its body', async () => {
      expect(await kept().add(keptEvent('A'))).to.equal(true);
      expect(await kept().get('acme', 'A')).to.deep.equal(keptEvent('A'));
      expect(await kept().get('other', 'A')).to.equal(undefined);
      expect(await kept().get('acme', 'B')).to.equal(undefined);
      const { body: _, ...listed } = keptEvent('A');
      expect(await kept().list({ clientId: 'acme', order: 'newest first', limit: 9 })).to.deep.equal([
        listed,
      ]);
    });

    it('keeps an event unchanged when it is added again', async () => {
      await kept().add(keptEvent('A'));
      expect(await kept().add(keptEvent('A', { at: 9_000 }))).to.equal(false);
      expect(await kept().get('acme', 'A')).to.deep.equal(keptEvent('A'));
    });

    it('lists the events of one session in the order of time, by time, type and id', async () => {
      await fill();
      expect(await ids()).to.deep.equal(['C', 'A', 'B', 'D']);
      expect(await ids({ order: 'newest first' })).to.deep.equal(['D', 'B', 'A', 'C']);
      expect(await ids({ from: 20, to: 29 })).to.deep.equal(['A', 'B']);
      expect(await ids({ types: ['image', 'video'] })).to.deep.equal(['B']);
      expect(await ids({ ids: ['D', 'C', 'E', 'X'] })).to.deep.equal(['C', 'D']);
      expect(await ids({ limit: 2 })).to.deep.equal(['C', 'A']);
      expect(await ids({ clientId: 'nobody' })).to.deep.equal([]);
    });

    it('continues after a cursor, whether or not it is the cursor of an event', async () => {
      await fill();
      expect(await ids({ after: { at: 20, id: 'A' } })).to.deep.equal(['B', 'D']);
      expect(await ids({ after: { at: 20, id: 'AA' } })).to.deep.equal(['B', 'D']);
      expect(await ids({ order: 'newest first', after: { at: 20, id: 'B' } })).to.deep.equal(['A', 'C']);
    });

    it('counts the bytes of a session, and removes its oldest events until so many are free', async () => {
      await fill();
      expect(await kept().bytes('acme')).to.equal(1_800);
      expect(await kept().bytes('nobody')).to.equal(0);
      expect(await kept().removeOldest('acme', 301)).to.equal(800);
      expect(await ids()).to.deep.equal(['B', 'D']);
      expect(await kept().removeOldest('acme', 10_000)).to.equal(1_000);
      expect(await kept().removeOldest('acme', 1)).to.equal(0);
      expect(await ids({ clientId: 'other' })).to.deep.equal(['E']);
    });

    it('prunes events that were announced before a time, of one session or of all', async () => {
      await fill();
      expect(await kept().prune(20, 'acme')).to.equal(1);
      expect(await ids()).to.deep.equal(['A', 'B', 'D']);
      expect(await kept().prune(30)).to.equal(3);
      expect(await ids()).to.deep.equal(['D']);
      expect(await ids({ clientId: 'other' })).to.deep.equal([]);
    });
  });
}
