import { expect } from 'chai';
import { openMongoBackend } from '../../../../src/gateway/store/mongo/store.js';
import type { ClusterStore } from '../../../../src/gateway/store/store.js';
import { leasesContract } from '../../../contracts/store/cluster.js';
import { type StoreHarness, session } from '../../../contracts/store/harness.js';
import { inTestDatabase, MONGODB_URL } from '../support/mongo.js';

if (MONGODB_URL) {
  const server = MONGODB_URL;

  describe('the nodes in MongoDB', () => {
    let harness: StoreHarness;
    beforeEach(async () => {
      harness = await inTestDatabase(server, (url) => openMongoBackend({ url }));
    });
    afterEach(() => harness.destroy());

    function cluster(): ClusterStore {
      const { store } = harness;
      if (!store.cluster) throw new Error('the store has nothing for nodes');
      return store.cluster;
    }

    leasesContract('mongodb', () => ({
      leases: cluster().leases,
      async outlast(ms) {
        // one that lasts as long and begins later is gone: so are those that were there before it
        const { leases } = cluster();
        await leases.claim('as long', 'marker', ms);
        while (await leases.holder('as long'));
      },
      make: (clientId) => harness.store.sessions.create(session(clientId)),
    }));

    it('nodes are listed as long as they renew their presence', async () => {
      const { nodes } = cluster();
      const east1 = { nodeId: '2', name: 'east', url: 'http://east:3000', version: '2026-11' };
      expect(await nodes.announce(east1, 60_000)).to.deep.equal({ draining: false });
      await nodes.announce(
        { nodeId: '1', name: 'west', url: 'http://$west:3000', version: '2026-11' },
        60_000,
      );
      expect(await nodes.drain('2', true)).to.equal(true);
      expect(await nodes.drain('3', true)).to.equal(false);
      expect(await nodes.announce(east1, 60_000)).to.deep.equal({ draining: true });
      const [east, west, ...others] = await nodes.list(60_000);
      expect(others).to.deep.equal([]);
      expect(east).to.include({ nodeId: '2', name: 'east', url: 'http://east:3000', draining: true });
      expect(west).to.include({ nodeId: '1', url: 'http://$west:3000', draining: false });
      expect(east?.ageMs).to.be.at.least(east?.silentMs ?? Number.NaN);
      // a limit of 0 ms counts the node as absent, so its presence restarts
      await nodes.announce(east1, 0);
      const [anew] = await nodes.list(60_000);
      expect(anew?.ageMs).to.equal(anew?.silentMs);
      expect(anew?.draining).to.equal(true);
      await nodes.leave('2');
      expect((await nodes.list(60_000)).map(({ nodeId }) => nodeId)).to.deep.equal(['1']);
      expect(await nodes.list(0)).to.deep.equal([]);
    });
  });
}
