import { expect } from 'chai';
import { MongoClient } from 'mongodb';
import { startReceiver, type TestReceiver } from '../../support/receiver.js';
import { startWorld, type World } from '../../support/world.js';
import { MONGODB_URL } from '../store/support/mongo.js';

if (MONGODB_URL) {
  describe('the list of nodes, in a database that others can write', () => {
    let world: World;
    let intruder: TestReceiver;

    before(async () => {
      [world, intruder] = await Promise.all([startWorld(), startReceiver()]);
      const client = new MongoClient(world.place.setting);
      try {
        const db = client.db();
        const own = await db.collection('nodes').findOne({});
        // as a copy of a real row, and as a row of its own, with the lease of a session
        const seenAt = new Date(Date.now() + 3_600_000);
        const row = { ...own, name: 'intruder', url: intruder.url, seenAt };
        const named = (_id: string, proof: unknown) => ({ ...row, _id, proof });
        await db
          .collection<{ _id: string; proof: unknown }>('nodes')
          .insertMany([named('copied', own?.proof), named('made', '')]);
        const lease = { nodeId: 'made', epoch: 1, claimedAt: new Date(), expiresAt: seenAt };
        await db.collection<{ _id: string }>('leases').insertOne({ _id: 'acme', ...lease });
      } finally {
        await client.close();
      }
    });
    after(async () => {
      await intruder.stop();
      await world.stop();
    });

    it('leaves out nodes that no node of the cluster has signed', async () => {
      const { body } = await world.api.get('/nodes');
      expect(body.nodes).to.have.lengthOf(1);
    });

    it('causes no request to the address of an unsigned node, and reveals no token to it', async () => {
      expect((await world.api.get('/fleet')).status).to.equal(200);
      const send = { clientId: 'acme', to: '+15550000002', body: 'hello' };
      expect((await world.api.post('/send-message', send)).status).to.be.oneOf([404, 503]);
      expect(intruder.calls).to.deep.equal([]);
    });
  });
}
