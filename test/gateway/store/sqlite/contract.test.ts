import { openStore } from '../../../../src/gateway/store/open.js';
import { openSqliteBackend } from '../../../../src/gateway/store/sqlite/store.js';
import type { Store } from '../../../../src/gateway/store/store.js';
import type { StoreHarness } from '../../../contracts/store/harness.js';
import { dataKeysContract } from '../../../contracts/store/keys.js';
import { storeContract } from '../../../contracts/store.js';
import { makeTempDir } from '../../../support/temp-dir.js';

const ENCRYPTION_KEY = new Uint8Array(32).fill(7);

const bare = () => inTempDir((dataDir) => openSqliteBackend({ dataDir }));

storeContract('sqlite, bare', bare);
dataKeysContract('sqlite', bare);
storeContract('sqlite, sealed', () =>
  inTempDir((dataDir) => openStore({ url: 'sqlite', dataDir, encryptionKey: ENCRYPTION_KEY })),
);

async function inTempDir<S extends Store>(open: (dataDir: string) => Promise<S>): Promise<StoreHarness<S>> {
  const dir = await makeTempDir();
  let store = await open(dir.path);
  return {
    store,
    async reopen() {
      await store.close();
      store = await open(dir.path);
      return store;
    },
    async destroy() {
      await store.close();
      await dir.remove();
    },
  };
}
