import { proto } from '@whiskeysockets/baileys';
import { expect } from 'chai';
import type { EventEnvelope } from '../../../../src/contract/events/envelope.js';
import type { StoredMessage } from '../../../../src/contract/index.js';
import type { IncomingMessage } from '../../../../src/gateway/link/link.js';
import { HostedInbox } from '../../../../src/gateway/services/history/inbox.js';
import { Recorder } from '../../../../src/gateway/services/history/recorder.js';
import type { Recording } from '../../../../src/gateway/services/history/recording.js';
import type { StoredRows } from '../../../../src/gateway/services/history/stored-rows.js';
import type { Authorship } from '../../../../src/gateway/services/identities/parties.js';
import { STORED_PICTURE } from '../../../../src/gateway/services/identities/pictures.js';
import {
  blankSession,
  type ExpectedFile,
  type SessionRecord,
  type Store,
} from '../../../../src/gateway/store/store.js';
import { Chance } from '../../../support/chance.js';
import { Rig } from '../../../support/rig/rig.js';
import { NO_SETTINGS } from '../../../support/rig/room-settings.js';

const ROOM = 'acme-90000000000001-90000000000002';
const SENT_AT = Date.UTC(2026, 0, 2, 3, 4, 5);
const BOB: Authorship = { fromMe: false, lid: '90000000000002', pn: '15550000002' };
const CAROL: Authorship = { fromMe: false, lid: '90000000000003', pn: '15550000003' };
const ME: Authorship = { fromMe: true, lid: '90000000000001', pn: '15550000001' };

describe('HostedInbox', () => {
  let rig: Rig;
  let store: Store;
  let recorder: Recorder;
  let inbox: HostedInbox;
  let expected: Omit<ExpectedFile, 'since'>[];
  let rows: StoredRows;

  beforeEach(async () => {
    rig = await Rig.start();
    store = rig.store;
    await store.sessions.create(SESSION);
    const links = {
      encode: (content: proto.IMessage) => proto.Message.encode(content).finish(),
      decode: (content: Uint8Array) => proto.Message.decode(content),
    };
    expected = [];
    const expectFile = async (file: Omit<ExpectedFile, 'since'>) => void expected.push(file);
    const rooms = rig.roomsOf(SESSION);
    rows = rig.rowsOver(links);
    recorder = new Recorder({
      rooms,
      store,
      links,
      rows,
      files: { expect: expectFile },
      roomSettings: NO_SETTINGS,
    });
    inbox = new HostedInbox({
      rooms,
      store,
      fileLinks: {
        linkTo: (fileId, named) =>
          `https://files.example/${named === STORED_PICTURE ? 'pictures/' : ''}${fileId}`,
      },
    });
  });

  afterEach(() => rig.close());

  const shown = () => inbox.messages(ROOM, { limit: 200 });
  const refused = (asking: Promise<unknown>) => asking.then(String, (error) => error.code);
  const row = async (): Promise<StoredMessage | undefined> => (await shown())[0];
  const record = async (...recordings: Recording[]) => {
    for (const recording of recordings) await recorder.record(recording);
  };

  it('returns a message as the contract says', async () => {
    await record(message('M1', 'hello', { mentions: ['90000000000001'], isForwarded: true }));
    expect(await shown()).to.deep.equal([
      {
        messageId: 'M1',
        chatRoomId: ROOM,
        clientId: 'acme',
        body: 'hello',
        messageType: 'chat',
        fromMe: false,
        pushname: 'Bob',
        sentAt: '2026-01-02T03:04:05.000Z',
        deleted: false,
        fromAi: false,
        downloadUrl: '',
        extras: { mentions: ['90000000000001'], forwarded: true },
      },
    ]);
  });

  it('returns a room as the contract says', async () => {
    await record(message('M1', 'hello'), message('M2', 'are you there?', {}, { timestamp: SENT_AT + 1_000 }));
    expect(await inbox.rooms('acme')).to.deep.equal([
      {
        chatRoomId: ROOM,
        clientId: 'acme',
        name: 'Robert',
        myLid: '90000000000001',
        clientLid: '90000000000002',
        isGroup: false,
        remoteJid: '90000000000002@lid',
        lastMessage: 'are you there?',
        lastMessageFromMe: false,
        lastMessageAt: '2026-01-02T03:04:06.000Z',
        unreadCount: 2,
        avatarUrl: '',
      },
    ]);
  });

  it('records a message once, however often it comes', async () => {
    await record(message('M1', 'hello'), message('M1', 'hello'));
    expect(await shown()).to.have.length(1);
    expect((await inbox.rooms('acme'))[0]).to.include({ unreadCount: 1 });
  });

  it('counts own messages as read, and everything once the room is marked', async () => {
    await record(message('M1', 'hello'), own('M2', 'hi'));
    expect((await inbox.rooms('acme'))[0]).to.include({ unreadCount: 1, lastMessageFromMe: true });
    await inbox.markRead(ROOM);
    expect((await inbox.rooms('acme'))[0]).to.include({ unreadCount: 0 });
  });

  it('keeps the metaData and the author of a send', async () => {
    const metaData = { fromAI: true, ticket: 7 };
    const meta = { fromAI: true, raw: metaData };
    await record({ ...own('M1', 'hi', { meta }), metaData }, own('M2', 'ho', { meta: { raw: {} } }));
    const [first, second] = await shown();
    expect(first).to.deep.include({ fromAi: true, extras: { meta: { fromAI: true, raw: metaData } } });
    expect(second).to.deep.include({ fromAi: false, extras: { meta: { fromAI: false, raw: {} } } });
  });

  describe('HostedInbox: a file', () => {
    const download = {
      url: 'https://mmg.whatsapp.net/v/x.enc',
      directPath: '/v/x.enc',
      mediaKey: 'a2V5',
      fileSha256: 'aGFzaA==',
      fileEncSha256: 'aGFzaA==',
      mediaKeyTimestamp: 1,
    };
    const file = { mimeType: 'image/jpeg', mediaType: 'image', fileName: 'a.jpg', fileSize: 7 };
    const media = { ...file, caption: 'look', width: 4, height: 3, download };
    const key = { clientId: 'acme', chatRoomId: ROOM, messageId: 'M1' };
    const picture = (extra = media): Recording => ({
      ...message('M1', 'look', { type: 'image', media: extra }),
      storedType: 'image',
    });

    it('a file has its per-type object and its link', async () => {
      const fileId = await recorder.record(picture());
      const downloadUrl = `https://files.example/${fileId}`;
      expect(await row()).to.deep.include({
        messageType: 'image',
        body: 'look',
        media: file,
        downloadUrl,
        extras: { media: { ...media, downloadUrl } },
      });
      expect(await inbox.mediaUrl(ROOM, 'M1')).to.equal(downloadUrl);
      expect(expected).to.deep.equal([{ id: fileId, ...key, past: false }]);
    });

    it('a file keeps its id however often its message is recorded, and is reported again', async () => {
      const fileId = await recorder.record(picture());
      expect(await recorder.record(picture())).to.equal(fileId);
      expect(expected).to.deep.equal([
        { id: fileId, ...key, past: false },
        { id: fileId, ...key, past: false },
      ]);
    });

    it('a file has a caption that edits replace', async () => {
      await record(picture(), edit('E1', 'look here', 1_000));
      expect(await row())
        .to.include({ body: 'look here' })
        .and.have.nested.property('extras.media')
        .that.includes({ caption: 'look here', width: 4 });
    });

    it('a file has no link when it could not be stored', async () => {
      await recorder.record(picture());
      expect(await rows.amend(key, (stored) => ({ ...stored, fileId: '' }))).to.equal(true);
      expect(await row()).to.deep.include({ downloadUrl: '', media: file, extras: { media } });
      expect(await refused(inbox.mediaUrl(ROOM, 'M1'))).to.equal('file_unknown');
      expect(await recorder.record(picture())).to.equal('');
      expect(expected).to.have.length(1);
      expect(await rows.amend({ ...key, messageId: 'M2' }, (stored) => stored)).to.equal(false);
    });

    it('a file is not expected when its message has no key or no address', async () => {
      for (const lacking of [{ mediaKey: '' }, { url: '', directPath: '' }]) {
        const messageId = Object.keys(lacking).join();
        const { event, ...rest } = picture({ ...media, download: { ...download, ...lacking } });
        expect(await recorder.record({ ...rest, event: { ...event, messageId } })).to.equal('');
      }
      expect(expected).to.deep.equal([]);
    });

    it('a file exists only for messages with a file', async () => {
      await record(message('M2', 'hello'));
      expect(await refused(inbox.mediaUrl(ROOM, 'M2'))).to.equal('file_unknown');
      expect(await refused(inbox.mediaUrl(ROOM, 'M3'))).to.equal('message_unknown');
      expect(await refused(inbox.mediaUrl('acme-1-2', 'M2'))).to.equal('room_unknown');
    });
  });

  it('keeps the network message, to quote it', async () => {
    await record(message('M1', 'hello'));
    const stored = await store.history.message('acme', ROOM, 'M1');
    expect(stored?.author).to.equal('90000000000002@lid');
    expect(proto.Message.decode(stored?.content ?? new Uint8Array())).to.include({ conversation: 'hello' });
  });

  describe('HostedInbox: reactions', () => {
    it('keeps one reaction of each person with the message', async () => {
      await record(message('M1', 'hello'), react('R1', '👍'), react('R2', '🎉', { by: ME }));
      expect(await row()).to.deep.include({
        extras: { reactions: { [`${BOB.lid}`]: '👍', [`${ME.lid}`]: '🎉' } },
      });
      expect(await shown()).to.have.length(1);
    });

    it('replaces the earlier reaction of a person, and deletes a removed one', async () => {
      await record(message('M1', 'hello'), react('R1', '👍'), react('R2', '❤️', { at: 1_000 }));
      expect(await row()).to.deep.include({ extras: { reactions: { [`${BOB.lid}`]: '❤️' } } });
      await record(react('R3', '', { at: 2_000 }));
      expect(await row()).to.deep.include({ extras: { reactions: {} } });
      await record(react('R2', '❤️', { at: 1_000 }));
      expect(await row()).to.deep.include({ extras: { reactions: {} } });
    });

    it('orders reactions of one second by the clock of their author', async () => {
      await record(message('M1', 'hello'), react('R2', '', { ms: 700 }), react('R1', '👍', { ms: 200 }));
      expect(await row()).to.deep.include({ extras: { reactions: {} } });
    });

    it("orders reactions by the network’s time when the author's clock is wrong", async () => {
      const hour = 3_600_000;
      await record(message('M1', 'hello'), react('R1', '👍', { at: 1_000, ms: 2 * hour }));
      await record(react('R2', '❤️', { at: 2_000, ms: hour }));
      expect(await row()).to.deep.include({ extras: { reactions: { [`${BOB.lid}`]: '❤️' } } });
    });
  });

  describe('HostedInbox: edits', () => {
    it('replaces the text, and keeps the former texts with the time of their replacement', async () => {
      await record(message('M1', 'helo'), edit('E1', 'hello', 1_000), edit('E2', 'hello!', 2_000));
      expect(await row()).to.deep.include({
        body: 'hello!',
        extras: {
          edited: true,
          editHistory: [
            { body: 'helo', editedAt: '2026-01-02T03:04:06.000Z' },
            { body: 'hello', editedAt: '2026-01-02T03:04:07.000Z' },
          ],
        },
      });
      expect((await inbox.rooms('acme'))[0]).to.include({ lastMessage: 'hello!', unreadCount: 1 });
    });

    it('ignores an edit by another person', async () => {
      await record(
        message('M1', 'hello'),
        edit('E1', 'forged', 1_000, ME),
        edit('E2', 'forged', 1_000, CAROL),
      );
      expect(await row()).to.deep.include({ body: 'hello', extras: {} });
    });

    it('keeps the first text and the newest ones of many edits', async () => {
      await record(message('M1', 'version 0'));
      for (let version = 1; version <= 40; version++) {
        await record(edit(`E${version}`, `version ${version}`, version * 1_000));
      }
      const { body, extras } = (await row()) ?? { body: '', extras: { editHistory: [] } };
      expect(body).to.equal('version 40');
      expect(extras.editHistory).to.have.length(29);
      expect(extras.editHistory).to.have.nested.property('[0].body', 'version 0');
      expect(extras.editHistory).to.have.nested.property('[28].body', 'version 39');
    });
  });

  describe('HostedInbox: deletions', () => {
    it('marks the message as deleted', async () => {
      await record(message('M1', 'hello'), revoke('D1'));
      expect(await row()).to.deep.include({ deleted: true, extras: { revoked: true } });
    });

    it('ignores a deletion by another person who is not an admin', async () => {
      await record(message('M1', 'hello'), revoke('D1', { by: CAROL }));
      expect(await row()).to.include({ deleted: false });
      await record(revoke('D2', { by: CAROL, byAdmin: true }));
      expect(await row()).to.include({ deleted: true });
    });
  });

  it('applies changes that arrived before their message', async () => {
    await record(react('R1', '👍'), edit('E1', 'hello', 1_000), edit('E9', 'forged', 9_000, CAROL));
    expect(await inbox.rooms('acme')).to.deep.equal([]);
    await record(message('M1', 'helo'));
    expect(await row()).to.deep.include({
      body: 'hello',
      extras: {
        edited: true,
        editHistory: [{ body: 'helo', editedAt: '2026-01-02T03:04:06.000Z' }],
        reactions: { [`${BOB.lid}`]: '👍' },
      },
    });
    expect(await store.history.pending('acme', ROOM, 'M1')).to.deep.equal([]);
  });

  it('applies pending changes again after a crash', async () => {
    await record(react('R1', '👍'));
    const [kept] = await store.history.pending('acme', ROOM, 'M1');
    await record(message('M1', 'hello'));
    if (kept) await store.history.addPending('acme', kept);
    await record(message('M1', 'hello'));
    expect(await row()).to.deep.include({ extras: { reactions: { [`${BOB.lid}`]: '👍' } } });
    expect(await store.history.pending('acme', ROOM, 'M1')).to.deep.equal([]);
  });

  const chance = new Chance();
  it(`reaches the same state in any order of messages and changes, however often each comes (seed ${chance.seed})`, async () => {
    const changes = [
      ...[1, 2, 3].map((step) => edit(`E${step}`, `text ${step}`, step * 1_000)),
      ...[1, 2, 3].map((step) => react(`R${step}`, ['', '👍', '❤️', ''][step] ?? '', { at: step * 1_000 })),
      react('R4', '🎉', { by: ME, at: 4_000 }),
      revoke('D1'),
    ];
    const expected = {
      body: '',
      deleted: true,
      extras: { revoked: true },
    };
    for (let round = 0; round < 20; round++) {
      const all = shuffled([message('M1', 'text 0'), ...changes, ...changes], chance);
      await Promise.all(all.map((recording) => recorder.record(recording)));
      expect(await row(), `round ${round}`).to.deep.include(expected);
      await store.history.remove('acme', ROOM, 'M1');
    }
  });

  it('returns the page before a message', async () => {
    for (let index = 0; index < 5; index++) {
      await record(message(`M${index}`, `${index}`, {}, { timestamp: SENT_AT + index * 1_000 }));
    }
    const page = await inbox.messages(ROOM, { limit: 2, before: 'M3' });
    expect(page.map(({ messageId }) => messageId)).to.deep.equal(['M1', 'M2']);
  });

  it('returns the status of own messages on request', async () => {
    await record(message('M1', 'hello'), own('M2', 'hi'), own('M3', 'bye'));
    await store.history.advance('acme', { messageId: 'M3', status: 'read', at: SENT_AT });
    const told = async (page: { limit: number; before?: string; status?: boolean }) =>
      (await inbox.messages(ROOM, page)).map((each) => ('status' in each ? each.status : 'untold'));
    expect(await told({ limit: 200, status: true })).to.deep.equal(['untold', 'sent', 'read']);
    expect(await told({ limit: 1, before: 'M3', status: true })).to.deep.equal(['sent']);
    expect(await told({ limit: 200 })).to.deep.equal(['untold', 'untold', 'untold']);
    expect(await told({ limit: 200, status: false })).to.deep.equal(['untold', 'untold', 'untold']);
  });

  it('refuses unknown rooms and messages', async () => {
    await record(message('M1', 'hello'));
    expect(await refused(inbox.rooms('nobody'))).to.equal('session_unknown');
    for (const room of ['acme-90000000000001-1', 'nobody-1-2', 'acme', '--']) {
      expect(await refused(inbox.messages(room, { limit: 1 })), room).to.equal('room_unknown');
      expect(await refused(inbox.markRead(room)), room).to.equal('room_unknown');
    }
    expect(await refused(inbox.messages(ROOM, { limit: 1, before: 'M2' }))).to.equal('message_unknown');
  });
});

const SESSION: SessionRecord = {
  ...blankSession(),
  clientId: 'acme',
  lid: '90000000000001',
  pn: '15550000001',
  jid: '15550000001:1@s.whatsapp.net',
  name: 'Alice',
  orgId: 'workspace1',
  status: 'connected',
};

function recording(
  event: Partial<EventEnvelope> & { messageId: string },
  author: Authorship,
  came: Partial<IncomingMessage>,
): Recording {
  const timestamp = came.timestamp ?? SENT_AT;
  return {
    author,
    storedType: undefined,
    event: {
      event: author.fromMe ? 'message.sent' : 'message.received',
      type: 'text',
      clientId: 'acme',
      orgId: 'workspace1',
      timestamp: new Date(timestamp).toISOString(),
      chatRoomId: ROOM,
      myLid: '90000000000001',
      clientLid: '90000000000002',
      remoteJid: '90000000000002@lid',
      remoteName: 'Robert',
      remotePhone: '+15550000002',
      remoteUsername: '',
      pushName: author.fromMe ? 'Alice' : 'Bob',
      avatarUrl: '',
      fromMe: author.fromMe,
      isGroup: false,
      body: '',
      mentions: [],
      isForwarded: false,
      ...event,
    },
    message: {
      messageId: event.messageId,
      chat: '90000000000002@lid',
      fromMe: author.fromMe,
      pushName: 'Bob',
      content: { conversation: event.body ?? '' },
      journalIds: [],
      offline: false,
      ...came,
      timestamp,
    },
  };
}

/** A text of Bob. */
function message(
  messageId: string,
  body: string,
  event: Partial<EventEnvelope> = {},
  came: Partial<IncomingMessage> = {},
): Recording {
  return { ...recording({ messageId, body, ...event }, BOB, came), storedType: 'chat' };
}

function own(messageId: string, body: string, event: Partial<EventEnvelope> = {}): Recording {
  return { ...recording({ messageId, body, ...event }, ME, {}), storedType: 'chat' };
}

interface ReactionWishes {
  by?: Authorship;
  /** Milliseconds after the message, by the network's time. */
  at?: number;
  /** Milliseconds after the message, by the clock of the reacting person. */
  ms?: number;
}

function react(messageId: string, emoji: string, { by = BOB, at = 0, ms }: ReactionWishes = {}): Recording {
  const reaction = { targetId: 'M1', targetFromMe: false, emoji };
  return recording({ messageId, type: 'reaction', body: emoji, reaction }, by, {
    timestamp: SENT_AT + at,
    content: {
      reactionMessage: { text: emoji, ...(ms !== undefined && { senderTimestampMs: SENT_AT + ms }) },
    },
  });
}

function edit(messageId: string, body: string, at: number, by = BOB): Recording {
  const timestamp = SENT_AT + at;
  return recording({ messageId, type: 'edit', body, edit: { targetId: 'M1', body } }, by, { timestamp });
}

function revoke(messageId: string, { by = BOB, byAdmin = false } = {}): Recording {
  return recording({ messageId, type: 'revoke', revoke: { targetId: 'M1', byAdmin } }, by, {});
}

function shuffled<T>(items: readonly T[], chance: Chance): T[] {
  const rest = [...items];
  return items.flatMap(() => rest.splice(chance.between(0, rest.length - 1), 1));
}
