import { expect } from 'chai';
import { MESSAGE_STATUSES, type MessageStatus } from '../../../src/domain/room.js';
import type { HistoryMessage, MessageTrace } from '../../../src/gateway/store/store.js';
import { bytes, message, roomUpdate, type StoreHarness, text, trace } from './harness.js';

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

    it('returns every field of a recorded message', async () => {
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

    it('stores messages by session, room and id', async () => {
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

    it('records a message once, and keeps the first version', async () => {
      await record(message('M1'));
      expect(await record(message('M1', { body: 'again', sentAt: 9_000 }))).to.equal(false);
      expect(await get('M1')).to.deep.equal(readable(message('M1')));
      expect(await ids({ limit: 200 })).to.deep.equal(['M1']);
    });

    it('lists the newest messages, oldest first, whatever the order of recording', async () => {
      for (const n of [3, 1, 5, 2, 4]) await record(message(`M${n}`, { sentAt: n }));
      expect(await ids({ limit: 3 })).to.deep.equal(['M3', 'M4', 'M5']);
      expect(await ids({ limit: 9 })).to.deep.equal(['M1', 'M2', 'M3', 'M4', 'M5']);
      expect(await ids({ limit: 0 })).to.deep.equal([]);
    });

    it('lists the oldest messages, oldest first, whatever the order of recording', async () => {
      for (const n of [3, 1, 5, 2, 4]) await record(message(`M${n}`, { sentAt: n }));
      await record(message('elsewhere', { chatRoomId: 'acme-1-3', sentAt: 0 }));
      const oldest = async (limit: number) =>
        (await history().oldest('acme', 'acme-1-2', limit)).map(({ messageId }) => messageId);
      expect(await oldest(2)).to.deep.equal(['M1', 'M2']);
      expect(await oldest(9)).to.deep.equal(['M1', 'M2', 'M3', 'M4', 'M5']);
      expect(await oldest(0)).to.deep.equal([]);
    });

    it('lists messages of the same instant in the order of recording', async () => {
      for (const id of ['C', 'A', 'B']) await record(message(id));
      await record(message('later', { sentAt: 1_001 }));
      await record(message('D'));
      expect(await ids({ limit: 9 })).to.deep.equal(['C', 'A', 'B', 'D', 'later']);
      expect(await ids({ limit: 3 })).to.deep.equal(['B', 'D', 'later']);
    });

    it('puts a message before all of the same instant on request, and keeps the last message of the room', async () => {
      const first = (fields: HistoryMessage) =>
        history().record('acme', roomUpdate({ lastMessage: fields.body }), fields, 'first');
      await history().record('acme', roomUpdate({ lastMessage: 'body D' }), message('D'));
      for (const id of ['C', 'B']) expect(await first(message(id))).to.equal(true);
      await first(message('earlier', { sentAt: 999 }));
      await record(message('elsewhere', { chatRoomId: 'acme-1-3' }));
      await first(message('A'));
      expect(await first(message('C'))).to.equal(false);
      expect(await history().room('acme', 'acme-1-2')).to.include({ lastMessage: 'body D' });
      await record(message('E'));
      expect(await ids({ limit: 9 })).to.deep.equal(['earlier', 'A', 'B', 'C', 'D', 'E']);
      expect(await ids({ limit: 2, before: 'C' })).to.deep.equal(['A', 'B']);
      expect(await ids({ limit: 9, before: 'B' })).to.deep.equal(['earlier', 'A']);
      const oldest = await history().oldest('acme', 'acme-1-2', 3);
      expect(oldest.map(({ messageId }) => messageId)).to.deep.equal(['earlier', 'A', 'B']);
      await first(message('later', { sentAt: 1_001 }));
      await first(message('before it', { sentAt: 1_001 }));
      expect(await history().room('acme', 'acme-1-2')).to.include({ lastMessage: 'body later' });
      expect(await ids({ limit: 3 })).to.deep.equal(['E', 'before it', 'later']);
    });

    it('keeps the order of an instant whose messages are put before another one by one', async () => {
      for (let n = 300; n > 0; n -= 1)
        await history().record('acme', roomUpdate(), message(`M${n}`), 'first');
      expect(await ids({ limit: 300 })).to.deep.equal(Array.from({ length: 300 }, (_, n) => `M${n + 1}`));
    });

    it('pages back to the first message, without duplicates or gaps', async () => {
      for (let n = 10; n < 20; n += 1) await record(message(`M${n}`, { sentAt: n >> 2 }));
      await record(message('elsewhere', { chatRoomId: 'acme-1-3', sentAt: 1 }));
      expect(await ids({ limit: 3, before: 'M18' })).to.deep.equal(['M15', 'M16', 'M17']);
      expect(await ids({ limit: 4, before: 'M15' })).to.deep.equal(['M11', 'M12', 'M13', 'M14']);
      expect(await ids({ limit: 4, before: 'M11' })).to.deep.equal(['M10']);
      expect(await ids({ limit: 4, before: 'M10' })).to.deep.equal([]);
      expect(await ids({ limit: 0, before: 'M18' })).to.deep.equal([]);
    });

    it('lists nothing before a message of another room', async () => {
      await record(message('M1'));
      await record(message('elsewhere', { chatRoomId: 'acme-1-3' }));
      expect(await ids({ limit: 9, before: 'never there' })).to.deep.equal([]);
      expect(await ids({ limit: 9, before: 'elsewhere' })).to.deep.equal([]);
    });

    it('replaces a message in its position', async () => {
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

    it('ignores the replacement of a missing message', async () => {
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

    it('prunes messages and statuses of one session, and of no other', async () => {
      for (const clientId of ['acme', 'other']) {
        await record(message('M1', { sentAt: 1 }), clientId);
        await record(message('M2', { sentAt: 500 }), clientId);
        await history().advance(clientId, { messageId: 'M1', status: 'read', at: 1 });
      }
      expect(await history().prune(220, 'acme')).to.equal(1);
      expect(await get('M1')).to.equal(undefined);
      expect(await get('M1', 'acme-1-2', 'other')).to.include({ messageId: 'M1' });
      const read = async (clientId: string) => (await history().statuses(clientId, ['M1'])).get('M1');
      expect([await read('acme'), await read('other')]).to.deep.equal([undefined, 'read']);
    });

    it('stores and returns copies', async () => {
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

export function messageStatusContract(harness: () => StoreHarness): void {
  describe('message statuses', () => {
    const history = () => harness().store.history;
    const advance = (messageId: string, status: MessageStatus, { at = 1_000, clientId = 'acme' } = {}) =>
      history().advance(clientId, { messageId, status, at });
    const statuses = async (ids: string[], clientId = 'acme') =>
      Object.fromEntries(await history().statuses(clientId, ids));

    it('returns the known statuses of the requested messages', async () => {
      for (const status of MESSAGE_STATUSES) expect(await advance(`M-${status}`, status)).to.equal(true);
      const ids = [...MESSAGE_STATUSES].map((status) => `M-${status}`);
      expect(await statuses(['never there', ...ids])).to.deep.equal({
        'M-sent': 'sent',
        'M-failed': 'failed',
        'M-delivered': 'delivered',
        'M-read': 'read',
        'M-played': 'played',
      });
      expect(await statuses(['M-read'])).to.deep.equal({ 'M-read': 'read' });
      expect(await statuses([])).to.deep.equal({});
    });

    it('only advances, in whatever order receipts are reported', async () => {
      const told: [MessageStatus, boolean][] = [
        ['sent', true],
        ['sent', false],
        ['failed', true],
        ['sent', false],
        ['read', true],
        ['delivered', false],
        ['failed', false],
        ['played', true],
        ['read', false],
      ];
      for (const [status, isFurther] of told) expect(await advance('M1', status), status).to.equal(isFurther);
      expect(await statuses(['M1'])).to.deep.equal({ M1: 'played' });
    });

    it('keeps the furthest of concurrent reports, and reports each step once', async () => {
      const told = Array.from({ length: 30 }, (_, n) => MESSAGE_STATUSES[n % 5] ?? 'sent');
      const further = await Promise.all(told.map((status) => advance('M1', status)));
      expect(await statuses(['M1'])).to.deep.equal({ M1: 'played' });
      expect(further.filter(Boolean).length).to.be.within(1, MESSAGE_STATUSES.length);
    });

    it('keeps the statuses of sessions apart', async () => {
      await advance('M1', 'read');
      expect(await advance('M1', 'delivered', { clientId: 'other' })).to.equal(true);
      expect(await statuses(['M1'])).to.deep.equal({ M1: 'read' });
      expect(await statuses(['M1'], 'other')).to.deep.equal({ M1: 'delivered' });
      expect(await statuses(['M1'], 'nobody')).to.deep.equal({});
    });

    it('stores a status before its message, and keeps it when the message changes', async () => {
      await advance('M1', 'delivered');
      await history().record('acme', roomUpdate(), message('M1'));
      await history().update('acme', message('M1', { body: 'edited' }));
      expect(await statuses(['M1'])).to.deep.equal({ M1: 'delivered' });
    });

    it('prunes statuses with the messages, by the time of the last report', async () => {
      await Promise.all(Array.from({ length: 600 }, (_, n) => advance(`old ${n}`, 'read', { at: n })));
      await advance('M1', 'delivered', { at: 1 });
      await advance('M1', 'read', { at: 1_000 });
      await advance('M1', 'delivered', { at: 2 });
      await history().prune(1_000);
      expect(await statuses(['old 0', 'old 599', 'M1'])).to.deep.equal({ M1: 'read' });
    });
  });
}

export function tracesContract(harness: () => StoreHarness): void {
  describe('traces', () => {
    const traces = () => harness().store.traces;
    const readable = (found: MessageTrace | undefined) => found && { ...found, secret: text(found.secret) };

    it('returns the time when a chat began, and when the other side wrote first', async () => {
      const chat = '7@lid';
      expect(await traces().conversation('acme', chat)).to.deep.equal({
        firstAt: undefined,
        wroteAt: undefined,
      });
      await traces().add('acme', trace('M1', { chat, fromMe: true, sentAt: 2_000 }));
      await traces().add('acme', trace('M2', { chat, fromMe: true, sentAt: 1_000 }));
      await traces().add('other', trace('M3', { chat, fromMe: false, sentAt: 500 }));
      expect(await traces().conversation('acme', chat)).to.deep.equal({ firstAt: 1_000, wroteAt: undefined });
      await traces().add('acme', trace('M4', { chat, fromMe: false, sentAt: 3_000 }));
      expect(await traces().conversation('acme', chat)).to.deep.equal({ firstAt: 1_000, wroteAt: 3_000 });
    });

    it('returns every field of a trace', async () => {
      await traces().add('acme', trace('M1'));
      await traces().add(
        'acme',
        trace('M2', { secret: undefined, fromMe: false, authorLid: '', authorPn: '' }),
      );
      expect(readable(await traces().get('acme', 'M1'))).to.deep.equal(readable(trace('M1')));
      expect(await traces().get('acme', 'M2')).to.deep.equal(
        trace('M2', { secret: undefined, fromMe: false, authorLid: '', authorPn: '' }),
      );
      expect(await traces().get('acme', 'M3')).to.equal(undefined);
      expect(await traces().get('other', 'M1')).to.equal(undefined);
    });

    it('keeps the first trace of an id', async () => {
      await traces().add('acme', trace('M1'));
      await traces().add('acme', trace('M1', { chat: 'taken over', secret: bytes('other'), sentAt: 5 }));
      expect(readable(await traces().get('acme', 'M1'))).to.deep.equal(readable(trace('M1')));
    });

    it('keeps one trace of many concurrent ones', async () => {
      const chats = Array.from({ length: 20 }, (_, n) => `chat ${n}`);
      await Promise.all(
        chats.map((chat) => traces().add('acme', trace('M1', { chat, secret: bytes(chat) }))),
      );
      const kept = await traces().get('acme', 'M1');
      expect(kept?.chat).to.be.oneOf(chats).and.to.equal(text(kept?.secret));
    });

    it('names a chat and its author by LID once the LID of the number is known', async () => {
      const [pn, lid] = ['15550000002@s.whatsapp.net', '100000000000002@lid'];
      const theirs = { chat: pn, fromMe: false, authorLid: '', authorPn: pn };
      const own = { chat: pn, authorLid: '', authorPn: '15550000001@s.whatsapp.net' };
      const elsewhere = { ...theirs, chat: '15550000003@s.whatsapp.net' };
      for (const [id, fields] of Object.entries({ M1: theirs, M2: own, M3: elsewhere })) {
        await traces().add('acme', trace(id, fields));
      }
      await traces().add('other', trace('M1', theirs));
      for (const _ of ['once', 'and again']) await traces().rekey('acme', pn, lid);
      const moved = { ...theirs, chat: lid, authorLid: lid };
      expect(readable(await traces().get('acme', 'M1'))).to.deep.equal(readable(trace('M1', moved)));
      expect(await traces().get('acme', 'M2')).to.deep.include({ ...own, chat: lid });
      expect(await traces().get('acme', 'M3')).to.deep.include(elsewhere);
      expect(await traces().get('other', 'M1')).to.deep.include(theirs);
    });

    it('prunes traces of messages that were sent before a time', async () => {
      await traces().add('acme', trace('M1', { sentAt: 999 }));
      await traces().add('other', trace('M2', { sentAt: 1 }));
      await traces().add('acme', trace('M3', { sentAt: 1_000 }));
      expect(await traces().prune(1_000)).to.equal(2);
      expect(await traces().get('acme', 'M1')).to.equal(undefined);
      expect((await traces().get('acme', 'M3'))?.sentAt).to.equal(1_000);
    });

    it('stores and returns copies', async () => {
      const given = trace('M1');
      await traces().add('acme', given);
      given.secret?.fill(0);
      (await traces().get('acme', 'M1'))?.secret?.fill(1);
      expect(text((await traces().get('acme', 'M1'))?.secret)).to.equal('secret M1');
    });
  });
}
