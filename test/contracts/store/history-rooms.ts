import { expect } from 'chai';
import type { HistoryMessage, RoomRecord, RoomUpdate } from '../../../src/store/store.js';
import { message, roomUpdate, type StoreHarness } from './harness.js';

const ROOM: RoomRecord = {
  chatRoomId: 'acme-1-2',
  name: 'Ann',
  myLid: '1',
  clientLid: '2',
  isGroup: true,
  remoteJid: '2@lid',
  lastMessage: 'shown',
  lastMessageFromMe: true,
  lastMessageAt: 1_000,
  unreadCount: 1,
  avatarId: '',
};
const EMPTY = { lastMessage: '', lastMessageFromMe: false, lastMessageAt: 0 };

export function historyRoomsContract(harness: () => StoreHarness): void {
  describe('rooms of the history', () => {
    const history = () => harness().store.history;
    const record = (
      messageId: string,
      fields: Partial<HistoryMessage> = {},
      room: Partial<RoomUpdate> = {},
    ) =>
      history().record('acme', roomUpdate({ lastMessage: messageId, ...room }), message(messageId, fields));
    const room = async (chatRoomId = 'acme-1-2', clientId = 'acme') =>
      plain(await history().room(clientId, chatRoomId));

    it('are there from their first message on, every field', async () => {
      expect(await room()).to.equal(undefined);
      expect(await history().rooms('acme')).to.deep.equal([]);
      await record('M1', {}, { lastMessage: 'shown' });
      expect(await room()).to.deep.equal(ROOM);
      expect((await history().rooms('acme')).map(plain)).to.deep.equal([ROOM]);
    });

    it('are right when they show their newest message and count what others wrote', async () => {
      const check = (repair: boolean) => history().checkRoom('acme', 'acme-1-2', { repair });
      expect(await check(false)).to.equal(true);
      await record('M1', { fromMe: false, sentAt: 1_000 });
      await record('M2', { fromMe: true, sentAt: 2_000 }, { unread: false });
      await record('M3', { fromMe: true, sentAt: 2_000 }, { unread: false });
      expect(await check(true)).to.equal(true);
      await history().updateRoom('acme', 'acme-1-2', { unreadCount: 7 });
      expect(await check(false)).to.equal(false);
      expect(await check(true)).to.equal(false);
      expect(await room()).to.deep.include({ unreadCount: 1, lastMessage: 'body M3' });
      for (const messageId of ['M1', 'M2', 'M3']) await history().remove('acme', 'acme-1-2', messageId);
      expect(await check(true)).to.equal(false);
      expect(await room()).to.deep.include({ ...EMPTY, unreadCount: 0 });
      expect(await check(false)).to.equal(true);
    });

    it('belong to their session', async () => {
      await record('M1');
      expect(await history().rooms('other')).to.deep.equal([]);
      expect(await room('acme-1-2', 'other')).to.equal(undefined);
      expect(await history().updateRoom('other', 'acme-1-2', { name: 'N' })).to.equal(false);
      expect((await room())?.name).to.equal('Ann');
    });

    it('follow what they are told, but keep a name that is not given', async () => {
      await record('M1');
      const news = { name: '', myLid: '7', clientLid: '8', isGroup: false, remoteJid: '8@lid' };
      await record('M2', { sentAt: 500 }, { ...news, unread: false });
      expect(await room()).to.deep.include({ ...news, name: 'Ann', lastMessage: 'M1', unreadCount: 1 });
      await record('M3', { sentAt: 600 }, { name: 'Annie' });
      expect(await room()).to.deep.include({ name: 'Annie', lastMessage: 'M1', unreadCount: 2 });
    });

    it('show the newest message, in whatever order they come', async () => {
      await record('M2', { sentAt: 2_000, fromMe: false });
      await record('M1', { sentAt: 1_000 });
      expect(await room()).to.deep.include({
        lastMessage: 'M2',
        lastMessageAt: 2_000,
        lastMessageFromMe: false,
      });
      await record('M3', { sentAt: 3_000 });
      expect(await room()).to.deep.include({
        lastMessage: 'M3',
        lastMessageAt: 3_000,
        lastMessageFromMe: true,
      });
    });

    it('show of messages of the same instant the one that was recorded last', async () => {
      for (const id of ['C', 'A', 'B']) await record(id);
      await record('A', {}, { lastMessage: 'repeated' });
      expect((await room())?.lastMessage).to.equal('B');
    });

    it('count a message as unread once', async () => {
      await record('M1');
      await record('M2', {}, { unread: false });
      await record('M1');
      await record('M3');
      expect((await room())?.unreadCount).to.equal(2);
    });

    it('count a message once that comes many times at the same moment', async () => {
      const told = await Promise.all(Array.from({ length: 12 }, () => record('M1')));
      expect(told.filter((isNew) => isNew)).to.have.length(1);
      expect((await room())?.unreadCount).to.equal(1);
    });

    it('lose no message of many at the same moment', async () => {
      const numbers = Array.from({ length: 40 }, (_, n) => n);
      const rooms = ['acme-1-2', 'acme-1-3'];
      await Promise.all(
        numbers.flatMap((n) =>
          rooms.map((chatRoomId) => record(`M${n}`, { chatRoomId, sentAt: (n * 7) % 40 }, { chatRoomId })),
        ),
      );
      for (const chatRoomId of rooms) {
        expect(await room(chatRoomId)).to.deep.include({ unreadCount: 40, lastMessageAt: 39 });
        expect(await history().messages('acme', chatRoomId, { limit: 99 })).to.have.length(40);
      }
    });

    it('are listed by their newest activity, then by id', async () => {
      for (const [n, sentAt] of [1_000, 3_000, 2_000, 3_000, 1_000].entries()) {
        const chatRoomId = `acme-1-${n}`;
        await record('M1', { chatRoomId, sentAt }, { chatRoomId });
      }
      const listed = async () => (await history().rooms('acme')).map(({ chatRoomId }) => chatRoomId.at(-1));
      expect(await listed()).to.deep.equal(['1', '3', '2', '0', '4']);
      await record('M2', { chatRoomId: 'acme-1-4', sentAt: 4_000 }, { chatRoomId: 'acme-1-4' });
      expect(await listed()).to.deep.equal(['4', '1', '3', '2', '0']);
    });

    it('show the new text of their last message', async () => {
      await record('M1');
      await record('M2', { sentAt: 2_000 });
      await history().update('acme', message('M1', { body: 'edited' }));
      expect((await room())?.lastMessage).to.equal('M2');
      await history().update('acme', message('M2', { body: 'edited too' }));
      expect(await room()).to.deep.include({
        lastMessage: 'edited too',
        lastMessageAt: 2_000,
        unreadCount: 2,
      });
      await history().update('acme', message('M2', { body: '' }));
      expect((await room())?.lastMessage).to.equal('');
    });

    it('show the message before when their last one is removed', async () => {
      await record('B', { body: 'of B' });
      await record('A', { body: 'of A', fromMe: false });
      await record('C', { sentAt: 2_000 });
      await history().remove('acme', 'acme-1-2', 'C');
      expect(await room()).to.deep.equal({
        ...ROOM,
        lastMessage: 'of A',
        lastMessageFromMe: false,
        unreadCount: 3,
      });
      await history().remove('acme', 'acme-1-2', 'B');
      expect((await room())?.lastMessage).to.equal('of A');
    });

    it('are empty when their only message is removed, and show the next one', async () => {
      await record('M1');
      await history().remove('acme', 'acme-1-2', 'M1');
      expect(await room()).to.deep.equal({ ...ROOM, ...EMPTY });
      await record('M0', { sentAt: 1 });
      expect(await room()).to.deep.include({ lastMessage: 'M0', lastMessageAt: 1 });
    });

    it('stay when all their messages are pruned, and have nothing unread then', async () => {
      await record('M1');
      await record('M1', { chatRoomId: 'acme-1-3', sentAt: 1 }, { chatRoomId: 'acme-1-3' });
      await record('M2', { chatRoomId: 'acme-1-3' }, { chatRoomId: 'acme-1-3', lastMessage: 'kept' });
      expect(await history().prune(1_000)).to.equal(1);
      expect(await room()).to.deep.include({ lastMessage: 'M1', unreadCount: 1 });
      expect(await room('acme-1-3')).to.deep.include({ lastMessage: 'kept', unreadCount: 2 });
      await history().prune(1_001);
      expect(await room()).to.deep.equal({ ...ROOM, ...EMPTY, unreadCount: 0 });
      expect(await history().rooms('acme')).to.have.length(2);
    });

    it('change in the named fields only', async () => {
      await record('M1', {}, { lastMessage: 'shown' });
      const changes = { name: 'N', avatarId: 'F-a' };
      expect(await history().updateRoom('acme', 'acme-1-2', changes)).to.equal(true);
      expect(await room()).to.deep.equal({ ...ROOM, ...changes });
      await history().updateRoom('acme', 'acme-1-2', { name: undefined, unreadCount: 0 });
      expect(await room()).to.deep.equal({ ...ROOM, ...changes, unreadCount: 0 });
      await history().updateRoom('acme', 'acme-1-2', {});
      expect(await room()).to.deep.equal({ ...ROOM, ...changes, unreadCount: 0 });
    });

    it('keep their picture and what was read when a message comes', async () => {
      await record('M1');
      await history().updateRoom('acme', 'acme-1-2', {
        avatarId: 'F-a',
        unreadCount: 0,
      });
      await record('M2');
      expect(await room()).to.deep.include({ avatarId: 'F-a', unreadCount: 1 });
    });

    it('are not made by changing one that is not there', async () => {
      expect(await history().updateRoom('acme', 'acme-1-9', { name: 'N' })).to.equal(false);
      expect(await history().updateRoom('acme', 'acme-1-9', {})).to.equal(false);
      expect(await history().rooms('acme')).to.deep.equal([]);
    });
  });
}

/** The fields of the port; a bare back end may answer more. */
function plain(room: RoomRecord | undefined): RoomRecord | undefined {
  if (!room) return undefined;
  const { chatRoomId, name, myLid, clientLid, isGroup, remoteJid } = room;
  const { lastMessage, lastMessageFromMe, lastMessageAt, unreadCount, avatarId } = room;
  return {
    ...{ chatRoomId, name, myLid, clientLid, isGroup, remoteJid },
    ...{ lastMessage, lastMessageFromMe, lastMessageAt, unreadCount, avatarId },
  };
}
