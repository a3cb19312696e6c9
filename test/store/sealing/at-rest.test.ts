import { execFileSync } from 'node:child_process';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { openStore } from '../../../src/store/open.js';
import { openSqliteBackend } from '../../../src/store/sqlite/sqlite-store.js';
import type { Store } from '../../../src/store/store.js';
import { bytes, expectFailure, message, text } from '../../contracts/store/harness.js';
import { makeTempDir, type TempDir } from '../../support/temp-dir.js';
import { fillWithSecrets, found, SECRETS } from '../support/secrets.js';

const ENCRYPTION_KEY = bytes('encryption-key-of-32-characters!');

describe('the database files', () => {
  let dir: TempDir;
  let store: Store;
  beforeEach(async () => {
    dir = await makeTempDir();
    store = await open();
    await fillWithSecrets(store);
  });
  afterEach(async () => {
    await store.close();
    await dir.remove();
  });
  const open = () => openStore({ url: 'sqlite', dataDir: dir.path, encryptionKey: ENCRYPTION_KEY });

  it('hold no secret in clear, while open and when closed', async () => {
    const whileOpen = await rawBytes(dir.path);
    await store.close();
    const whenClosed = await rawBytes(dir.path);
    for (const raw of [whileOpen, whenClosed]) {
      expect(raw.includes('15550000001'), 'the search does find what is there').to.equal(true);
      expect(found(raw, Object.values(SECRETS))).to.deep.equal([]);
    }
  });

  it('hold nothing of a session that was forgotten, not even sealed', async () => {
    const backendKey = async () => {
      await store.close();
      const backend = await openSqliteBackend({ dataDir: dir.path });
      const wrapped = await backend.dataKeys.get('acme');
      await backend.close();
      store = await open();
      return Buffer.from(wrapped ?? bytes(''));
    };
    const wrapped = await backendKey();
    expect((await rawBytes(dir.path)).includes(wrapped)).to.equal(true);

    await store.forget('acme');
    const raw = await rawBytes(dir.path);
    expect(raw.includes(wrapped)).to.equal(false);
    expect(found(raw, ['acme', 'LID-acme', 'MESSAGE-acme', 'FILE-acme'])).to.deep.equal([]);
  });

  it('open values only where they were sealed', async () => {
    await store.keys.commit('acme', { keys: [{ type: 'session', id: 'b', value: bytes('B') }] });
    await store.close();
    const backend = await openSqliteBackend({ dataDir: dir.path });
    const stolen = (await backend.keys.get('acme', 'session', ['b'])).get('b') ?? null;
    await backend.keys.commit('acme', { keys: [{ type: 'session', id: 'a', value: stolen }] });
    await backend.close();
    store = await open();
    await expectFailure(store.keys.get('acme', 'session', ['a']), 'store_unavailable');
    expect(text((await store.keys.get('acme', 'session', ['b'])).get('b'))).to.equal('B');
  });

  it('get no data key from asking for sessions that do not exist', async () => {
    await store.sessions.update('nobody', { webhookToken: 'x' });
    await store.sessions.get('nobody');
    await store.keys.credentials('nobody');
    await store.keys.get('nobody', 'session', ['a']);
    await store.journal.open('nobody');
    await store.sends.get('nobody', 'M1');
    await store.traces.get('nobody', 'M1');
    await store.history.message('nobody', 'R1', 'M1');
    await store.history.update('nobody', message('M1'));
    await store.history.messages('nobody', 'R1', { limit: 1 });
    await store.history.rooms('nobody');
    await store.history.room('nobody', 'R1');
    await store.history.updateRoom('nobody', 'R1', { name: 'N' });
    await store.history.pending('nobody', 'R1', 'M1');
    await store.files.list('nobody', { page: 1, limit: 1 });
    await store.files.removeAll('nobody');
    await store.close();
    const backend = await openSqliteBackend({ dataDir: dir.path });
    const owners = [...(await backend.dataKeys.list()).keys()];
    await backend.close();
    store = await open();
    expect(owners).to.have.members(['', 'acme']);
  });
});

/** Reads in another process: closing a file that SQLite has open here would drop SQLite's locks on it. */
async function rawBytes(path: string): Promise<Buffer> {
  const entries = await readdir(path, { recursive: true, withFileTypes: true });
  const files = entries
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name));
  return execFileSync('cat', files, { maxBuffer: 64 * 1024 * 1024 });
}
