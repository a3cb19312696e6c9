import { setImmediate } from 'node:timers/promises';
import { expect } from 'chai';
import { openSqliteBackend } from '../../../../src/gateway/store/sqlite/store.js';
import type { Backend } from '../../../../src/gateway/store/store.js';
import { message, roomUpdate } from '../../../contracts/store/harness.js';
import { FROM, MOVE, TO } from '../../../contracts/store/rekey.js';
import { makeTempDir, type TempDir } from '../../../support/temp-dir.js';

const IDS = Array.from({ length: 60 }, (_, count) => `M${String(count).padStart(2, '0')}`);

describe('a renamed room of many messages in SQLite', () => {
  let folder: TempDir;
  let store: Backend;

  beforeEach(async () => {
    folder = await makeTempDir();
    store = await openSqliteBackend({ dataDir: folder.path });
    for (const id of IDS) {
      await store.history.record('acme', roomUpdate({ chatRoomId: FROM }), message(id, { chatRoomId: FROM }));
    }
  });
  afterEach(async () => {
    await store.close();
    await folder.remove();
  });

  async function ids(chatRoomId: string): Promise<string[]> {
    const found = await store.history.messages('acme', chatRoomId, { limit: 999 });
    return found.map(({ messageId }) => messageId);
  }

  it('lets other work of the process run in between', async () => {
    const order: string[] = [];
    await Promise.all([
      store.history.rekey('acme', MOVE).then(() => order.push('moved')),
      setImmediate().then(() => order.push('other work')),
    ]);
    expect(order).to.deep.equal(['other work', 'moved']);
    expect(await ids(TO)).to.deep.equal(IDS);
  });

  it('loses and duplicates nothing when its move is cut off and repeated', async () => {
    const moving = store.history.rekey('acme', MOVE).then(
      () => 'moved',
      () => 'cut off',
    );
    await store.close();
    expect(await moving).to.equal('cut off');
    store = await openSqliteBackend({ dataDir: folder.path });
    const [before, after] = [await ids(FROM), await ids(TO)];
    expect(after).not.to.be.empty;
    expect([...after, ...before]).to.deep.equal(IDS);
    expect(await store.history.rekey('acme', MOVE)).to.equal(true);
    expect(await ids(TO)).to.deep.equal(IDS);
    expect(await ids(FROM)).to.deep.equal([]);
    expect(await store.history.room('acme', FROM)).to.equal(undefined);
    expect(await store.history.room('acme', TO)).to.include({ unreadCount: IDS.length });
  });
});
