import { Readable } from 'node:stream';
import { expect } from 'chai';
import type {
  BackendRoom,
  HistoryMessage,
  PendingChange,
  RoomMove,
  RoomUpdate,
} from '../../../src/gateway/store/store.js';
import { expectedFile } from './files.js';
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
  describe('renamed rooms', () => {
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

    it('rooms keep all their data, with each message in its new form', async () => {
      for (const id of ['M1', 'M2']) await byNumber(id);
      await history().updateRoom('acme', FROM, { avatarId: 'F-p', archived: true, mutedUntil: 9 });
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
        archived: true,
        mutedUntil: 9,
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

    it('rooms are found while they have a number as id', async () => {
      await byNumber('M1');
      await byLid('M2');
      await history().record('other', roomUpdate(BY_NUMBER), message('M1', { chatRoomId: FROM }));
      const { chatRoomId, remoteJid } = BY_NUMBER;
      expect(await history().roomsByNumber('acme')).to.deep.equal([{ chatRoomId, remoteJid }]);
      await history().rekey('acme', MOVE);
      expect(await history().roomsByNumber('acme')).to.deep.equal([]);
    });

    it('rooms are merged with an existing room: messages by time, unread counts added, the newest message last', async () => {
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

    it('rooms keep the fields of the existing room, and add the missing ones', async () => {
      await byNumber('N1', { sentAt: 1 }, { name: 'Robert', unread: false });
      await history().updateRoom('acme', FROM, { avatarId: 'F-old', archived: true, pinned: true });
      await byLid('L2', { sentAt: 2, fromMe: false }, { name: '', unread: false });
      await history().updateRoom('acme', TO, { pinned: false });
      await history().rekey('acme', MOVE);
      expect(await history().room('acme', TO)).to.include({
        name: 'Robert',
        avatarId: 'F-old',
        archived: true,
        pinned: false,
        lastMessage: 'body L2',
        lastMessageFromMe: false,
        lastMessageAt: 2,
        unreadCount: 0,
      });
    });

    it('rooms contain a message of both rooms once, as in the existing room', async () => {
      await byNumber('M1', { body: 'by number' });
      await byLid('M1', { body: 'by LID' });
      await history().rekey('acme', MOVE);
      expect(await ids(TO)).to.deep.equal(['M1']);
      expect((await history().message('acme', TO, 'M1'))?.body).to.equal('by LID');
    });

    it('rooms keep their order with more messages than one batch', async () => {
      for (let n = 0; n < 450; n += 1) await byNumber(`M${n}`, { sentAt: n >> 2 });
      await history().rekey('acme', MOVE);
      expect(await ids(TO)).to.deep.equal(Array.from({ length: 450 }, (_, n) => `M${n}`));
    });

    it('work like any room: messages can be added, changed, paged, removed', async () => {
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

    it('rooms stay without a last message if they had none', async () => {
      await byNumber('M1', {}, { unread: false });
      await history().remove('acme', FROM, 'M1');
      await history().rekey('acme', MOVE);
      expect(await history().room('acme', TO)).to.include({ lastMessage: '', lastMessageAt: 0, name: 'Ann' });
      await byLid('M2');
      expect(await history().room('acme', TO)).to.include({ lastMessage: 'body M2' });
    });

    it('rooms keep pending changes, also before the room exists', async () => {
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

    it('rooms keep their files, stored and expected', async () => {
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

    it('rooms are renamed once, and only in their session', async () => {
      await byNumber('M1');
      await history().record('other', roomUpdate(BY_NUMBER), message('M1', { chatRoomId: FROM }));
      expect(await history().rekey('acme', MOVE)).to.equal(true);
      expect(await history().rekey('acme', MOVE)).to.equal(false);
      expect(await history().rekey('nobody', MOVE)).to.equal(false);
      expect(await history().room('acme', TO)).to.include({ unreadCount: 1 });
      expect(await history().room('other', FROM)).to.include({ unreadCount: 1 });
      expect(await history().room('other', TO)).to.equal(undefined);
    });

    it('rooms are renamed again if the old id returns, with all unread messages', async () => {
      for (const id of ['M1', 'M2']) {
        await byNumber(id);
        await history().rekey('acme', MOVE);
      }
      expect(await ids(TO)).to.deep.equal(['M1', 'M2']);
      expect(await history().room('acme', TO)).to.include({ unreadCount: 2 });
    });

    it('rooms lose nothing that is recorded at the same time', async () => {
      await byNumber('M0', { sentAt: 0 });
      const arriving = Array.from({ length: 20 }, (_, n) => byLid(`L${n}`, { sentAt: n + 1 }));
      await Promise.all([...arriving, history().rekey('acme', MOVE)]);
      expect(await ids(TO)).to.have.length(21);
      expect(await history().room('acme', TO)).to.include({ unreadCount: 21, lastMessage: 'body L19' });
    });
  });
}
