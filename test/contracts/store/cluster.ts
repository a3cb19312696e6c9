import { expect } from 'chai';
import type { LeaseStore } from '../../../src/gateway/store/store.js';

/** A table of leases and what makes its time pass. */
export interface LeaseHarness {
  leases: LeaseStore;
  /** Waits until leases of so many milliseconds have run out. */
  outlast(ms: number): Promise<void>;
  /** Creates a session without the knowledge of any node. */
  make(clientId: string): Promise<unknown>;
}

const LONG_MS = 60_000;
const SHORT_MS = 150;

/**
 * The contract of every lease store.
 * @param name of what is under test, for the report
 * @param harness gives an empty table
 */
export function leasesContract(name: string, harness: () => LeaseHarness): void {
  describe(`leases contract: ${name}`, () => {
    const leases = () => harness().leases;

    it('gives a free session to the first who claims it, with the first epoch', async () => {
      expect(await leases().holder('acme')).to.equal(undefined);
      expect(await leases().claim('acme', 'a', LONG_MS)).to.equal(1);
      expect(await leases().claim('acme', 'b', LONG_MS)).to.equal(undefined);
      const holder = await leases().holder('acme');
      expect(holder).to.include({ clientId: 'acme', nodeId: 'a', epoch: 1 });
      expect(holder?.ageMs).to.be.within(0, LONG_MS);
      expect(holder?.leftMs).to.be.within(1, LONG_MS);
    });

    it('gives a session to one of several concurrent claims', async () => {
      const nodes = Array.from({ length: 8 }, (_, index) => `node${index}`);
      const epochs = await Promise.all(nodes.map((node) => leases().claim('acme', node, LONG_MS)));
      expect(epochs.filter((epoch) => epoch !== undefined)).to.deep.equal([1]);
      const winner = nodes[epochs.indexOf(1)];
      expect((await leases().holder('acme'))?.nodeId).to.equal(winner);
    });

    it('refuses a second claim by the holder', async () => {
      await leases().claim('acme', 'a', LONG_MS);
      expect(await leases().claim('acme', 'a', LONG_MS)).to.equal(undefined);
    });

    it('gives a session to another node with the next epoch once the lease has expired', async () => {
      await leases().claim('acme', 'a', SHORT_MS);
      await harness().outlast(SHORT_MS);
      expect(await leases().holder('acme')).to.equal(undefined);
      expect(await leases().claim('acme', 'b', LONG_MS)).to.equal(2);
    });

    it('extends leases at a renewal, and omits expired ones from its result', async () => {
      await leases().claim('lost', 'a', SHORT_MS);
      await harness().outlast(SHORT_MS);
      await leases().claim('kept', 'a', LONG_MS);
      await leases().claim('other', 'b', LONG_MS);
      expect([...(await leases().renew('a', 2 * LONG_MS))]).to.deep.equal([['kept', 1]]);
      expect((await leases().holder('kept'))?.leftMs).to.be.greaterThan(LONG_MS);
      expect(await leases().claim('lost', 'b', LONG_MS)).to.equal(2);
    });

    it('frees a session at once after a release, which only its holder can do', async () => {
      await leases().claim('acme', 'a', LONG_MS);
      await leases().release('acme', 'b', 1);
      await leases().release('acme', 'a', 2);
      expect(await leases().claim('acme', 'b', LONG_MS)).to.equal(undefined);
      await leases().release('acme', 'a', 1);
      expect(await leases().claim('acme', 'b', LONG_MS)).to.equal(2);
      await leases().release('acme', 'a', 1);
      expect((await leases().holder('acme'))?.nodeId).to.equal('b');
    });

    it('returns sessions without a holder, up to a limit', async () => {
      await leases().claim('lost', 'a', SHORT_MS);
      await harness().outlast(SHORT_MS);
      for (const clientId of ['held', 'released', 'gone']) await leases().claim(clientId, 'a', LONG_MS);
      await leases().release('released', 'a', 1);
      await leases().release('gone', 'a', 1, true);
      // what runs out to measure the time is free as well
      expect((await leases().free(10)).filter((one) => one !== 'as long')).to.have.members([
        'lost',
        'released',
      ]);
      expect(await leases().free(1)).to.have.length(1);
    });

    it('returns a session again that is created again after its deletion', async () => {
      await leases().claim('acme', 'a', LONG_MS);
      await leases().release('acme', 'b', 1, true);
      await leases().release('acme', 'a', 1, true);
      expect(await leases().free(10)).to.deep.equal([]);
      expect(await leases().claim('acme', 'b', LONG_MS)).to.equal(2);
      await leases().release('acme', 'b', 2);
      expect(await leases().free(10)).to.deep.equal(['acme']);
    });

    it('counts the sessions of each node', async () => {
      for (const clientId of ['1', '2', '3']) await leases().claim(clientId, 'a', LONG_MS);
      await leases().claim('4', 'b', LONG_MS);
      await leases().claim('5', 'c', LONG_MS);
      await leases().release('5', 'c', 1);
      await leases().release('3', 'a', 1);
      expect(Object.fromEntries(await leases().counts())).to.deep.equal({ a: 2, b: 1 });
    });

    it('adds sessions from before the leases, and leaves known ones unchanged', async () => {
      await harness().make('old');
      await harness().make('held');
      await leases().claim('held', 'a', LONG_MS);
      await leases().seed();
      await leases().seed();
      expect(await leases().free(10)).to.deep.equal(['old']);
      expect(await leases().holder('held')).to.include({ nodeId: 'a', epoch: 1 });
      expect(Object.fromEntries(await leases().counts())).to.deep.equal({ a: 1 });
      expect(await leases().claim('old', 'b', LONG_MS)).to.equal(1);
    });

    it('lists the held sessions', async () => {
      await leases().claim('b', 'x', LONG_MS);
      await leases().claim('a', 'y', LONG_MS);
      await leases().claim('c', 'x', LONG_MS);
      await leases().release('c', 'x', 1);
      const held = (await leases().list()).map(({ clientId, nodeId }) => [clientId, nodeId]);
      expect(held).to.deep.equal([
        ['a', 'y'],
        ['b', 'x'],
      ]);
    });
  });
}
