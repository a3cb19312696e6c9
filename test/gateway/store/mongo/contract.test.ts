import { MongoClient } from 'mongodb';
import { openMongoBackend } from '../../../../src/gateway/store/mongo/store.js';
import { openStore } from '../../../../src/gateway/store/open.js';
import type { Store } from '../../../../src/gateway/store/store.js';
import { dataKeysContract } from '../../../contracts/store/keys.js';
import { storeContract } from '../../../contracts/store.js';
import { inTestDatabase, MONGODB_URL } from '../support/mongo.js';

const ENCRYPTION_KEY = new Uint8Array(32).fill(7);

if (MONGODB_URL) {
  const server = MONGODB_URL;
  const bare = () => inTestDatabase(server, (url) => openMongoBackend({ url }));

  storeContract('mongodb, bare', bare);
  dataKeysContract('mongodb', bare);
  storeContract('mongodb, sealed, by the holder of the sessions', () =>
    inTestDatabase(server, async (url) => {
      const store = await openStore({ url, dataDir: '', encryptionKey: ENCRYPTION_KEY });
      await holdAll(url, store);
      return store;
    }),
  );
}

/** Takes the sessions of the tests from whoever had them. */
async function holdAll(url: string, { cluster }: Store): Promise<void> {
  const client = new MongoClient(url);
  await client
    .db()
    .collection('leases')
    .updateMany({}, { $set: { expiresAt: new Date(0) } });
  await client.close();
  for (const clientId of ['acme', 'other']) await cluster?.leases.claim(clientId, 'a', 3_600_000);
}
