import { expect } from 'chai';
import ChatsRequestHistory from '../../commands/chats/request-history.js';
import MediaList from '../../commands/media/list.js';
import MediaUrl from '../../commands/media/url.js';
import MessagesLink from '../../commands/messages/link.js';
import MessagesList from '../../commands/messages/list.js';
import RoomsList from '../../commands/rooms/list.js';
import RoomsRead from '../../commands/rooms/read.js';
import { type CommandResult, runCommand } from '../support/run-command.js';
import { FakeDaemon } from '../terminal/cli/support/fake-daemon.js';

const LID = '90000000000002';
const BOB = {
  chatRoomId: `acme-90000000000001-${LID}`,
  name: 'Bob Müller',
  isGroup: false,
  remoteJid: `${LID}@lid`,
  lastMessage: 'See you\nthen',
  lastMessageFromMe: true,
  lastMessageAt: new Date(2026, 10, 21, 9, 5).toISOString(),
  unreadCount: 2,
};
const TEAM = {
  ...BOB,
  chatRoomId: 'acme-90000000000001-120363040000000001',
  name: 'Bob and the team',
  isGroup: true,
  remoteJid: '120363040000000001@g.us',
  unreadCount: 0,
};
const TEXT = {
  messageId: '3A01',
  chatRoomId: BOB.chatRoomId,
  body: 'Hello\nthere',
  messageType: 'chat',
  fromMe: false,
  pushname: 'Bob',
  sentAt: new Date(2026, 10, 21, 9, 5).toISOString(),
  deleted: false,
  fromAi: false,
  downloadUrl: '',
  extras: { reactions: { [LID]: '👍', '90000000000001': '👍' } },
};
const PHOTO = {
  ...TEXT,
  messageId: '3EB0',
  body: 'Look',
  messageType: 'image',
  fromMe: true,
  status: 'read',
  media: { mimeType: 'image/jpeg', mediaType: 'image', fileName: 'photo.jpg', fileSize: 1_234_567 },
  downloadUrl: 'http://127.0.0.1:3000/media/abc/photo.jpg',
  extras: { edited: true, quoted: { messageId: '3A01', body: 'Hello', type: 'chat' } },
};

describe('the commands about rooms and stored messages', () => {
  let daemon: FakeDaemon;

  beforeEach(async () => {
    daemon = await FakeDaemon.start();
    daemon.on('GET /chatrooms', { chatRooms: [BOB, TEAM] });
    daemon.on('GET /clients', { clients: [{ clientId: 'acme', orgId: 'workspace1' }] });
  });
  afterEach(() => daemon.stop());

  const run = (command: Parameters<typeof runCommand>[0], ...argv: string[]): Promise<CommandResult> =>
    runCommand(command, argv, { SWITCHBOARD_URL: daemon.url, SWITCHBOARD_TOKEN: 't' });
  const answerMessages = (...messages: object[]) =>
    daemon.on(`GET /chatrooms/${BOB.chatRoomId}/messages`, { messages });

  describe('rooms list', () => {
    it('shows name, address, unread count, time and text', async () => {
      const { stdout } = await run(RoomsList, 'acme');
      expect(stdout).to.match(/^ROOM +JID +UNREAD +SETTINGS +WHEN +LAST MESSAGE\n/);
      expect(stdout).to.match(/\nBob Müller +90000000000002@lid +2 +2026-11-21 09:05 +You: See you ⏎ then\n/);
    });

    it('shows which rooms are archived, pinned or muted now', async () => {
      const settings = { pinned: true, mutedUntil: '9999-12-31T23:59:59.999Z' };
      const past = { archived: true, mutedUntil: '2020-01-01T00:00:00.000Z' };
      daemon.on('GET /chatrooms', {
        chatRooms: [
          { ...BOB, ...settings },
          { ...TEAM, ...past },
        ],
      });
      const { stdout } = await run(RoomsList, 'acme');
      expect(stdout).to.match(/\nBob Müller .* pinned, muted +2026-11-21/);
      expect(stdout).to.match(/\nBob and the team .* archived +2026-11-21/);
    });

    for (const [what, last] of [
      ['deleted', { ...TEXT, body: '', deleted: true }],
      ['[image] photo.jpg', { ...PHOTO, body: '' }],
    ] as const) {
      it(`shows ${what} in place of a last message without text`, async () => {
        daemon.on('GET /chatrooms', { chatRooms: [{ ...BOB, lastMessage: '', lastMessageFromMe: false }] });
        answerMessages(last);
        const { stdout } = await run(RoomsList, 'acme');
        expect(stdout.trimEnd().split('\n')[1]).to.match(/^Bob Müller .*2026-11-21 09:05 /);
        expect(stdout.trimEnd().endsWith(`  ${what}`)).to.equal(true);
      });
    }

    it('prints the rows as JSON', async () => {
      const { stdout } = await run(RoomsList, 'acme', '--json');
      expect(JSON.parse(stdout)).to.deep.equal({ rooms: [BOB, TEAM] });
    });

    it('says that the session has no workspace instead of printing an empty list', async () => {
      daemon.on('GET /chatrooms', { chatRooms: [] });
      daemon.on('GET /clients', { clients: [{ clientId: 'acme', orgId: '' }] });
      const { stdout, stderr, exitCode } = await run(RoomsList, 'acme');
      expect({ stdout, exitCode }).to.deep.equal({ stdout: '', exitCode: 6 });
      expect(stderr).to.contain('no workspace').and.contain('switchboard sessions org acme NAME');
    });

    it('says that nothing has arrived yet in a new workspace', async () => {
      daemon.on('GET /chatrooms', { chatRooms: [] });
      daemon.on('GET /clients', { clients: [{ clientId: 'acme', orgId: 'workspace1' }] });
      const { stderr, exitCode } = await run(RoomsList, 'acme');
      expect({ stderr, exitCode }).to.deep.equal({
        stderr: 'acme has no messages since it keeps a history\n',
        exitCode: 0,
      });
    });
  });

  describe('a room', () => {
    beforeEach(() => answerMessages(TEXT));

    for (const wanted of [BOB.chatRoomId, LID, `${LID}@lid`, 'bob müller', 'MÜLLER']) {
      it(`a room is found by ${wanted}`, async () => {
        const { stdout } = await run(MessagesList, 'acme', wanted, '--json');
        expect(JSON.parse(stdout).chatRoomId).to.equal(BOB.chatRoomId);
      });
    }

    it('a room is found by a phone number whose LID the daemon knows', async () => {
      daemon.on('POST /check-owner-lid', { numberLid: LID });
      const { stdout } = await run(MessagesList, 'acme', '+1 555 000 0002', '--json');
      expect(JSON.parse(stdout).chatRoomId).to.equal(BOB.chatRoomId);
      expect(daemon.callsOf('/check-owner-lid').at(-1)?.body.number).to.equal('+15550000002');
    });

    it('a room is refused when several rooms have the name', async () => {
      const { stderr, exitCode } = await run(MessagesList, 'acme', 'bob');
      expect(exitCode).to.equal(2);
      expect(stderr).to.contain('2 rooms').and.contain(`Bob Müller: ${BOB.chatRoomId}`);
    });

    it('a room is reported with exit code 5 when it does not exist', async () => {
      const { stderr, exitCode } = await run(MessagesList, 'acme', 'Carol');
      expect(exitCode).to.equal(5);
      expect(stderr).to.contain('switchboard rooms list acme');
    });

    it('a room is refused for a session without a workspace, with the reason', async () => {
      daemon.on('GET /chatrooms', { chatRooms: [] });
      daemon.on('GET /clients', { clients: [{ clientId: 'acme', orgId: '' }] });
      const { stderr, exitCode } = await run(MessagesList, 'acme', 'Bob');
      expect(exitCode).to.equal(6);
      expect(stderr).to.contain('no workspace').and.contain('switchboard sessions org acme');
    });
  });

  describe('messages list', () => {
    it('shows author, time, text, status, and related messages', async () => {
      answerMessages(TEXT, PHOTO);
      const { stdout } = await run(MessagesList, 'acme', LID);
      expect(stdout).to.equal(
        [
          'Bob  2026-11-21 09:05  3A01',
          '  Hello',
          '  there',
          '  👍 2',
          '',
          'You  2026-11-21 09:05  3EB0  ✓✓ read  edited',
          '  > Bob: Hello',
          '  Look',
          '  [image] photo.jpg (1.2 MB) http://127.0.0.1:3000/media/abc/photo.jpg',
          '',
        ].join('\n'),
      );
    });

    it('marks deleted messages, and hides their text', async () => {
      answerMessages({ ...TEXT, deleted: true });
      const { stdout } = await run(MessagesList, 'acme', LID);
      expect(stdout).to.equal('Bob  2026-11-21 09:05  3A01\n  deleted\n');
    });

    it('shows missed calls and messages that could not be read as what they are', async () => {
      answerMessages(
        { ...TEXT, messageType: 'call', body: 'Missed voice call', extras: { call: { status: 'missed' } } },
        { ...TEXT, messageId: '3A02', body: '', extras: { unreadable: { reason: 'unavailable' } } },
      );
      const { stdout } = await run(MessagesList, 'acme', LID);
      expect(stdout)
        .to.contain('\n  [call] Missed voice call\n')
        .and.contain('\n  could not be read: the network has no copy for this device\n');
    });

    it('removes control characters before printing', async () => {
      answerMessages({ ...TEXT, pushname: '\u001b[2JEve', body: 'a\u001b[31mb', extras: {} });
      const { stdout } = await run(MessagesList, 'acme', LID);
      expect(stdout).to.not.contain('\u001b');
    });

    it('prints a page, and the command for the next one', async () => {
      answerMessages(TEXT);
      const { stderr } = await run(MessagesList, 'acme', LID, '--limit', '1', '--before', '3EB0');
      const query = daemon.callsOf(`/chatrooms/${BOB.chatRoomId}/messages`).at(-1)?.query;
      expect([query?.get('limit'), query?.get('before')]).to.deep.equal(['1', '3EB0']);
      expect(stderr).to.contain('--before 3A01');
    });

    it('reports an empty room', async () => {
      answerMessages();
      expect(await run(MessagesList, 'acme', LID)).to.deep.include({ stdout: '', stderr: 'no messages\n' });
    });
  });

  it('print the link to a file of a message', async () => {
    const url = 'http://127.0.0.1:3000/media/abc/photo.jpg';
    daemon.on(`GET /chatrooms/${BOB.chatRoomId}/messages/3EB0/media-url`, { ok: true, url });
    expect((await run(MessagesLink, 'acme', LID, '3EB0')).stdout).to.equal(`${url}\n`);
  });

  it('reset the unread count', async () => {
    daemon.on(`POST /chatrooms/${BOB.chatRoomId}/read`, { status: 'ok' });
    const { stdout } = await run(RoomsRead, 'acme', LID);
    expect(stdout).to.equal('Bob Müller has no unread messages\n');
    expect(daemon.callsOf(`/chatrooms/${BOB.chatRoomId}/read`)).to.have.length(1);
  });

  describe('chats request-history', () => {
    const REFUSALS = [
      [429, 'history_requested', 6, 'conflict', 'try again in 3 s'],
      [502, 'history_phone_silent', 7, 'refused', 'switch the phone on, open WhatsApp on it, and try again'],
    ] as const;
    for (const [status, why, exitCode, code, suggestion] of REFUSALS) {
      it(`exits with ${exitCode} after ${why}, and suggests what to do`, async () => {
        const headers = { 'x-sn-error': why, 'retry-after': '3' };
        daemon.on('POST /request-history', () => ({ status, headers, body: { error: 'because' } }));
        const end = await run(ChatsRequestHistory, 'acme', LID, '--json');
        expect(end.exitCode).to.equal(exitCode);
        expect(JSON.parse(end.stdout)).to.deep.include({ code, exitCode, suggestions: [suggestion] });
      });
    }
  });

  describe('the media library', () => {
    const FILE = {
      messageId: '7d9f9a1e-5a0c-4f0e-9f43-6b8f0f3f4a51',
      clientId: 'acme',
      mimeType: 'application/pdf',
      mediaType: 'document',
      fileName: 'Our offer.pdf',
      fileSize: 999,
      caption: '',
      createdAt: new Date(2026, 10, 21, 9, 5).toISOString(),
    };

    it('the library is listed in the workspace of the session', async () => {
      daemon.on('GET /media-files', { ok: true, files: [FILE], pagination: { page: 1, limit: 1, total: 3 } });
      const { stdout, stderr } = await run(MediaList, 'acme', '--limit', '1');
      expect(stdout).to.match(/\n2026-11-21 09:05 +document +999 B +Our offer\.pdf +7d9f9a1e-\S+\n$/);
      expect(stderr).to.equal('more of 3: --page 2\n');
      expect(daemon.callsOf('/media-files').at(-1)?.query.get('orgId')).to.equal('workspace1');
    });

    it('the library is refused for a session without a workspace, with the reason', async () => {
      daemon.on('GET /clients', { clients: [{ clientId: 'acme', orgId: '' }] });
      const { stderr, exitCode } = await run(MediaList, 'acme');
      expect(exitCode).to.equal(6);
      expect(stderr).to.contain('no workspace');
    });

    it('prints the link to a file', async () => {
      const url = 'http://127.0.0.1:3000/media/abc/offer.pdf';
      daemon.on(`GET /media-files/${FILE.messageId}/url`, { ok: true, url });
      expect((await run(MediaUrl, FILE.messageId)).stdout).to.equal(`${url}\n`);
    });
  });
});
