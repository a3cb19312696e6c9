import { expect } from 'chai';
import { GatewayError } from '../../src/domain/errors.js';
import { type RoomChange, tellingOfRooms } from '../../src/services/inbox/room-changes.js';
import { personMove } from '../../src/services/people/person-move.js';
import { openStore } from '../../src/store/open.js';
import type { Store } from '../../src/store/store.js';
import { message, roomUpdate } from '../contracts/store/harness.js';
import { makeTempDir, type TempDir } from '../support/temp-dir.js';

const ROOM = 'acme-1-2';
const ROW = { clientId: 'acme', chatRoomId: ROOM, messageId: 'M1' };

describe('a store that tells which rooms have changed', () => {
  let folder: TempDir;
  let plain: Store;
  let store: Store;
  let changes: RoomChange[];

  beforeEach(async () => {
    folder = await makeTempDir();
    plain = await openStore({ url: 'sqlite', dataDir: folder.path, encryptionKey: new Uint8Array(32) });
    changes = [];
    store = tellingOfRooms(plain, (change) => changes.push(change));
  });
  afterEach(async () => {
    await plain.close();
    await folder.remove();
  });

  const record = () => store.history.record('acme', roomUpdate(), message('M1'));

  it('tells of a message that came, changed and went', async () => {
    await record();
    await store.history.update('acme', message('M1', { body: 'better' }));
    await store.history.remove('acme', ROOM, 'M1');
    expect(changes).to.deep.equal([ROW, ROW, ROW]);
  });

  it('tells of the room alone when that changed alone', async () => {
    await record();
    changes.length = 0;
    await store.history.updateRoom('acme', ROOM, { unreadCount: 0 });
    await store.history.updateRoom('acme', ROOM, { avatarId: 'F1' });
    expect(changes).to.deep.equal(Array(2).fill({ clientId: 'acme', chatRoomId: ROOM }));
  });

  it('tells what a room was called before', async () => {
    await record();
    changes.length = 0;
    await store.history.rekey('acme', personMove(ROOM, { lid: '3', pn: '2' }));
    expect(changes).to.deep.equal([{ clientId: 'acme', chatRoomId: 'acme-1-3', formerId: ROOM }]);
  });

  it('tells nothing when nothing is there to change', async () => {
    await store.history.update('acme', message('M1'));
    await store.history.remove('acme', ROOM, 'M1');
    await store.history.updateRoom('acme', ROOM, { unreadCount: 0 });
    await store.history.rekey('acme', personMove(ROOM, { lid: '3', pn: '2' }));
    expect(changes).to.deep.equal([]);
  });

  it('tells of what failed: it may have been written all the same', async () => {
    const fail = (..._given: unknown[]) =>
      Promise.reject(new GatewayError('store_unavailable', 'no answer came'));
    const failing = { ...plain.history, record: fail, update: fail };
    const { history } = tellingOfRooms({ history: failing }, (change) => changes.push(change));
    const codes = [
      history.record('acme', roomUpdate(), message('M1')),
      history.update('acme', message('M1')),
    ].map((writing) => writing.then(String, (error) => error.code));
    expect(await Promise.all(codes)).to.deep.equal(['store_unavailable', 'store_unavailable']);
    expect(changes).to.deep.equal([ROW, ROW]);
  });
});
