import { openMongoBackend } from '../../../src/store/mongo/mongo-store.js';
import { openStore } from '../../../src/store/open.js';
import { dataKeysContract } from '../../contracts/data-keys.js';
import { storeContract } from '../../contracts/store.js';
import { inTestDatabase, MONGODB_URL } from '../support/mongo.js';

const ENCRYPTION_KEY = new Uint8Array(32).fill(7);

if (MONGODB_URL) {
  const server = MONGODB_URL;
  const bare = () => inTestDatabase(server, (url) => openMongoBackend({ url }));

  storeContract('mongodb, bare', bare);
  dataKeysContract('mongodb', bare);
  storeContract('mongodb, sealed', () =>
    inTestDatabase(server, (url) => openStore({ url, dataDir: '', encryptionKey: ENCRYPTION_KEY })),
  );
}
