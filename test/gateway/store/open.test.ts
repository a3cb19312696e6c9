import { mkdir, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { openStore, rotateEncryptionKey } from '../../../src/gateway/store/open.js';
import type { Store } from '../../../src/gateway/store/store.js';
import { bytes, expectFailure, session, text } from '../../contracts/store/harness.js';
import { makeTempDir, type TempDir } from '../../support/temp-dir.js';

const KEY = new Uint8Array(32).fill(1);
const OTHER_KEY = new Uint8Array(32).fill(2);

describe('openStore', () => {
  let dir: TempDir;
  const opened: Store[] = [];
  beforeEach(async () => {
    dir = await makeTempDir();
  });
  afterEach(async () => {
    for (const store of opened.splice(0)) await store.close();
    await dir.remove();
  });

  const open = async (encryptionKey: Uint8Array, dataDir = dir.path) => {
    const store = await openStore({ url: 'sqlite', dataDir, encryptionKey });
    opened.push(store);
    return store;
  };

  it('creates the folder and files readable by their owner only', async () => {
    const dataDir = join(dir.path, 'deep', 'data');
    const store = await open(KEY, dataDir);
    await store.sessions.create(session('acme'));
    expect((await stat(dataDir)).mode & 0o777).to.equal(0o700);
    for (const file of ['switchboard.db', 'switchboard.db-wal', 'switchboard.db-shm', 'switchboard.lock']) {
      expect((await stat(join(dataDir, file))).mode & 0o777, file).to.equal(0o600);
    }
  });

  it('restricts the mode of a database that others could read', async () => {
    await writeFile(join(dir.path, 'switchboard.db'), '', { mode: 0o644 });
    await open(KEY);
    expect((await stat(join(dir.path, 'switchboard.db'))).mode & 0o777).to.equal(0o600);
  });

  it('refuses a URL with an unknown scheme', async () => {
    const redis = openStore({ url: 'redis://localhost', dataDir: dir.path, encryptionKey: KEY });
    await expectFailure(redis, 'store_unsupported');
  });

  it('reports in one line a folder that cannot be used', async () => {
    const file = join(dir.path, 'a-file');
    await writeFile(file, '');
    const message = await expectFailure(open(KEY, join(file, 'data')), 'store_unavailable');
    expect(message).to.contain(file).and.not.contain('\n');
  });

  it('reports in one line a file that is not a database', async () => {
    await writeFile(join(dir.path, 'switchboard.db'), 'not a database at all, '.repeat(100));
    const message = await expectFailure(open(KEY), 'store_damaged');
    expect(message).to.contain(dir.path).and.not.contain('\n');
  });

  it('reports in one line a database path that cannot be a file', async () => {
    await mkdir(join(dir.path, 'switchboard.db'));
    await expectFailure(open(KEY), 'store_unavailable');
  });

  it('recognises a wrong encryption key, changes nothing, and accepts the right one afterwards', async () => {
    const store = await open(KEY);
    await store.keys.commit('acme', { credentials: bytes('creds') });
    await store.close();
    const message = await expectFailure(open(OTHER_KEY), 'encryption_key_wrong');
    expect(message).to.contain('another encryption key').and.not.contain('\n');
    expect(text(await (await open(KEY)).keys.credentials('acme'))).to.equal('creds');
  });

  it('recognises a wrong key even if no session ever existed', async () => {
    await (await open(KEY)).close();
    await expectFailure(open(OTHER_KEY), 'encryption_key_wrong');
  });

  it('refuses an encryption key of another length', async () => {
    await expectFailure(open(new Uint8Array(16)), 'encryption_key_wrong');
  });

  describe('rotateEncryptionKey', () => {
    const rotate = (from: Uint8Array, to: Uint8Array) =>
      rotateEncryptionKey({ url: 'sqlite', dataDir: dir.path, from, to });

    beforeEach(async () => {
      const store = await open(KEY);
      for (const clientId of ['acme', 'other']) {
        await store.keys.commit(clientId, { credentials: bytes(`creds of ${clientId}`) });
      }
      await store.close();
    });

    it('accepts only the new key afterwards, which decrypts everything', async () => {
      expect(await rotate(KEY, OTHER_KEY)).to.equal(2);
      await expectFailure(open(KEY), 'encryption_key_wrong');
      const store = await open(OTHER_KEY);
      expect(text(await store.keys.credentials('acme'))).to.equal('creds of acme');
      expect(text(await store.keys.credentials('other'))).to.equal('creds of other');
    });

    it('gives the same result when it is repeated', async () => {
      await rotate(KEY, OTHER_KEY);
      expect(await rotate(KEY, OTHER_KEY)).to.equal(0);
      await open(OTHER_KEY);
    });

    it('changes nothing when the old key is wrong', async () => {
      await expectFailure(rotate(new Uint8Array(32), OTHER_KEY), 'encryption_key_wrong');
      expect(text(await (await open(KEY)).keys.credentials('acme'))).to.equal('creds of acme');
    });

    it('refuses while a daemon is using the store', async () => {
      await open(KEY);
      await expectFailure(rotate(KEY, OTHER_KEY), 'store_in_use');
    });
  });
});
