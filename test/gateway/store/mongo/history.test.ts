import { expect } from 'chai';
import { openMongoBackend } from '../../../../src/gateway/store/mongo/store.js';
import type { Backend, HistoryStore, RoomMove } from '../../../../src/gateway/store/store.js';
import { expectFailure, message, roomUpdate } from '../../../contracts/store/harness.js';
import { startTcpProxy, type TcpProxy, type Verdict } from '../../../support/tcp-proxy.js';
import {
  breakAt,
  MONGODB_URL,
  makeTestDatabase,
  serverAddress,
  type TestDatabase,
  throughProxy,
} from '../support/mongo.js';

const ROOM = 'acme-1-2';
const OTHER_ROOM = 'acme-1-3';
const VERDICTS: readonly Verdict[] = ['cut', 'cut-answer'];

/** The requests of a change to the server, in order. */
const RECORDING = { 'looks whether it is there': 1, 'tells the room': 2, 'inserts the message': 3 };
const UPDATING = { 'replaces the message': 1, 'changes the room': 2 };
const MOVING = {
  'moves the pending changes': 1,
  'looks for the room': 2,
  'looks at it again': 3,
  'makes or unites the other one': 4,
  'reads the messages': 5,
  'moves one of two': 6,
  'looks for more': 8,
  'deletes the room': 11,
};
const REMOVING = { 'looks for the one before': 1, 'changes the room': 2, 'deletes the message': 3 };

if (MONGODB_URL) suite(MONGODB_URL);

function suite(server: string): void {
  describe('history in MongoDB', () => {
    let database: TestDatabase;
    let proxy: TcpProxy;
    let broken: Backend;
    let other: Backend;
    beforeEach(async () => {
      database = makeTestDatabase(server);
      proxy = await startTcpProxy(...serverAddress(server));
      other = await openMongoBackend(database);
      await record(other.history, 'M0', 500);
      broken = await openMongoBackend({
        url: `${throughProxy(database, proxy.port)}&serverSelectionTimeoutMS=1000`,
      });
    });
    afterEach(async () => {
      proxy.restore();
      await broken.close();
      await other.close();
      await proxy.stop();
      await database.drop();
    });

    /** Interrupts a change at that request; later requests have a working connection. */
    const interrupt = async (change: () => Promise<unknown>, request: number, verdict: Verdict) => {
      proxy.watch(breakAt(request, database.name, verdict));
      await expectFailure(change(), 'store_unavailable');
      proxy.restore();
    };

    for (const verdict of VERDICTS) {
      for (const [step, request] of Object.entries(RECORDING)) {
        it(`counts a message once whose recording was interrupted: ${verdict} as it ${step}`, async () => {
          await interrupt(() => record(broken.history, 'M1'), request, verdict);
          // others come before it comes again, to another process
          for (const id of ['M2', 'M3']) await record(other.history, id);
          await record(other.history, 'M1');
          expect(await record(broken.history, 'M1')).to.equal(false);
          expect(await other.history.room('acme', ROOM)).to.include({ unreadCount: 4, lastMessageAt: 1_000 });
          expect(await ids(other.history)).to.have.members(['M0', 'M1', 'M2', 'M3']);
        });
      }

      for (const [step, request] of Object.entries(UPDATING)) {
        it(`completes an interrupted change when it is repeated: ${verdict} as it ${step}`, async () => {
          const edited = message('M0', { body: 'edited', sentAt: 500 });
          await interrupt(() => broken.history.update('acme', edited), request, verdict);
          expect(await other.history.update('acme', edited)).to.equal(true);
          expect(await other.history.room('acme', ROOM)).to.include({
            lastMessage: 'edited',
            unreadCount: 1,
          });
          expect((await other.history.message('acme', ROOM, 'M0'))?.body).to.equal('edited');
        });
      }

      for (const [step, request] of Object.entries(REMOVING)) {
        it(`completes an interrupted removal when it is repeated: ${verdict} as it ${step}`, async () => {
          await record(other.history, 'M1');
          await interrupt(() => broken.history.remove('acme', ROOM, 'M1'), request, verdict);
          await other.history.remove('acme', ROOM, 'M1');
          expect(await other.history.room('acme', ROOM)).to.include({
            lastMessageId: 'M0',
            lastMessageAt: 500,
          });
          expect(await ids(other.history)).to.deep.equal(['M0']);
        });
      }

      for (const [step, request] of Object.entries(MOVING)) {
        it(`completes an interrupted rename when it is repeated: ${verdict} as it ${step}`, async () => {
          await record(other.history, 'M1');
          await other.history.record('acme', roomUpdate({ chatRoomId: OTHER_ROOM }), moved(message('M2')));
          await interrupt(() => broken.history.rekey('acme', MOVE), request, verdict);
          await other.history.rekey('acme', MOVE);
          expect(await other.history.room('acme', ROOM)).to.equal(undefined);
          expect(await other.history.room('acme', OTHER_ROOM)).to.include({ unreadCount: 3 });
          expect(await ids(other.history)).to.deep.equal([]);
          expect(await ids(other.history, OTHER_ROOM)).to.deep.equal(['M0', 'M1', 'M2']);
        });
      }
    }

    it('lists one room at every instant while a room is merged into another', async () => {
      await other.history.record('acme', roomUpdate({ chatRoomId: OTHER_ROOM }), moved(message('M2')));
      await interrupt(() => broken.history.rekey('acme', MOVE), MOVING['reads the messages'], 'cut-answer');
      const rooms = await other.history.rooms('acme');
      expect(rooms.map(({ chatRoomId, unreadCount }) => [chatRoomId, unreadCount])).to.deep.equal([
        [OTHER_ROOM, 2],
      ]);
    });

    it('shows no text of a deleted message at any instant', async () => {
      await record(other.history, 'M1');
      await interrupt(() => broken.history.remove('acme', ROOM, 'M1'), 3, 'cut-answer');
      expect(await other.history.room('acme', ROOM)).to.include({ lastMessage: 'body M0' });
    });

    it('counts a message once that two daemons record at the same time', async () => {
      const backends = [broken, other];
      for (let round = 0; round < 10; round += 1) {
        const told = await Promise.all(backends.map(({ history }) => record(history, `R${round}`)));
        expect(told.filter((isNew) => isNew)).to.have.length(1);
      }
      expect((await other.history.room('acme', ROOM))?.unreadCount).to.equal(11);
    });

    it('stores texts literally that look like expressions', async () => {
      const room = roomUpdate({
        chatRoomId: '$name',
        name: '$remoteJid',
        lastMessage: '$$ROOT',
        myLid: '$x',
      });
      for (const id of ['$lastMessage', '$counted']) {
        await other.history.record('acme', room, message(id, { chatRoomId: '$name', body: '$body' }));
      }
      expect(await other.history.room('acme', '$name')).to.include({
        name: '$remoteJid',
        lastMessage: '$$ROOT',
        myLid: '$x',
        unreadCount: 2,
      });
    });

    it("limits the room's list of recently counted messages", async () => {
      for (let n = 0; n < 50; n += 1) await record(other.history, `N${n}`);
      const counted = await database.inspect(async (db) => (await db.collection('rooms').findOne())?.counted);
      expect(counted).to.have.length(32).and.include('N49');
    });

    it('reads a page of a room and the list of rooms by an index, in their order', async () => {
      const plans = await database.inspect(async (db) => [
        await db
          .collection('messages')
          .find({ clientId: 'acme', chatRoomId: ROOM })
          .sort({ sentAt: -1, _id: -1 })
          .explain('queryPlanner'),
        await db
          .collection('rooms')
          .find({ clientId: 'acme' })
          .sort({ lastMessageAt: -1, chatRoomId: 1 })
          .explain('queryPlanner'),
      ]);
      for (const plan of plans) expect(JSON.stringify(plan)).to.include('IXSCAN').and.not.include('"SORT"');
    });
  });
}

function record(history: HistoryStore, messageId: string, sentAt = 1_000): Promise<boolean> {
  const room = roomUpdate({ lastMessage: `body ${messageId}` });
  return history.record('acme', room, message(messageId, { sentAt }));
}

const moved = <T extends { chatRoomId: string }>(what: T): T => ({ ...what, chatRoomId: OTHER_ROOM });
const MOVE: RoomMove = { from: ROOM, to: OTHER_ROOM, room: moved, message: moved, pending: moved };

async function ids(history: HistoryStore, chatRoomId = ROOM): Promise<string[]> {
  return (await history.messages('acme', chatRoomId, { limit: 99 })).map(({ messageId }) => messageId);
}
