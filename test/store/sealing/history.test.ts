import { expect } from 'chai';
import { sealStore } from '../../../src/store/sealing/sealed-store.js';
import { openSqliteBackend } from '../../../src/store/sqlite/sqlite-store.js';
import type { Backend, HistoryMessage, Store } from '../../../src/store/store.js';
import {
  bytes,
  expectFailure,
  message,
  pendingChange,
  roomUpdate,
  trace,
} from '../../contracts/store/harness.js';
import { makeTempDir, type TempDir } from '../../support/temp-dir.js';

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
    it(`opens the ${field} of a message only in its own row`, async () => {
      const [one, other] = [await below('M1'), await below('M2')];
      await backend.history.update('acme', { ...one, [field]: other[field] });
      await expectFailure(store.history.message('acme', ROOM, 'M1'), 'store_unavailable');
      await expectFailure(store.history.messages('acme', ROOM, { limit: 2 }), 'store_unavailable');
      expect(await store.history.message('acme', ROOM, 'M2')).to.deep.equal(message('M2'));
    });
  }

  it('opens the text that a room shows only with its message', async () => {
    const other = await below('M1');
    await backend.history.update('acme', { ...(await below('M2')), body: other.body });
    await expectFailure(store.history.room('acme', ROOM), 'store_unavailable');
    await expectFailure(store.history.rooms('acme'), 'store_unavailable');
  });

  it('opens the name of a room only there', async () => {
    await store.history.record('acme', roomUpdate({ chatRoomId: 'R2' }), message('M1', { chatRoomId: 'R2' }));
    const name = (await backend.history.room('acme', 'R2'))?.name;
    await backend.history.updateRoom('acme', ROOM, { name });
    await expectFailure(store.history.room('acme', ROOM), 'store_unavailable');
    expect((await store.history.room('acme', 'R2'))?.name).to.equal('Ann');
  });

  it('opens pending changes and secrets of messages only where they were put', async () => {
    await store.history.addPending('acme', pendingChange('C1'));
    const [change] = await backend.history.pending('acme', ROOM, 'M1');
    if (change) await backend.history.addPending('acme', { ...change, targetId: 'M2' });
    await expectFailure(store.history.pending('acme', ROOM, 'M2'), 'store_unavailable');

    await store.traces.add('acme', trace('M1'));
    await backend.traces.add(
      'acme',
      trace('M2', { secret: (await backend.traces.get('acme', 'M1'))?.secret }),
    );
    await expectFailure(store.traces.get('acme', 'M2'), 'store_unavailable');
    expect(await store.traces.get('acme', 'M1')).to.deep.equal(trace('M1'));
  });

  it('says nothing of a room but what the port names', async () => {
    expect(await store.history.room('acme', ROOM)).to.not.have.property('lastMessageId');
    expect((await store.history.rooms('acme'))[0]).to.not.have.property('lastMessageId');
  });
});
