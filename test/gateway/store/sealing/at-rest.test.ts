import { execFileSync } from 'node:child_process';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { openStore } from '../../../../src/gateway/store/open.js';
import { sealStore } from '../../../../src/gateway/store/sealing/sealed-store.js';
import { openSqliteBackend } from '../../../../src/gateway/store/sqlite/store.js';
import type { Backend, HistoryMessage, Store } from '../../../../src/gateway/store/store.js';
import {
  bytes,
  expectFailure,
  message,
  pendingChange,
  roomUpdate,
  session,
  text,
  trace,
} from '../../../contracts/store/harness.js';
import { makeTempDir, type TempDir } from '../../../support/temp-dir.js';
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

  it('the database files contain no secret in clear, while open and when closed', async () => {
    const whileOpen = await rawBytes(dir.path);
    await store.close();
    const whenClosed = await rawBytes(dir.path);
    for (const raw of [whileOpen, whenClosed]) {
      expect(raw.includes('15550000001'), 'the search does find what is there').to.equal(true);
      expect(found(raw, Object.values(SECRETS))).to.deep.equal([]);
    }
  });

  it('the database files contain nothing of a forgotten session, not even encrypted', async () => {
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

  it('the database files decrypt values only where they were encrypted', async () => {
    await store.keys.commit('acme', { keys: [{ type: 'session', id: 'b', value: bytes('B') }] });
    await store.close();
    const backend = await openSqliteBackend({ dataDir: dir.path });
    const stolen = (await backend.keys.get('acme', 'session', ['b'])).get('b') ?? null;
    await backend.keys.commit('acme', { keys: [{ type: 'session', id: 'a', value: stolen }] });
    await backend.close();
    store = await open();
    await expectFailure(store.keys.get('acme', 'session', ['a']), 'store_damaged');
    expect(text((await store.keys.get('acme', 'session', ['b'])).get('b'))).to.equal('B');
  });

  it('the database files get no data key from requests for sessions that do not exist', async () => {
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

const ROOM = 'acme-1-2';

describe('the sealed history', () => {
  let dir: TempDir;
  let backend: Backend;
  let store: Store;
  beforeEach(async () => {
    dir = await makeTempDir();
    backend = await openSqliteBackend({ dataDir: dir.path });
    store = await sealStore(backend, bytes('encryption-key-of-32-characters!'));
    for (const id of ['M1', 'M2']) await store.history.record('acme', roomUpdate(), message(id));
  });
  afterEach(async () => {
    await store.close();
    await dir.remove();
  });
  const below = async (messageId: string): Promise<HistoryMessage> => {
    const found = await backend.history.message('acme', ROOM, messageId);
    if (!found) throw new Error(`${messageId} is not there`);
    return found;
  };

  for (const field of ['body', 'extras', 'content'] as const) {
    it(`decrypts the ${field} of a message only in its own row`, async () => {
      const [one, other] = [await below('M1'), await below('M2')];
      await backend.history.update('acme', { ...one, [field]: other[field] });
      await expectFailure(store.history.message('acme', ROOM, 'M1'), 'store_damaged');
      const page = await store.history.messages('acme', ROOM, { limit: 2 });
      expect(page.map(({ messageId, body }) => [messageId, body])).to.have.deep.members([
        ['M1', ''],
        ['M2', message('M2').body],
      ]);
      expect(await store.history.message('acme', ROOM, 'M2')).to.deep.equal(message('M2'));
    });
  }

  it('decrypts the last text of a room only with its message', async () => {
    const other = await below('M1');
    await backend.history.update('acme', { ...(await below('M2')), body: other.body });
    await expectFailure(store.history.room('acme', ROOM), 'store_damaged');
    const [room] = await store.history.rooms('acme');
    expect(room).to.include({ chatRoomId: ROOM, lastMessage: '' });
  });

  it('decrypts the name of a room only in that room', async () => {
    await store.history.record('acme', roomUpdate({ chatRoomId: 'R2' }), message('M1', { chatRoomId: 'R2' }));
    const name = (await backend.history.room('acme', 'R2'))?.name;
    await backend.history.updateRoom('acme', ROOM, { name });
    await expectFailure(store.history.room('acme', ROOM), 'store_damaged');
    expect((await store.history.room('acme', 'R2'))?.name).to.equal('Ann');
  });

  it('decrypts pending changes and secrets of messages only in their own rows', async () => {
    await store.history.addPending('acme', pendingChange('C1'));
    const [change] = await backend.history.pending('acme', ROOM, 'M1');
    if (change) await backend.history.addPending('acme', { ...change, targetId: 'M2' });
    expect(await store.history.pending('acme', ROOM, 'M2')).to.deep.equal([]);

    await store.traces.add('acme', trace('M1'));
    await backend.traces.add(
      'acme',
      trace('M2', { secret: (await backend.traces.get('acme', 'M1'))?.secret }),
    );
    await expectFailure(store.traces.get('acme', 'M2'), 'store_damaged');
    expect(await store.traces.get('acme', 'M1')).to.deep.equal(trace('M1'));
  });

  it('decrypts pending changes of a message whose id has lone surrogates, which strangers can send', async () => {
    for (const id of ['\ud800', 'a\udc00\ud800b', '\ufffd\ufffd', '\0']) {
      await store.history.addPending('acme', pendingChange('C1', { targetId: id }));
      expect(await store.history.pending('acme', ROOM, id), JSON.stringify(id)).to.have.lengthOf(1);
    }
  });

  it('reveals nothing of a room but the fields that the port names', async () => {
    expect(await store.history.room('acme', ROOM)).to.not.have.property('lastMessageId');
    expect((await store.history.rooms('acme'))[0]).to.not.have.property('lastMessageId');
  });
});

describe('a list of many sealed sessions', () => {
  let dir: TempDir;
  let store: Store;
  beforeEach(async () => {
    dir = await makeTempDir();
    store = await openStore({ url: 'sqlite', dataDir: dir.path, encryptionKey: ENCRYPTION_KEY });
  });
  afterEach(async () => {
    await store.close();
    await dir.remove();
  });

  it('lets other work run while it decrypts, and returns the sessions that existed when it began', async () => {
    const ids = Array.from({ length: 450 }, (_, index) => `acme-${String(index).padStart(3, '0')}`);
    await Promise.all(
      ids.map((id) => store.sessions.create(session(id, { webhookToken: `token of ${id}` }))),
    );
    const listed = store.sessions.list();
    const [last = ''] = ids.slice(-1);
    await store.forget(last);
    expect((await listed).map(({ clientId, webhookToken }) => [clientId, webhookToken])).to.deep.equal(
      ids.map((id) => [id, `token of ${id}`]),
    );
    let turns = 0;
    const turn = () => {
      turns++;
      immediate = setImmediate(turn);
    };
    let immediate = setImmediate(turn);
    expect((await store.sessions.list()).length).to.equal(ids.length - 1);
    clearImmediate(immediate);
    expect(turns).to.be.at.least(2);
  });
});
