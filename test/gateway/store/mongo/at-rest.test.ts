import { expect } from 'chai';
import { BSON } from 'mongodb';
import { openStore, rotateEncryptionKey } from '../../../../src/gateway/store/open.js';
import type { Store } from '../../../../src/gateway/store/store.js';
import { bytes, expectFailure, text } from '../../../contracts/store/harness.js';
import { MONGODB_URL, makeTestDatabase, type TestDatabase } from '../support/mongo.js';
import { fillWithSecrets, found, SECRETS } from '../support/secrets.js';

const KEY = bytes(SECRETS.encryptionKey);
const OTHER_KEY = new Uint8Array(32).fill(2);

if (MONGODB_URL) suite(MONGODB_URL);

function suite(server: string): void {
  describe('the data in MongoDB', () => {
    let database: TestDatabase;
    let store: Store;
    beforeEach(async () => {
      database = makeTestDatabase(server);
      store = await open(KEY);
      await fillWithSecrets(store);
    });
    afterEach(async () => {
      await store.close();
      await database.drop();
    });
    const open = (encryptionKey: Uint8Array) => openStore({ url: database.url, dataDir: '', encryptionKey });

    it('contains no secret in clear', async () => {
      const raw = await everything(database);
      expect(raw.includes('15550000001'), 'the search does find what is there').to.equal(true);
      expect(found(raw, Object.values(SECRETS))).to.deep.equal([]);
    });

    it('contains nothing of a forgotten session', async () => {
      await store.forget('acme');
      const raw = await everything(database);
      expect(found(raw, ['acme', 'LID-acme', 'MESSAGE-acme', 'FILE-acme'])).to.deep.equal([]);
    });

    it('decrypts with its own encryption key only, and with the new one after a rotation', async () => {
      await store.close();
      await expectFailure(open(OTHER_KEY), 'encryption_key_wrong');
      expect(
        await rotateEncryptionKey({ url: database.url, dataDir: '', from: KEY, to: OTHER_KEY }),
      ).to.equal(1);
      await expectFailure(open(KEY), 'encryption_key_wrong');
      store = await open(OTHER_KEY);
      expect(text(await store.keys.credentials('acme'))).to.equal(SECRETS.credentials);
    });
  });
}

/** All documents of all collections, as bytes. */
async function everything(database: TestDatabase): Promise<Buffer> {
  return database.inspect(async (db) => {
    const collections = await db.collections();
    const documents = await Promise.all(collections.map((collection) => collection.find().toArray()));
    return Buffer.concat(documents.flat().map((document) => BSON.serialize(document)));
  });
}
