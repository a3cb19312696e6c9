import { Readable } from 'node:stream';
import { expect } from 'chai';
import { readReason } from '../../../../src/domain/reasons.js';
import { openMongoBackend } from '../../../../src/gateway/store/mongo/store.js';
import { sealStore } from '../../../../src/gateway/store/sealing/sealed-store.js';
import { openSqliteBackend } from '../../../../src/gateway/store/sqlite/store.js';
import { type Backend, heldRecords, type Store } from '../../../../src/gateway/store/store.js';
import {
  bytes,
  entry,
  expectFailure,
  failed,
  keptEvent,
  message,
  newFile,
  pendingChange,
  roomUpdate,
  sent,
  session,
  waiting,
} from '../../../contracts/store/harness.js';
import { makeTempDir } from '../../../support/temp-dir.js';
import { MONGODB_URL, makeTestDatabase } from '../support/mongo.js';

const KEY = bytes('encryption-key-of-32-characters!');

suite('SQLite', async () => {
  const dir = await makeTempDir();
  return { backend: await openSqliteBackend({ dataDir: dir.path }), remove: () => dir.remove() };
});
if (MONGODB_URL) {
  const server = MONGODB_URL;
  suite('MongoDB', async () => {
    const database = makeTestDatabase(server);
    return { backend: await openMongoBackend(database), remove: () => database.drop() };
  });
}

function suite(name: string, open: () => Promise<{ backend: Backend; remove(): Promise<void> }>): void {
  describe(`a row of ${name} that was moved from another session`, () => {
    let backend: Backend;
    let store: Store;
    let remove: () => Promise<void>;
    beforeEach(async () => {
      ({ backend, remove } = await open());
      store = await sealStore(backend, KEY);
      for (const clientId of ['acme', 'other']) await store.sessions.create(session(clientId));
    });
    afterEach(async () => {
      await backend.close();
      await remove();
    });
    /** What the store of another session has, as it is stored. */
    const stolen = <T>(found: T | undefined): T => {
      if (!found) throw new Error('nothing is stored');
      return found;
    };

    it('is shown as damaged among failed deliveries, and stops none of them', async () => {
      await store.failedDeliveries.add(failed('a', { failedAt: 1 }), 10);
      await store.failedDeliveries.add(failed('b', { clientId: 'other', failedAt: 2 }), 10);
      const moved = stolen(await backend.failedDeliveries.get('b'));
      await backend.failedDeliveries.add({ ...moved, id: 'c', clientId: 'acme', failedAt: 3 }, 10);
      const found = await store.failedDeliveries.list({ clientId: 'acme', limit: 9 });
      expect(found.map(({ id, body }) => [id, body])).to.deep.equal([
        ['c', ''],
        ['a', '{"id":"a"}'],
      ]);
      expect(readReason(found[0]?.reason ?? '')?.code).to.equal('event_damaged');
      await expectFailure(store.failedDeliveries.get('c'), 'store_damaged');
    });

    it('stops no kept and no waiting event', async () => {
      await store.keptEvents.add(keptEvent('a'));
      await store.keptEvents.add(keptEvent('b', { clientId: 'other' }));
      const kept = stolen(await backend.keptEvents.get('other', 'b'));
      await backend.keptEvents.add({ ...kept, id: 'c', clientId: 'acme' });
      expect((await store.keptEvents.get('acme', 'a'))?.body).to.equal('{"id":"a"}');
      await expectFailure(store.keptEvents.get('acme', 'c'), 'store_damaged');
      await store.waitingDeliveries.add(waiting('a'));
      await backend.waitingDeliveries.add({ ...waiting('c'), body: kept.body });
      expect(await store.waitingDeliveries.list('acme')).to.have.length(2);
      await expectFailure(store.waitingDeliveries.get('c'), 'store_damaged');
    });

    it('is left out of own messages, open and held', async () => {
      const held = { held: '{"rule":"hours"}' };
      await store.sends.put('acme', sent('M1', held));
      await store.sends.put('other', sent('M2', { to: '15550000003@s.whatsapp.net', ...held }));
      const moved = stolen(await backend.sends.get('other', 'M2'));
      await backend.sends.put('acme', moved);
      expect((await store.sends.open('acme')).map(({ messageId }) => messageId)).to.deep.equal(['M1']);
      const found: string[] = [];
      for await (const { messageId } of heldRecords(store.sends, 'acme')) found.push(messageId);
      expect(found).to.deep.equal(['M1']);
      expect(await store.sends.held('acme', 9)).to.have.length(2);
    });

    it('is left out of the journal', async () => {
      await store.keys.commit('acme', { journal: [entry('1')] });
      await store.keys.commit('other', { journal: [entry('2')] });
      const moved = stolen(await backend.journal.get('other', '2'));
      await backend.keys.commit('acme', { journal: [moved] });
      const ids = (entries: { id: string }[]) => entries.map(({ id }) => id);
      expect(ids(await store.journal.open('acme'))).to.deep.equal(['1']);
      expect(ids(await store.journal.since('acme', 0, 9))).to.deep.equal(['1']);
      expect(ids(await store.journal.ofMessage('acme', moved.messageId))).not.to.include('2');
    });

    it('is shown without its content in the history, so that pages keep their length', async () => {
      await store.history.record('acme', roomUpdate(), message('M1'));
      await store.history.record('other', roomUpdate(), message('M2', { sentAt: 2_000 }));
      const moved = stolen(await backend.history.message('other', 'acme-1-2', 'M2'));
      await backend.history.record('acme', roomUpdate({ name: moved.body }), moved);
      const page = await store.history.messages('acme', 'acme-1-2', { limit: 9 });
      expect(page.map(({ messageId, body }) => [messageId, body])).to.deep.equal([
        ['M1', 'body M1'],
        ['M2', ''],
      ]);
      expect(await store.history.rooms('acme')).to.have.nested.property('[0].name', '');
      await store.history.addPending('acme', pendingChange('P1'));
      await backend.history.addPending('acme', pendingChange('P2'));
      const waits = await store.history.pending('acme', 'acme-1-2', 'M1');
      expect(waits.map(({ messageId }) => messageId)).to.deep.equal(['P1']);
    });

    it('is shown without its name in the media library', async () => {
      await store.files.write(newFile(), Readable.from([bytes('file')]));
      await backend.files.write(newFile({ messageId: 'M2' }), Readable.from([bytes('file')]));
      const { files, total } = await store.files.list('acme', { page: 1, limit: 9 });
      expect(total).to.equal(2);
      expect(files.map(({ fileName }) => fileName)).to.have.members(['', newFile().fileName]);
    });
  });
}
