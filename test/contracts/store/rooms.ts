import { expect } from 'chai';
import type { HistoryMessage, RoomRecord, RoomUpdate } from '../../../src/gateway/store/store.js';
import { message, pendingChange, roomUpdate, type StoreHarness } from './harness.js';

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

    it('rooms exist from their first message on, with every field', async () => {
      expect(await room()).to.equal(undefined);
      expect(await history().rooms('acme')).to.deep.equal([]);
      await record('M1', {}, { lastMessage: 'shown' });
      expect(await room()).to.deep.equal(ROOM);
      expect((await history().rooms('acme')).map(plain)).to.deep.equal([ROOM]);
    });

    it('rooms pass the check when the last message and the unread count are correct', async () => {
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

    it('rooms neither show nor count a vote', async () => {
      const vote = { messageType: 'vote_update', body: 'Soup' };
      const check = () => history().checkRoom('acme', 'acme-1-2', { repair: false });
      await record('V0', { ...vote, sentAt: 500 }, { unread: false });
      expect(await room()).to.deep.include({ ...EMPTY, unreadCount: 0 });
      expect(await check()).to.equal(true);
      await record('M1', { sentAt: 1_000, fromMe: true });
      await record('M2', { sentAt: 2_000, fromMe: true });
      await record('V1', { ...vote, sentAt: 3_000 }, { unread: false });
      const shown = { lastMessage: 'M2', lastMessageFromMe: true, lastMessageAt: 2_000 };
      expect(await room()).to.deep.include(shown);
      await history().update('acme', message('V1', { ...vote, body: 'Salad' }));
      expect(await room()).to.deep.include(shown);
      await history().remove('acme', 'acme-1-2', 'M2');
      expect(await room()).to.deep.include({ lastMessage: 'body M1', lastMessageAt: 1_000 });
      expect(await history().messages('acme', 'acme-1-2', { limit: 9 })).to.have.length(3);
    });

    it('rooms keep the settings of their chat', async () => {
      await record('M1');
      const settings = { archived: true, mutedUntil: 253_402_300_799_999, pinned: false };
      await history().updateRoom('acme', 'acme-1-2', settings);
      await history().updateRoom('acme', 'acme-1-2', { archived: false, name: 'Annie' });
      await record('M2', { sentAt: 2_000 });
      const kept = await history().room('acme', 'acme-1-2');
      expect(kept).to.include({ ...settings, archived: false, unreadCount: 2 });
    });

    it('rooms belong to their session', async () => {
      await record('M1');
      expect(await history().rooms('other')).to.deep.equal([]);
      expect(await room('acme-1-2', 'other')).to.equal(undefined);
      expect(await history().updateRoom('other', 'acme-1-2', { name: 'N' })).to.equal(false);
      expect((await room())?.name).to.equal('Ann');
    });

    it('rooms take over the given fields, and keep their name without a new one', async () => {
      await record('M1');
      const news = { name: '', myLid: '7', clientLid: '8', isGroup: false, remoteJid: '8@lid' };
      await record('M2', { sentAt: 500 }, { ...news, unread: false });
      expect(await room()).to.deep.include({ ...news, name: 'Ann', lastMessage: 'M1', unreadCount: 1 });
      await record('M3', { sentAt: 600 }, { name: 'Annie' });
      expect(await room()).to.deep.include({ name: 'Annie', lastMessage: 'M1', unreadCount: 2 });
    });

    it('rooms show the newest message, whatever the order of recording', async () => {
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

    it('rooms show the message that was recorded last among those of the same instant', async () => {
      for (const id of ['C', 'A', 'B']) await record(id);
      await record('A', {}, { lastMessage: 'repeated' });
      expect((await room())?.lastMessage).to.equal('B');
    });

    it('rooms count a message as unread once', async () => {
      await record('M1');
      await record('M2', {}, { unread: false });
      await record('M1');
      await record('M3');
      expect((await room())?.unreadCount).to.equal(2);
    });

    it('rooms count a message once that is recorded many times at the same time', async () => {
      const told = await Promise.all(Array.from({ length: 12 }, () => record('M1')));
      expect(told.filter((isNew) => isNew)).to.have.length(1);
      expect((await room())?.unreadCount).to.equal(1);
    });

    it('rooms lose none of many concurrent messages', async () => {
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

    it('rooms are listed by their newest activity, then by id', async () => {
      for (const [n, sentAt] of [1_000, 3_000, 2_000, 3_000, 1_000].entries()) {
        const chatRoomId = `acme-1-${n}`;
        await record('M1', { chatRoomId, sentAt }, { chatRoomId });
      }
      const listed = async () => (await history().rooms('acme')).map(({ chatRoomId }) => chatRoomId.at(-1));
      expect(await listed()).to.deep.equal(['1', '3', '2', '0', '4']);
      await record('M2', { chatRoomId: 'acme-1-4', sentAt: 4_000 }, { chatRoomId: 'acme-1-4' });
      expect(await listed()).to.deep.equal(['4', '1', '3', '2', '0']);
    });

    it('rooms show the new text of their last message', async () => {
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

    it('rooms show the previous message when their last one is removed', async () => {
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

    it('rooms are empty when their only message is removed, and show the next one', async () => {
      await record('M1');
      await history().remove('acme', 'acme-1-2', 'M1');
      expect(await room()).to.deep.equal({ ...ROOM, ...EMPTY });
      await record('M0', { sentAt: 1 });
      expect(await room()).to.deep.include({ lastMessage: 'M0', lastMessageAt: 1 });
    });

    it('remain when all their messages are pruned, without unread ones', async () => {
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

    it('rooms keep their picture and their read state when a message arrives', async () => {
      await record('M1');
      await history().updateRoom('acme', 'acme-1-2', {
        avatarId: 'F-a',
        unreadCount: 0,
      });
      await record('M2');
      expect(await room()).to.deep.include({ avatarId: 'F-a', unreadCount: 1 });
    });

    it('rooms are not created by a change', async () => {
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

export function pendingChangesContract(harness: () => StoreHarness): void {
  describe('pending changes', () => {
    const history = () => harness().store.history;
    const pending = (targetId = 'M1', chatRoomId = 'acme-1-2', clientId = 'acme') =>
      history().pending(clientId, chatRoomId, targetId);

    it('returns every field of a pending change', async () => {
      await history().addPending('acme', pendingChange('C1'));
      expect(await pending()).to.deep.equal([pendingChange('C1')]);
    });

    it('keeps the pending changes of messages, rooms and sessions apart', async () => {
      await history().addPending('acme', pendingChange('C1'));
      await history().addPending('acme', pendingChange('C1', { targetId: 'M2' }));
      await history().addPending('acme', pendingChange('C1', { chatRoomId: 'acme-1-3' }));
      await history().addPending('other', pendingChange('C1', { at: 9 }));
      expect(await pending()).to.deep.equal([pendingChange('C1')]);
      expect(await pending('M2')).to.deep.equal([pendingChange('C1', { targetId: 'M2' })]);
      expect(await pending('M1', 'acme-1-3')).to.have.length(1);
      expect(await pending('M1', 'acme-1-2', 'other')).to.deep.equal([pendingChange('C1', { at: 9 })]);
      expect(await pending('never there')).to.deep.equal([]);
    });

    it('returns pending changes by time, then in the order in which they were added', async () => {
      for (const [id, at] of Object.entries({ C3: 30, C1: 10, B2: 20, A2: 20 })) {
        await history().addPending('acme', pendingChange(id, { at }));
      }
      expect((await pending()).map(({ messageId }) => messageId)).to.deep.equal(['C1', 'B2', 'A2', 'C3']);
    });

    it('keeps the first of equal pending changes', async () => {
      await history().addPending('acme', pendingChange('C1'));
      await Promise.all(
        [2_000, 3_000].map((at) => history().addPending('acme', pendingChange('C1', { at, change: {} }))),
      );
      expect(await pending()).to.deep.equal([pendingChange('C1')]);
    });

    it('keeps pending changes until all those of a message are removed', async () => {
      for (const id of ['C1', 'C2']) await history().addPending('acme', pendingChange(id));
      await history().addPending('acme', pendingChange('C3', { targetId: 'M2' }));
      await pending();
      expect(await pending()).to.have.length(2);
      await history().removePending('acme', 'acme-1-2', 'M1');
      await history().removePending('acme', 'acme-1-2', 'never there');
      expect(await pending()).to.deep.equal([]);
      expect(await pending('M2')).to.have.length(1);
    });

    it('lists the messages of a room that have pending changes, each once', async () => {
      for (const id of ['C1', 'C2']) await history().addPending('acme', pendingChange(id));
      await history().addPending('acme', pendingChange('C3', { targetId: 'M2' }));
      await history().addPending('acme', pendingChange('C4', { targetId: 'M3', chatRoomId: 'acme-1-3' }));
      await history().addPending('other', pendingChange('C5', { targetId: 'M4' }));
      expect(await history().pendingTargets('acme', 'acme-1-2')).to.have.members(['M1', 'M2']);
      expect(await history().pendingTargets('acme', 'acme-1-9')).to.deep.equal([]);
    });

    it('prunes pending changes from before a time', async () => {
      await history().addPending('acme', pendingChange('C1', { at: 999 }));
      await history().addPending('other', pendingChange('C2', { at: 1 }));
      await history().addPending('acme', pendingChange('C3', { at: 1_000 }));
      expect(await history().prunePending(1_000)).to.equal(2);
      expect((await pending()).map(({ messageId }) => messageId)).to.deep.equal(['C3']);
    });

    it('stores and returns copies', async () => {
      const given = pendingChange('C1');
      await history().addPending('acme', given);
      given.change.type = 'changed';
      const [got] = await pending();
      if (got) got.change.type = 'changed';
      expect(await pending()).to.deep.equal([pendingChange('C1')]);
    });
  });
}
