import { Readable } from 'node:stream';
import { expect } from 'chai';
import type {
  BackendRoom,
  HistoryMessage,
  PendingChange,
  RoomMove,
  RoomUpdate,
} from '../../../src/store/store.js';
import { expectedFile } from './expected-files.js';
import { bytes, message, newFile, pendingChange, roomUpdate, type StoreHarness } from './harness.js';

export const FROM = 'acme-1-155';
export const TO = 'acme-1-2';
const BY_NUMBER = { chatRoomId: FROM, clientLid: '', remoteJid: '155@s.whatsapp.net', isGroup: false };
const BY_LID = { chatRoomId: TO, clientLid: '2', remoteJid: '2@lid', isGroup: false };

/** A room that was known by number is known by LID now. */
export const MOVE: RoomMove = {
  from: FROM,
  to: TO,
  room: (room: BackendRoom) => ({ ...room, ...BY_LID }),
  message: (found: HistoryMessage) => ({
    ...found,
    chatRoomId: TO,
    author: '2@lid',
    extras: { ...found.extras, moved: true },
  }),
  pending: (pending: PendingChange) => ({
    ...pending,
    chatRoomId: TO,
    change: { ...pending.change, moved: true },
  }),
};

export function rekeyContract(harness: () => StoreHarness): void {
  describe('rooms that are moved', () => {
    const history = () => harness().store.history;
    const byNumber = (
      messageId: string,
      fields: Partial<HistoryMessage> = {},
      room: Partial<RoomUpdate> = {},
    ) =>
      history().record(
        'acme',
        roomUpdate({ ...BY_NUMBER, lastMessage: `body ${messageId}`, ...room }),
        message(messageId, { chatRoomId: FROM, author: '155@s.whatsapp.net', ...fields }),
      );
    const byLid = (messageId: string, fields: Partial<HistoryMessage> = {}, room: Partial<RoomUpdate> = {}) =>
      history().record(
        'acme',
        roomUpdate({ ...BY_LID, lastMessage: `body ${messageId}`, ...room }),
        message(messageId, { chatRoomId: TO, ...fields }),
      );
    const ids = async (chatRoomId: string) =>
      (await history().messages('acme', chatRoomId, { limit: 999 })).map(({ messageId }) => messageId);

    it('take all they hold along, each message as it becomes', async () => {
      for (const id of ['M1', 'M2']) await byNumber(id);
      await history().updateRoom('acme', FROM, { avatarId: 'F-p' });
      expect(await history().rekey('acme', MOVE)).to.equal(true);
      const rooms = await history().rooms('acme');
      expect(rooms).to.have.length(1);
      expect(rooms[0]).to.include({
        ...BY_LID,
        name: 'Ann',
        myLid: '1',
        lastMessage: 'body M2',
        lastMessageFromMe: true,
        lastMessageAt: 1_000,
        unreadCount: 2,
        avatarId: 'F-p',
      });
      expect(await history().room('acme', FROM)).to.equal(undefined);
      expect(await ids(FROM)).to.deep.equal([]);
      expect(await ids(TO)).to.deep.equal(['M1', 'M2']);
      const { extras } = message('M1');
      expect(await history().message('acme', TO, 'M1')).to.deep.equal(
        message('M1', { chatRoomId: TO, extras: { ...extras, moved: true } }),
      );
      expect(await history().message('acme', FROM, 'M1')).to.equal(undefined);
    });

    it('are found while they go by a number', async () => {
      await byNumber('M1');
      await byLid('M2');
      await history().record('other', roomUpdate(BY_NUMBER), message('M1', { chatRoomId: FROM }));
      const { chatRoomId, remoteJid } = BY_NUMBER;
      expect(await history().roomsByNumber('acme')).to.deep.equal([{ chatRoomId, remoteJid }]);
      await history().rekey('acme', MOVE);
      expect(await history().roomsByNumber('acme')).to.deep.equal([]);
    });

    it('unite with the one that is there: messages by time, unread counts added, the newest shown', async () => {
      for (const [id, sentAt] of Object.entries({ N2: 2, N3: 3, N5: 5, N5b: 5 }))
        await byNumber(id, { sentAt });
      for (const [id, sentAt] of Object.entries({ L1: 1, L4: 4 }))
        await byLid(id, { sentAt }, { name: 'Bob' });
      expect(await history().rekey('acme', MOVE)).to.equal(true);
      expect(await ids(TO)).to.deep.equal(['L1', 'N2', 'N3', 'L4', 'N5', 'N5b']);
      expect(await history().rooms('acme')).to.have.length(1);
      const shown = { name: 'Bob', unreadCount: 6, lastMessage: 'body N5b', lastMessageAt: 5 };
      expect(await history().room('acme', TO)).to.include({ ...BY_LID, ...shown });
    });

    it('leave the other one what it shows, but for what it has not', async () => {
      await byNumber('N1', { sentAt: 1 }, { name: 'Robert', unread: false });
      await history().updateRoom('acme', FROM, { avatarId: 'F-old' });
      await byLid('L2', { sentAt: 2, fromMe: false }, { name: '', unread: false });
      await history().rekey('acme', MOVE);
      expect(await history().room('acme', TO)).to.include({
        name: 'Robert',
        avatarId: 'F-old',
        lastMessage: 'body L2',
        lastMessageFromMe: false,
        lastMessageAt: 2,
        unreadCount: 0,
      });
    });

    it('have a message that is in both once, as the other one has it', async () => {
      await byNumber('M1', { body: 'by number' });
      await byLid('M1', { body: 'by LID' });
      await history().rekey('acme', MOVE);
      expect(await ids(TO)).to.deep.equal(['M1']);
      expect((await history().message('acme', TO, 'M1'))?.body).to.equal('by LID');
    });

    it('take along more messages than are moved at once, in their order', async () => {
      for (let n = 0; n < 450; n += 1) await byNumber(`M${n}`, { sentAt: n >> 2 });
      await history().rekey('acme', MOVE);
      expect(await ids(TO)).to.deep.equal(Array.from({ length: 450 }, (_, n) => `M${n}`));
    });

    it('go on as any room: messages can be added, changed, paged, removed', async () => {
      await byNumber('M1', { sentAt: 1 });
      await history().rekey('acme', MOVE);
      await byLid('M2', { sentAt: 2 });
      expect(await byLid('M1', { sentAt: 9 })).to.equal(false);
      expect(await history().update('acme', message('M2', { chatRoomId: TO, body: 'edited' }))).to.equal(
        true,
      );
      expect(await history().room('acme', TO)).to.include({ lastMessage: 'edited', unreadCount: 2 });
      expect(await history().remove('acme', TO, 'M2')).to.equal(true);
      expect(await history().room('acme', TO)).to.include({ lastMessage: 'body M1', lastMessageAt: 1 });
      expect(await ids(TO)).to.deep.equal(['M1']);
    });

    it('that show nothing stay so', async () => {
      await byNumber('M1', {}, { unread: false });
      await history().remove('acme', FROM, 'M1');
      await history().rekey('acme', MOVE);
      expect(await history().room('acme', TO)).to.include({ lastMessage: '', lastMessageAt: 0, name: 'Ann' });
      await byLid('M2');
      expect(await history().room('acme', TO)).to.include({ lastMessage: 'body M2' });
    });

    it('take changes along that wait for their message, also before there is a room', async () => {
      await history().addPending('acme', pendingChange('C1', { chatRoomId: FROM }));
      await history().addPending('acme', pendingChange('C2', { chatRoomId: TO }));
      await history().addPending('acme', pendingChange('C2', { chatRoomId: FROM }));
      expect(await history().rekey('acme', MOVE)).to.equal(false);
      expect(await history().pending('acme', FROM, 'M1')).to.deep.equal([]);
      const { change } = pendingChange('C1');
      expect(await history().pending('acme', TO, 'M1')).to.have.deep.members([
        pendingChange('C1', { chatRoomId: TO, change: { ...change, moved: true } }),
        pendingChange('C2', { chatRoomId: TO }),
      ]);
    });

    it('take their files along, and those that are still to come', async () => {
      const { files, expectedFiles } = harness().store;
      await byNumber('M1');
      const file = await files.write(newFile({ chatRoomId: FROM }), Readable.from([bytes('content')]));
      const picture = await files.write(
        newFile({ chatRoomId: FROM, messageId: '' }),
        Readable.from([bytes('p')]),
      );
      await expectedFiles.add(expectedFile('F1', { chatRoomId: FROM }));
      await history().rekey('acme', MOVE);
      expect(await files.ofMessage('acme', FROM, 'M1')).to.equal(undefined);
      expect(await files.ofMessage('acme', TO, 'M1')).to.deep.equal({ ...file, chatRoomId: TO });
      expect(await files.get(picture.id)).to.deep.equal(picture);
      expect((await expectedFiles.get('F1'))?.chatRoomId).to.equal(TO);
      expect((await files.list('acme', { page: 1, limit: 9 })).total).to.equal(1);
    });

    it('are moved once, and only those of the session', async () => {
      await byNumber('M1');
      await history().record('other', roomUpdate(BY_NUMBER), message('M1', { chatRoomId: FROM }));
      expect(await history().rekey('acme', MOVE)).to.equal(true);
      expect(await history().rekey('acme', MOVE)).to.equal(false);
      expect(await history().rekey('nobody', MOVE)).to.equal(false);
      expect(await history().room('acme', TO)).to.include({ unreadCount: 1 });
      expect(await history().room('other', FROM)).to.include({ unreadCount: 1 });
      expect(await history().room('other', TO)).to.equal(undefined);
    });

    it('that come again after their move are moved again, with all that is unread', async () => {
      for (const id of ['M1', 'M2']) {
        await byNumber(id);
        await history().rekey('acme', MOVE);
      }
      expect(await ids(TO)).to.deep.equal(['M1', 'M2']);
      expect(await history().room('acme', TO)).to.include({ unreadCount: 2 });
    });

    it('lose nothing of what is recorded at the same moment', async () => {
      await byNumber('M0', { sentAt: 0 });
      const arriving = Array.from({ length: 20 }, (_, n) => byLid(`L${n}`, { sentAt: n + 1 }));
      await Promise.all([...arriving, history().rekey('acme', MOVE)]);
      expect(await ids(TO)).to.have.length(21);
      expect(await history().room('acme', TO)).to.include({ unreadCount: 21, lastMessage: 'body L19' });
    });
  });
}
