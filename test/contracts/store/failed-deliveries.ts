import { expect } from 'chai';
import type { FailedFilter } from '../../../src/store/store.js';
import { failed, type StoreHarness } from './harness.js';

export function failedDeliveriesContract(harness: () => StoreHarness): void {
  describe('failed deliveries', () => {
    const deliveries = () => harness().store.failedDeliveries;
    const ids = async (filter: Partial<FailedFilter>) =>
      (await deliveries().list({ limit: 100, ...filter })).map(({ id }) => id);

    it('gives back what was added, every field', async () => {
      await deliveries().add(failed('01A'), 10);
      expect(await deliveries().get('01A')).to.deep.equal(failed('01A'));
      expect(await deliveries().list({ limit: 5 })).to.deep.equal([failed('01A')]);
      expect(await deliveries().get('01B')).to.equal(undefined);
    });

    it('lists newest first, over all sessions or of one, up to a limit', async () => {
      await deliveries().add(failed('01A', { failedAt: 30 }), 10);
      await deliveries().add(failed('01B', { failedAt: 10 }), 10);
      await deliveries().add(failed('01C', { failedAt: 20, clientId: 'other' }), 10);
      await deliveries().add(failed('01D', { failedAt: 20, clientId: 'other' }), 10);
      expect(await ids({})).to.deep.equal(['01A', '01D', '01C', '01B']);
      expect(await ids({ clientId: 'acme' })).to.deep.equal(['01A', '01B']);
      expect(await ids({ limit: 2 })).to.deep.equal(['01A', '01D']);
      expect(await ids({ clientId: 'other', limit: 1 })).to.deep.equal(['01D']);
      expect(await ids({ clientId: 'nobody' })).to.deep.equal([]);
    });

    it('lists on from one, be it there or not', async () => {
      for (const [id, failedAt] of [
        ['01A', 30],
        ['01B', 10],
        ['01C', 20],
        ['01D', 20],
      ] as const) {
        await deliveries().add(failed(id, { failedAt, clientId: id === '01C' ? 'other' : 'acme' }), 10);
      }
      expect(await ids({ before: { id: '01D', failedAt: 20 } })).to.deep.equal(['01C', '01B']);
      expect(await ids({ before: { id: '01D', failedAt: 20 }, limit: 1 })).to.deep.equal(['01C']);
      expect(await ids({ before: { id: '01D', failedAt: 20 }, clientId: 'acme' })).to.deep.equal(['01B']);
      await deliveries().remove('01D');
      expect(await ids({ before: { id: '01D', failedAt: 20 } })).to.deep.equal(['01C', '01B']);
      expect(await ids({ before: { id: '01B', failedAt: 10 } })).to.deep.equal([]);
    });

    it('keeps the newest of a session, as many as it was told', async () => {
      await deliveries().add(failed('00Z', { clientId: 'other', failedAt: 1 }), 3);
      for (let n = 1; n <= 6; n += 1) await deliveries().add(failed(`0${n}`, { failedAt: n * 10 }), 3);
      expect(await ids({ clientId: 'acme' })).to.deep.equal(['06', '05', '04']);
      expect(await ids({ clientId: 'other' })).to.deep.equal(['00Z']);
    });

    it('replaces one that failed again', async () => {
      await deliveries().add(failed('01A'), 2);
      await deliveries().add(failed('01B'), 2);
      const again = failed('01A', { attempts: 16, reason: '503', failedAt: 5_000 });
      await deliveries().add(again, 2);
      expect(await deliveries().get('01A')).to.deep.equal(again);
      expect(await ids({})).to.deep.equal(['01A', '01B']);
    });

    it('counts them by session, or those of one', async () => {
      expect(await deliveries().counts()).to.deep.equal(new Map());
      await deliveries().add(failed('01A'), 10);
      await deliveries().add(failed('01B'), 10);
      await deliveries().add(failed('01C', { clientId: 'other' }), 10);
      expect([...(await deliveries().counts())].sort()).to.deep.equal([
        ['acme', 2],
        ['other', 1],
      ]);
      expect([...(await deliveries().counts('other'))]).to.deep.equal([['other', 1]]);
      expect([...(await deliveries().counts('nobody'))]).to.deep.equal([]);
    });

    it('removes one', async () => {
      await deliveries().add(failed('01A'), 10);
      await deliveries().add(failed('01B'), 10);
      await deliveries().remove('01A');
      await deliveries().remove('never there');
      expect(await ids({})).to.deep.equal(['01B']);
    });

    it('prunes what failed before a time', async () => {
      await deliveries().add(failed('01A', { failedAt: 999 }), 10);
      await deliveries().add(failed('01B', { failedAt: 1, clientId: 'other' }), 10);
      await deliveries().add(failed('01C', { failedAt: 1_000 }), 10);
      expect(await deliveries().prune(1_000)).to.equal(2);
      expect(await ids({})).to.deep.equal(['01C']);
    });

    it('copies in and out', async () => {
      const given = failed('01A');
      await deliveries().add(given, 10);
      given.body = 'changed';
      const got = await deliveries().get('01A');
      if (got) got.body = 'changed';
      expect(await deliveries().get('01A')).to.deep.equal(failed('01A'));
    });
  });
}
