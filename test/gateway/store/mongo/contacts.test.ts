import { expect } from 'chai';
import { openMongoBackend } from '../../../../src/gateway/store/mongo/store.js';
import { contact } from '../../../contracts/store/harness.js';
import { MONGODB_URL, makeTestDatabase } from '../support/mongo.js';

if (MONGODB_URL) {
  const server = MONGODB_URL;

  describe('contacts in MongoDB', () => {
    it('are listed once if a crash left the former half of a merged person', async () => {
      const database = makeTestDatabase(server);
      const { contacts, close } = await openMongoBackend({ url: database.url });
      try {
        await contacts.learn('acme', contact({ lid: 'L1', pn: 'P1', name: 'Ann' }));
        await contacts.learn('acme', contact({ pn: 'P2', name: 'Bob' }));
        await database.inspect(async (db) => {
          const half = { ...contact({ lid: '', pn: 'P1', name: 'Ann' }), pushName: '', username: '' };
          await db.collection('contacts').insertOne({ ...half, clientId: 'acme' });
        });
        const listed = (await contacts.named('acme')).map(({ lid, pn }) => [lid, pn]);
        expect(listed).to.have.deep.members([
          ['L1', 'P1'],
          ['', 'P2'],
        ]);
      } finally {
        await close();
        await database.drop();
      }
    });
  });
}
