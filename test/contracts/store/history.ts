import { expect } from 'chai';
import type { HistoryMessage } from '../../../src/store/store.js';
import { bytes, message, roomUpdate, type StoreHarness, text } from './harness.js';

export function historyContract(harness: () => StoreHarness): void {
  describe('history', () => {
    const history = () => harness().store.history;
    const record = (fields: HistoryMessage, clientId = 'acme') =>
      history().record(clientId, roomUpdate({ chatRoomId: fields.chatRoomId }), fields);
    const readable = (found: HistoryMessage | undefined) =>
      found && { ...found, content: text(found.content) };
    const get = async (messageId: string, chatRoomId = 'acme-1-2', clientId = 'acme') =>
      readable(await history().message(clientId, chatRoomId, messageId));
    const ids = async (page: { limit: number; before?: string }, chatRoomId = 'acme-1-2') =>
      (await history().messages('acme', chatRoomId, page)).map(({ messageId }) => messageId);

    it('gives back what was recorded, every field', async () => {
      const plain = message('M2', {
        body: '',
        fromMe: false,
        author: '',
        pushname: '',
        deleted: true,
        fromAi: false,
        media: undefined,
        fileId: '',
        extras: {},
        content: bytes(''),
        sentAt: 2_000,
      });
      expect(await record(message('M1'))).to.equal(true);
      expect(await record(plain)).to.equal(true);
      expect(await get('M1')).to.deep.equal(readable(message('M1')));
      expect(await get('M2')).to.deep.equal(readable(plain));
      const listed = await history().messages('acme', 'acme-1-2', { limit: 200 });
      expect(listed.map(readable)).to.deep.equal([readable(message('M1')), readable(plain)]);
    });

    it('tells messages apart by session, room and id', async () => {
      await record(message('M1'));
      expect(await record(message('M1', { chatRoomId: 'acme-1-3', body: 'in another room' }))).to.equal(true);
      expect(await record(message('M1', { body: 'of another session' }), 'other')).to.equal(true);
      expect((await get('M1'))?.body).to.equal('body M1');
      expect((await get('M1', 'acme-1-3'))?.body).to.equal('in another room');
      expect((await get('M1', 'acme-1-2', 'other'))?.body).to.equal('of another session');
      expect(await get('M2')).to.equal(undefined);
      expect(await get('M1', 'acme-1-4')).to.equal(undefined);
      expect(await ids({ limit: 200 })).to.deep.equal(['M1']);
      expect(await ids({ limit: 200 }, 'acme-1-4')).to.deep.equal([]);
    });

    it('records a message once, as it came first', async () => {
      await record(message('M1'));
      expect(await record(message('M1', { body: 'again', sentAt: 9_000 }))).to.equal(false);
      expect(await get('M1')).to.deep.equal(readable(message('M1')));
      expect(await ids({ limit: 200 })).to.deep.equal(['M1']);
    });

    it('lists the newest, oldest first, in whatever order they came', async () => {
      for (const n of [3, 1, 5, 2, 4]) await record(message(`M${n}`, { sentAt: n }));
      expect(await ids({ limit: 3 })).to.deep.equal(['M3', 'M4', 'M5']);
      expect(await ids({ limit: 9 })).to.deep.equal(['M1', 'M2', 'M3', 'M4', 'M5']);
      expect(await ids({ limit: 0 })).to.deep.equal([]);
    });

    it('lists messages of the same instant as they were recorded', async () => {
      for (const id of ['C', 'A', 'B']) await record(message(id));
      await record(message('later', { sentAt: 1_001 }));
      await record(message('D'));
      expect(await ids({ limit: 9 })).to.deep.equal(['C', 'A', 'B', 'D', 'later']);
      expect(await ids({ limit: 3 })).to.deep.equal(['B', 'D', 'later']);
    });

    it('pages back to the first message, none twice and none left out', async () => {
      for (let n = 10; n < 20; n += 1) await record(message(`M${n}`, { sentAt: n >> 2 }));
      await record(message('elsewhere', { chatRoomId: 'acme-1-3', sentAt: 1 }));
      expect(await ids({ limit: 3, before: 'M18' })).to.deep.equal(['M15', 'M16', 'M17']);
      expect(await ids({ limit: 4, before: 'M15' })).to.deep.equal(['M11', 'M12', 'M13', 'M14']);
      expect(await ids({ limit: 4, before: 'M11' })).to.deep.equal(['M10']);
      expect(await ids({ limit: 4, before: 'M10' })).to.deep.equal([]);
      expect(await ids({ limit: 0, before: 'M18' })).to.deep.equal([]);
    });

    it('lists nothing before a message that is not in the room', async () => {
      await record(message('M1'));
      await record(message('elsewhere', { chatRoomId: 'acme-1-3' }));
      expect(await ids({ limit: 9, before: 'never there' })).to.deep.equal([]);
      expect(await ids({ limit: 9, before: 'elsewhere' })).to.deep.equal([]);
    });

    it('replaces a message where it stands', async () => {
      for (const id of ['M1', 'M2', 'M3']) await record(message(id));
      const changed = message('M2', {
        body: 'edited',
        messageType: 'chat',
        fromMe: false,
        author: '3@lid',
        pushname: 'Bob',
        deleted: true,
        fromAi: false,
        media: undefined,
        fileId: '',
        extras: { edited: true },
        content: bytes('other'),
      });
      expect(await history().update('acme', { ...changed, sentAt: 9_000 })).to.equal(true);
      expect(await get('M2')).to.deep.equal(readable(changed));
      expect(await get('M1')).to.deep.equal(readable(message('M1')));
      expect(await ids({ limit: 9 })).to.deep.equal(['M1', 'M2', 'M3']);
    });

    it('replaces no message that is not there, and makes none', async () => {
      await record(message('M1'));
      expect(await history().update('acme', message('M2'))).to.equal(false);
      expect(await history().update('acme', message('M1', { chatRoomId: 'acme-1-3' }))).to.equal(false);
      expect(await history().update('other', message('M1'))).to.equal(false);
      expect(await ids({ limit: 9 })).to.deep.equal(['M1']);
      expect(await history().room('acme', 'acme-1-3')).to.equal(undefined);
    });

    it('removes a message', async () => {
      for (const id of ['M1', 'M2']) await record(message(id));
      expect(await history().remove('acme', 'acme-1-2', 'M1')).to.equal(true);
      expect(await history().remove('acme', 'acme-1-2', 'M1')).to.equal(false);
      expect(await history().remove('acme', 'acme-1-3', 'M2')).to.equal(false);
      expect(await history().remove('other', 'acme-1-2', 'M2')).to.equal(false);
      expect(await ids({ limit: 9 })).to.deep.equal(['M2']);
    });

    it('prunes messages of all sessions that were sent before a time', async () => {
      for (let n = 0; n < 230; n += 1) await record(message(`M${n}`, { sentAt: n }));
      await record(message('M1', { chatRoomId: 'acme-1-3', sentAt: 100 }));
      await record(message('M1', { sentAt: 3 }), 'other');
      expect(await history().prune(220)).to.equal(222);
      expect(await history().prune(220)).to.equal(0);
      expect(await ids({ limit: 3 })).to.deep.equal(['M227', 'M228', 'M229']);
      expect(await ids({ limit: 999 })).to.have.length(10);
      expect(await get('M1', 'acme-1-3')).to.equal(undefined);
      expect(await get('M1', 'acme-1-2', 'other')).to.equal(undefined);
    });

    it('copies in and out', async () => {
      const given = message('M1');
      await record(given);
      for (const changed of [given, await history().message('acme', 'acme-1-2', 'M1')]) {
        changed?.content.fill(0);
        if (changed?.media) changed.media.fileName = 'changed';
        if (changed) changed.extras.reactions = 'changed';
      }
      expect(await get('M1')).to.deep.equal(readable(message('M1')));
    });
  });
}
