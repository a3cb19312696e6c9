import { expect } from 'chai';
import { LIMITS } from '../../src/domain/limits.js';
import type { HistoryMessage } from '../../src/store/store.js';
import { HOSTED, ROOM, SENT_AT } from './receive-rig.js';
import { BOB, BOB_JID, DAY_MS, ImportRig, past, saying } from './support/import-rig.js';

const GROUP = '120363040000000000@g.us';
const GROUP_ROOM = 'acme-90000000000001-120363040000000000';

describe('the import of messages of the past', () => {
  let rig: ImportRig;
  beforeEach(async () => {
    rig = await ImportRig.start();
  });
  afterEach(() => rig.stop());

  it('makes rows and rooms like those of live messages, and closes the journal entry', async () => {
    await rig.take(
      [past('M2', { timestamp: SENT_AT + 1_000, fromMe: true }), past('M1')],
      [{ ...BOB, name: 'Robert' }],
    );
    const [first, second] = await rig.rows();
    expect(first).to.deep.include({
      messageId: 'M1',
      chatRoomId: ROOM,
      body: 'M1',
      messageType: 'chat',
      fromMe: false,
      author: BOB_JID,
      pushname: 'Bob',
      sentAt: SENT_AT,
      deleted: false,
      fileId: '',
      extras: {},
    });
    expect(second).to.include({ fromMe: true, pushname: 'Alice' });
    expect(await rig.store.history.room('acme', ROOM)).to.include({
      name: 'Robert',
      lastMessage: 'M2',
      lastMessageFromMe: true,
      lastMessageAt: SENT_AT + 1_000,
      unreadCount: 0,
    });
    expect(await rig.open()).to.deep.equal([]);
    expect(rig.imports.progress('acme')).to.deep.equal({ progress: 100, messages: 2 });
  });

  describe('has files', () => {
    const imageMessage = {
      mimetype: 'image/jpeg',
      url: 'https://mmg.whatsapp.net/v/x.enc',
      directPath: '/v/x.enc',
      mediaKey: Buffer.alloc(32, 1),
      fileSha256: Buffer.alloc(32, 2),
      fileEncSha256: Buffer.alloc(32, 3),
      fileLength: 7,
    };

    it('that are fetched behind those of live messages', async () => {
      await rig.take([past('M1', { content: { imageMessage } })]);
      const [row] = await rig.rows();
      expect(row?.media).to.include({ mimeType: 'image/jpeg', mediaType: 'image', fileSize: 7 });
      expect(row?.fileId).to.match(/^[0-9a-f-]{36}$/);
      expect(rig.expected).to.deep.equal([
        { id: row?.fileId, clientId: 'acme', chatRoomId: ROOM, messageId: 'M1', past: true },
      ]);
    });

    it('that are not fetched when the network can hardly have them any more, or when they are too large', async () => {
      const large = { ...imageMessage, fileLength: LIMITS.libraryFileBytes + 1 };
      await rig.take([
        past('M1', { content: { imageMessage }, timestamp: SENT_AT - 30 * DAY_MS }),
        past('M2', { content: { imageMessage: large } }),
      ]);
      expect((await rig.rows()).map(({ fileId, media }) => [fileId, media?.mimeType])).to.deep.equal([
        ['', 'image/jpeg'],
        ['', 'image/jpeg'],
      ]);
      expect(rig.expected).to.deep.equal([]);
    });
  });

  it('keeps how far own messages had come', async () => {
    await rig.take([
      past('M1', { fromMe: true, status: 'read' }),
      past('M2', { fromMe: true, status: 'sent' }),
      past('M3', { fromMe: true }),
      past('M4', { status: 'read' }),
    ]);
    const statuses = await rig.store.history.statuses('acme', ['M1', 'M2', 'M3', 'M4']);
    expect([...statuses]).to.deep.equal([['M1', 'read']]);
  });

  it('names who wrote what is quoted by the LID, as live messages do', async () => {
    const contextInfo = {
      stanzaId: 'M0',
      participant: `${BOB.pn}@s.whatsapp.net`,
      quotedMessage: { conversation: 'asked' },
    };
    await rig.take(
      [past('M1', { content: { extendedTextMessage: { text: 'answer', contextInfo } } })],
      [BOB],
    );
    const [row] = await rig.rows();
    expect(row?.extras.quoted).to.deep.include({ messageId: 'M0', participant: BOB.lid, body: 'asked' });
  });

  it('finds the one room of a person, whichever address the past goes by', async () => {
    const byNumber = past('M1', { chat: `${BOB.pn}@s.whatsapp.net` });
    await rig.take([byNumber, past('M2')], [BOB]);
    expect((await rig.bodies()).sort()).to.deep.equal(['M1', 'M2']);
    expect(await rig.store.history.rooms('acme')).to.have.length(1);
  });

  it('names groups by their subject', async () => {
    const inGroup = { chat: GROUP, subject: 'Friends', participant: BOB_JID };
    const reaction = { fromMe: false, participant: BOB_JID, emoji: '👍', at: SENT_AT };
    await rig.take([
      past('M1', { ...inGroup, reactions: [reaction, { fromMe: true, emoji: '🎉', at: SENT_AT }] }),
    ]);
    expect(await rig.store.history.room('acme', GROUP_ROOM)).to.include({ name: 'Friends', isGroup: true });
    const [row] = await rig.rows(GROUP_ROOM);
    expect(row?.extras).to.deep.include({ reactions: { [BOB.lid]: '👍', [rig.record.lid]: '🎉' } });
    expect(row?.author).to.equal(BOB_JID);
  });

  it('shows what had become of a message', async () => {
    await rig.take([
      past('M1', { reactions: [{ fromMe: false, emoji: '👍', at: SENT_AT }] }),
      past('M2', { editedAt: SENT_AT + 500 }),
      past('M3', { deleted: true, content: {} }),
    ]);
    const byId = new Map((await rig.rows()).map((row) => [row.messageId, row]));
    expect(byId.get('M1')?.extras).to.deep.include({ reactions: { [BOB.lid]: '👍' } });
    expect(byId.get('M2')).to.deep.include({ body: 'M2', extras: { edited: true } });
    expect(byId.get('M3')).to.deep.include({ body: '', deleted: true, extras: { revoked: true } });
  });

  it('changes what is there already, and adds nothing twice', async () => {
    await rig.take([past('M1'), past('M2'), past('M3')]);
    const changed = [
      past('M1', { reactions: [{ fromMe: true, emoji: '👍', at: SENT_AT }] }),
      past('M2', { content: { conversation: 'better' }, editedAt: SENT_AT + 500 }),
      past('M3', { deleted: true, content: {} }),
    ];
    for (let again = 0; again < 2; again++) await rig.take(changed);
    const byId = new Map((await rig.rows()).map((row) => [row.messageId, row]));
    expect(byId.size).to.equal(3);
    expect(byId.get('M1')?.extras).to.deep.include({ reactions: { [rig.record.lid]: '👍' } });
    const editHistory = [{ body: 'M2', editedAt: new Date(SENT_AT + 500).toISOString() }];
    expect(byId.get('M2')).to.deep.include({ body: 'better', extras: { edited: true, editHistory } });
    expect(byId.get('M3')).to.deep.include({ body: 'M3', deleted: true, extras: { revoked: true } });
    expect(rig.imports.progress('acme')?.messages).to.equal(3);
  });

  it('applies changes that came before the message', async () => {
    const by = { fromMe: false, lid: BOB.lid };
    const change = { type: 'edit', targetId: 'M1', by, at: SENT_AT + 1_000, body: 'better' };
    const pending = { targetId: 'M1', chatRoomId: ROOM, messageId: 'E1', change, at: SENT_AT };
    await rig.store.history.addPending('acme', pending);
    await rig.take([past('M1')]);
    expect(await rig.bodies()).to.deep.equal(['better']);
  });

  it('leaves out what is no message of a chat', async () => {
    await rig.take([
      past('M1', { chat: 'status@broadcast' }),
      past('M2', { content: { protocolMessage: { type: 5 } } }),
      past('M3', { content: {} }),
    ]);
    expect(await rig.store.history.rooms('acme')).to.deep.equal([]);
  });

  it('remembers whose a message was as long as that matters', async () => {
    await rig.take([past('M1'), past('M2', { timestamp: SENT_AT - 100 * DAY_MS })]);
    expect(await rig.store.traces.get('acme', 'M1')).to.include({ fromMe: false, authorLid: BOB_JID });
    expect(await rig.store.traces.get('acme', 'M2')).to.equal(undefined);
  });

  describe('counts as unread', () => {
    const unread = async () => (await rig.store.history.room('acme', ROOM))?.unreadCount;
    /** Newest first, of which the phone counts some. */
    const talk = (unreadInChat: number, from: number, count: number) =>
      Array.from({ length: count }, (_, index) =>
        past(`M${from + index}`, { unreadInChat, timestamp: SENT_AT - (from + index) * 1_000 }),
      );

    it('what the phone does', async () => {
      await rig.take([past('O1', { fromMe: true, unreadInChat: 2 }), ...talk(2, 1, 5)]);
      expect(await unread()).to.equal(2);
    });

    it('a chat that reaches over several parts once', async () => {
      await rig.take(talk(3, 0, 2));
      await rig.take(talk(3, 2, 5));
      expect(await unread()).to.equal(3);
    });

    it('live messages beside it', async () => {
      await rig.recorder.add('acme', roomUpdate(), { ...liveRow(), messageId: 'L1' });
      await rig.take(talk(2, 0, 3));
      expect(await unread()).to.equal(3);
    });

    it('nothing again of a part that begins anew, nor too much of the next one', async () => {
      const first = talk(3, 0, 2);
      await rig.take(first);
      rig.restart();
      await rig.journal('J8', saying({ people: [], messages: first }));
      await rig.journal('J9', saying({ people: [], messages: talk(3, 2, 5) }));
      rig.resume('J8');
      rig.resume('J9');
      await rig.imports.idle();
      expect(await unread()).to.equal(3);
    });

    it('nothing that was read here, when the number is linked again', async () => {
      await rig.take(talk(2, 0, 2));
      await rig.store.history.updateRoom('acme', ROOM, { unreadCount: 0 });
      rig.restart();
      await rig.take(talk(2, 0, 4));
      expect(await unread()).to.equal(0);
    });

    it('nothing more than the phone does, after a restart in between', async () => {
      await rig.take(talk(2, 0, 2));
      rig.restart();
      await rig.journal('J9', saying({ people: [], messages: talk(2, 2, 3) }));
      rig.resume('J9');
      await rig.imports.idle();
      expect(await unread()).to.equal(2);
      expect(await rig.rows()).to.have.length(5);
    });
  });
});

function roomUpdate() {
  return {
    chatRoomId: ROOM,
    name: 'Bob',
    myLid: HOSTED.lid,
    clientLid: BOB.lid,
    isGroup: false,
    remoteJid: BOB_JID,
    lastMessage: 'live',
    unread: true,
  };
}

function liveRow(): HistoryMessage {
  return {
    messageId: 'L1',
    chatRoomId: ROOM,
    body: 'live',
    messageType: 'chat',
    fromMe: false,
    author: BOB_JID,
    pushname: 'Bob',
    sentAt: SENT_AT + 10_000,
    deleted: false,
    fromAi: false,
    media: undefined,
    fileId: '',
    extras: {},
    content: new Uint8Array(),
  };
}
