import { expect } from 'chai';
import { GatewayError } from '../../../../src/domain/errors.js';
import { LIMITS } from '../../../../src/domain/limits.js';
import type { HistoryMessage } from '../../../../src/gateway/store/store.js';
import {
  BOB,
  BOB_JID,
  DAY_MS,
  type PastImports,
  type PlayedPart,
  past,
  saying,
} from '../../../support/rig/imports.js';
import { HOSTED, ROOM, SENT_AT } from '../../../support/rig/receiving.js';
import { Rig } from '../../../support/rig/rig.js';

const GROUP = '120363040000000000@g.us';
const GROUP_ROOM = 'acme-90000000000001-120363040000000000';

describe('HistoryImports: messages', () => {
  let rig: PastImports;
  beforeEach(async () => {
    rig = await (await Rig.start({ now: SENT_AT + DAY_MS })).imports();
  });
  afterEach(() => rig.stop());

  it('creates rows and rooms like those of live messages, and closes the journal entry', async () => {
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
    expect(rig.imports.health('acme').history).to.deep.equal({ progress: 100, messages: 2 });
  });

  describe('the files of imported messages', () => {
    const imageMessage = {
      mimetype: 'image/jpeg',
      url: 'https://mmg.whatsapp.net/v/x.enc',
      directPath: '/v/x.enc',
      mediaKey: Buffer.alloc(32, 1),
      fileSha256: Buffer.alloc(32, 2),
      fileEncSha256: Buffer.alloc(32, 3),
      fileLength: 7,
    };

    it('files of imported messages are queued after those of live messages', async () => {
      await rig.take([past('M1', { content: { imageMessage } })]);
      const [row] = await rig.rows();
      expect(row?.media).to.include({ mimeType: 'image/jpeg', mediaType: 'image', fileSize: 7 });
      expect(row?.fileId).to.match(/^[0-9a-f-]{36}$/);
      expect(rig.expected).to.deep.equal([
        { id: row?.fileId, clientId: 'acme', chatRoomId: ROOM, messageId: 'M1', past: true },
      ]);
    });

    it('files of imported messages are skipped when they are too old for the network, or too large', async () => {
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

  it('keeps the status of own messages', async () => {
    await rig.take([
      past('M1', { fromMe: true, status: 'read' }),
      past('M2', { fromMe: true, status: 'sent' }),
      past('M3', { fromMe: true }),
      past('M4', { status: 'read' }),
    ]);
    const statuses = await rig.store.history.statuses('acme', ['M1', 'M2', 'M3', 'M4']);
    expect([...statuses]).to.deep.equal([['M1', 'read']]);
  });

  it('names the author of a quoted message by LID, like live messages', async () => {
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

  it('uses one room for a person, whatever address the history has', async () => {
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

  it('shows deletions, edits and reactions of a message', async () => {
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

  it('updates existing messages, and adds nothing twice', async () => {
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
    expect(byId.get('M3')).to.deep.include({ body: '', deleted: true, extras: { revoked: true } });
    expect(rig.imports.health('acme').history?.messages).to.equal(3);
  });

  it('puts messages before the stored ones of their second, however many parts they are spread over', async () => {
    await rig.recorder.add('acme', roomUpdate(), { ...liveRow(), messageId: 'L1', sentAt: SENT_AT });
    await rig.take([past('M4'), past('M3')]);
    await rig.take([past('M2'), past('M1')]);
    expect((await rig.rows()).map(({ messageId }) => messageId)).to.deep.equal([
      'M1',
      'M2',
      'M3',
      'M4',
      'L1',
    ]);
  });

  it('puts messages behind a stored one of their second that the phone lists as older', async () => {
    await rig.take([past('M2'), past('M1')]);
    await rig.take([past('M4'), past('M3'), past('M2'), past('M1'), past('M0')]);
    const ids = (await rig.rows()).map(({ messageId }) => messageId);
    expect(ids).to.deep.equal(['M0', 'M1', 'M2', 'M3', 'M4']);
  });

  it('applies changes that came before the message', async () => {
    const by = { fromMe: false, lid: BOB.lid };
    const change = { type: 'edit', targetId: 'M1', by, at: SENT_AT + 1_000, body: 'better' };
    const pending = { targetId: 'M1', chatRoomId: ROOM, messageId: 'E1', change, at: SENT_AT };
    await rig.store.history.addPending('acme', pending);
    await rig.take([past('M1')]);
    expect(await rig.bodies()).to.deep.equal(['better']);
  });

  it('skips contents that are not messages of a chat', async () => {
    await rig.take([
      past('M1', { chat: 'status@broadcast' }),
      past('M2', { content: { protocolMessage: { type: 5 } } }),
      past('M3', { content: {} }),
    ]);
    expect(await rig.store.history.rooms('acme')).to.deep.equal([]);
  });

  it('keeps the trace of a message until it expires', async () => {
    await rig.take([past('M1'), past('M2', { timestamp: SENT_AT - 100 * DAY_MS })]);
    expect(await rig.store.traces.get('acme', 'M1')).to.include({ fromMe: false, authorLid: BOB_JID });
    expect(await rig.store.traces.get('acme', 'M2')).to.equal(undefined);
  });

  describe('the unread count', () => {
    const unread = async () => (await rig.store.history.room('acme', ROOM))?.unreadCount;
    /** Newest first, of which the phone counts some. */
    const talk = (unreadInChat: number, from: number, count: number) =>
      Array.from({ length: count }, (_, index) =>
        past(`M${from + index}`, { unreadInChat, timestamp: SENT_AT - (from + index) * 1_000 }),
      );

    it('the unread count equals that of the phone', async () => {
      await rig.take([past('O1', { fromMe: true, unreadInChat: 2 }), ...talk(2, 1, 5)]);
      expect(await unread()).to.equal(2);
    });

    it('the unread count includes a chat once that is spread over several parts', async () => {
      await rig.take(talk(3, 0, 2));
      await rig.take(talk(3, 2, 5));
      expect(await unread()).to.equal(3);
    });

    it('the unread count includes live messages', async () => {
      await rig.recorder.add('acme', roomUpdate(), { ...liveRow(), messageId: 'L1' });
      await rig.take(talk(2, 0, 3));
      expect(await unread()).to.equal(3);
    });

    it('the unread count is correct for a part that starts again, and for the next part', async () => {
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

    it('the unread count excludes messages that were read in the inbox when the number is linked again', async () => {
      await rig.take(talk(2, 0, 2));
      await rig.store.history.updateRoom('acme', ROOM, { unreadCount: 0 });
      rig.restart();
      await rig.take(talk(2, 0, 4));
      expect(await unread()).to.equal(0);
    });

    it('the unread count equals that of the phone after a restart in between', async () => {
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

describe('HistoryImports: parts', () => {
  let rig: PastImports;
  beforeEach(async () => {
    rig = await (await Rig.start({ now: SENT_AT + DAY_MS })).imports();
  });
  afterEach(() => rig.stop());

  describe('the import of a part', () => {
    it('retries a part a few times that cannot be fetched, then leaves it to the next start', async () => {
      let tries = 0;
      await rig.announce(
        'J1',
        failing('media_unfetchable', () => tries++),
      );
      for (const pauseMs of [1_000, 5_000, 30_000, 120_000]) {
        await rig.clock.scheduled(pauseMs);
        rig.clock.advance(pauseMs);
      }
      await rig.imports.idle();
      expect(tries).to.equal(5);
      expect(await rig.open()).to.deep.equal(['J1']);
    });

    it('imports a part that can be fetched at a later attempt', async () => {
      let tries = 0;
      const good = saying({ people: [], messages: [past('M1')] });
      const bad = failing('media_unfetchable', () => undefined);
      await rig.announce('J1', { batches: (signal) => (tries++ === 0 ? bad : good).batches(signal) });
      await rig.clock.scheduled(1_000);
      rig.clock.advance(1_000);
      await rig.imports.idle();
      expect(await rig.bodies()).to.deep.equal(['M1']);
      expect(await rig.open()).to.deep.equal([]);
    });

    for (const what of ['media_gone', 'nonsense'] as const) {
      it(`skips a part that can never be read (${what})`, async () => {
        await rig.announce(
          'J1',
          failing(what, () => undefined),
        );
        await rig.announce('J2', saying({ people: [], messages: [past('M1')] }));
        await rig.imports.idle();
        expect(await rig.bodies()).to.deep.equal(['M1']);
        expect(await rig.open()).to.deep.equal([]);
      });
    }

    it('leaves the part to the next owner of its session when this node has lost the lease', async () => {
      rig.recorder.add = () => Promise.reject(new GatewayError('session_elsewhere', 'another node has it'));
      await rig.announce('J1', saying({ people: [], messages: [past('M1')] }));
      await rig.imports.idle();
      expect(await rig.open()).to.deep.equal(['J1']);
    });

    it('imports a part once that is announced again meanwhile', async () => {
      let reads = 0;
      const part = saying({ people: [], messages: [past('M1')] });
      await rig.announce('J1', {
        batches(signal) {
          reads += 1;
          rig.imports.take({ clientId: 'acme', record: rig.record }, 'J1');
          return part.batches(signal);
        },
      });
      await rig.imports.idle();
      expect(reads).to.equal(1);
    });

    it('reads nothing of another account, or without a workspace', async () => {
      const read = () => {
        throw new Error('it was read');
      };
      await rig.announce('J1', { account: { pn: '15550000009' }, batches: read });
      await rig.imports.idle();
      rig.record.orgId = '';
      await rig.announce('J2', { batches: read });
      await rig.imports.idle();
      expect(await rig.open()).to.deep.equal([]);
      expect(await rig.store.history.rooms('acme')).to.deep.equal([]);
    });

    it('stops when the workspace is removed', async () => {
      await rig.announce('J1', {
        async *batches() {
          yield { people: [], messages: [past('M1')] };
          rig.record.orgId = '';
          yield { people: [], messages: [past('M2')] };
        },
      });
      await rig.imports.idle();
      expect(await rig.bodies()).to.deep.equal(['M1']);
      expect(await rig.open()).to.deep.equal([]);
    });

    it('starts again after a stop in the middle', async () => {
      const messages = [past('M1'), past('M2')];
      let stopped: Promise<void> | undefined;
      await rig.announce('J1', {
        async *batches() {
          yield { people: [], messages: messages.slice(0, 1) };
          stopped = rig.imports.stop();
          yield { people: [], messages: messages.slice(1) };
        },
      });
      while (!stopped) await new Promise(setImmediate);
      await stopped;
      expect(await rig.bodies()).to.deep.equal(['M1']);
      expect(await rig.open()).to.deep.equal(['J1']);
      rig.restart();
      await rig.journal('J1', saying({ people: [], messages }));
      rig.resume('J1');
      await rig.imports.idle();
      expect(await rig.bodies()).to.have.members(['M1', 'M2']);
      expect(await rig.open()).to.deep.equal([]);
    });
  });

  it('reads a few parts at a time, of however many sessions, and those of one session in their order', async () => {
    const order: string[] = [];
    let reading = 0;
    let most = 0;
    const watched = (name: string): PlayedPart => ({
      async *batches() {
        most = Math.max(most, ++reading);
        order.push(name);
        await new Promise(setImmediate);
        yield { people: [], messages: [] };
        reading -= 1;
      },
    });
    for (const name of ['a', 'b', 'c', 'd', 'e']) {
      const session = { ...rig.record, clientId: name };
      await rig.store.sessions.create(session);
      for (const id of [`${name}1`, `${name}2`]) await rig.announce(id, watched(id), session);
    }
    await rig.imports.idle();
    expect(order).to.have.length(10);
    expect(most).to.equal(2);
    for (const name of ['a', 'b', 'c', 'd', 'e']) {
      expect(order.indexOf(`${name}1`)).to.be.lessThan(order.indexOf(`${name}2`));
    }
  });

  it('yields to other work between two messages', async () => {
    const messages = Array.from({ length: 100 }, (_, index) => past(`M${index}`));
    let turns = 0;
    let done = false;
    const count = () => {
      turns += 1;
      if (!done) setImmediate(count);
    };
    await rig.announce('J1', saying({ people: [], messages }));
    setImmediate(count);
    await rig.imports.idle();
    done = true;
    expect(turns).to.be.at.least(messages.length);
  });
});

function failing(what: 'media_gone' | 'media_unfetchable' | 'nonsense', onTry: () => void): PlayedPart {
  return {
    // biome-ignore lint/correctness/useYield: it fails before there is anything
    async *batches() {
      onTry();
      throw what === 'nonsense' ? new Error('it is no history') : new GatewayError(what, 'not there');
    },
  };
}
