import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import GroupsCreate from '../../commands/groups/create.js';
import MessagesForward from '../../commands/messages/forward.js';
import MessagesPin from '../../commands/messages/pin.js';
import SendButtons from '../../commands/send/buttons.js';
import SendContact from '../../commands/send/contact.js';
import SendDelete from '../../commands/send/delete.js';
import SendEdit from '../../commands/send/edit.js';
import SendList from '../../commands/send/list.js';
import SendLocation from '../../commands/send/location.js';
import SendMedia from '../../commands/send/media.js';
import SendPoll from '../../commands/send/poll.js';
import SendReaction from '../../commands/send/reaction.js';
import SendText from '../../commands/send/text.js';
import { type CommandResult, runCommand } from '../support/run-command.js';
import { makeTempDir, type TempDir } from '../support/temp-dir.js';
import { FakeDaemon } from '../terminal/cli/support/fake-daemon.js';

const BOB = '+15550000002';
const ADDRESSEE = { clientId: 'acme', to: BOB };
const SENT = { status: 'sent', messageId: '3EB0' };

describe('the commands that send', () => {
  let daemon: FakeDaemon;
  let folder: TempDir;

  beforeEach(async () => {
    daemon = await FakeDaemon.start();
    folder = await makeTempDir();
  });
  afterEach(async () => {
    await daemon.stop();
    await folder.remove();
  });

  const run = (command: Parameters<typeof runCommand>[0], ...argv: string[]): Promise<CommandResult> =>
    runCommand(command, argv, { SWITCHBOARD_URL: daemon.url, SWITCHBOARD_TOKEN: 't' });

  const bodyOf = async (path: string, command: Parameters<typeof runCommand>[0], ...argv: string[]) => {
    daemon.on(`POST ${path}`, SENT);
    const { exitCode, stderr } = await run(command, ...argv);
    expect({ exitCode, stderr }).to.deep.equal({ exitCode: 0, stderr: '' });
    return daemon.callsOf(path).at(-1)?.body;
  };

  it('send a text with a preview of its link, or without one', async () => {
    for (const [flag, linkPreview] of [
      ['--preview', true],
      ['--no-preview', false],
    ] as const) {
      const body = await bodyOf('/send-message', SendText, 'acme', BOB, 'see https://example.com', flag);
      expect(body).to.include({ linkPreview });
    }
  });

  describe('the commands that send to the name of a chat', () => {
    const TEAM = '120363040000000001@g.us';
    const BOBS_LID = '90000000000002@lid';
    const wasTTY = process.stdin.isTTY;
    beforeEach(() => {
      process.stdin.isTTY = false;
      daemon.on('POST /send-message', SENT);
      daemon.on('GET /chatrooms', {
        chatRooms: [
          { name: 'Bob Müller', remoteJid: BOBS_LID },
          { name: 'Team', remoteJid: TEAM },
          { name: 'Anna', remoteJid: '90000000000003@lid' },
          { name: 'Anna', remoteJid: '90000000000004@lid' },
        ],
      });
      daemon.on('POST /get-groups', {
        groups: [
          { name: 'Team', jid: TEAM },
          { name: 'Weekend plans', jid: '120363040000000002@g.us' },
        ],
      });
    });

    afterEach(() => {
      process.stdin.isTTY = wasTTY;
    });

    for (const [name, to] of [
      ['TEAM', TEAM],
      ['Weekend plans', '120363040000000002@g.us'],
    ] as const) {
      it(`send to the group ${name}, and say which it is`, async () => {
        const { stdout, stderr, exitCode } = await run(SendText, 'acme', name, 'Hello');
        expect({ stdout, exitCode }).to.deep.equal({ stdout: 'sent 3EB0\n', exitCode: 0 });
        expect(stderr).to.match(new RegExp(` is ${to}\n$`));
        expect(daemon.callsOf('/send-message').at(-1)?.body).to.include({ to, body: 'Hello' });
      });
    }

    it('send nothing to the name of a person in a pipe, because anybody can choose it, and show the address', async () => {
      const { stderr, exitCode } = await run(SendText, 'acme', 'bob MÜLLER', 'Hello');
      expect(exitCode).to.equal(2);
      expect(stderr).to.contain(`give the address: ${BOBS_LID}`);
      expect(daemon.callsOf('/send-message')).to.deep.equal([]);
    });

    it('send nothing to a name that two chats have, and list them', async () => {
      const { stderr, exitCode } = await run(SendText, 'acme', 'anna', 'Hello');
      expect(exitCode).to.equal(2);
      expect(stderr).to.contain('Anna: 90000000000003@lid').and.contain('Anna: 90000000000004@lid');
      expect(daemon.callsOf('/send-message')).to.deep.equal([]);
    });

    it('send nothing to a part of a name, and suggest the whole one', async () => {
      const { stderr, exitCode } = await run(SendText, 'acme', 'Bob', 'Hello');
      expect(exitCode).to.equal(5);
      expect(stderr).to.contain(`did you mean Bob Müller: ${BOBS_LID}`);
      expect(daemon.callsOf('/send-message')).to.deep.equal([]);
    });

    it('find groups while the inbox is empty, and rooms while the network is unavailable', async () => {
      daemon.on('GET /chatrooms', { chatRooms: [] });
      expect((await run(SendText, 'acme', 'Weekend plans', 'Hello')).exitCode).to.equal(0);
      daemon.on('GET /chatrooms', { chatRooms: [{ name: 'Team', remoteJid: TEAM }] });
      daemon.on('POST /get-groups', () => ({ status: 409, body: { error: 'acme is not connected' } }));
      expect((await run(SendText, 'acme', 'Team', 'Hello')).exitCode).to.equal(0);
    });

    it('take a person by name only where a person is expected', async () => {
      const found = await run(GroupsCreate, 'acme', 'New', '--member', 'Bob Müller', '--member', BOB);
      expect(found.stderr).to.contain(`give the address: ${BOBS_LID}`);
      const refused = await run(GroupsCreate, 'acme', 'New', '--member', 'Team');
      expect(refused.exitCode).to.equal(5);
      expect(refused.stderr).to.contain('no person with the name Team');
    });

    it('look up nothing for an address', async () => {
      await run(SendText, 'acme', BOB, 'Hello');
      await run(SendText, 'acme', TEAM, 'Hello');
      expect(daemon.calls.map(({ path }) => path)).to.deep.equal(['/send-message', '/send-message']);
    });
  });

  it('send a list of rows, or of sections in JSON', async () => {
    const rows = ['--row', 'a=Soup', '--row', 'b=1 + 1 = 2'];
    expect(await bodyOf('/send-list-message', SendList, 'acme', BOB, 'Lunch?', ...rows)).to.deep.include({
      bodyText: 'Lunch?',
      buttonText: 'Choose',
      sections: [
        {
          rows: [
            { id: 'a', title: 'Soup' },
            { id: 'b', title: '1 + 1 = 2' },
          ],
        },
      ],
    });
    const sections = [{ title: 'Warm', rows: [{ id: 'a', title: 'Soup', description: 'Of the day' }] }];
    const given = ['--sections', JSON.stringify(sections), '--button', 'Menu', '--title', 'Lunch'];
    const body = await bodyOf('/send-list-message', SendList, 'acme', BOB, 'Lunch?', ...given);
    expect(body).to.deep.include({ sections, buttonText: 'Menu', title: 'Lunch' });
  });

  const WRONG_LISTS = [[], ['--row', 'Soup'], ['--sections', '{}'], ['--sections', '[{"rows":[{"id":1}]}]']];
  for (const flags of WRONG_LISTS) {
    it(`exit with 2 for a wrong list: ${flags.join(' ') || 'no rows'}`, async () => {
      expect((await run(SendList, 'acme', BOB, 'Lunch?', ...flags)).exitCode).to.equal(2);
      expect(daemon.calls).to.deep.equal([]);
    });
  }

  it('pin a message for the given time, and forward it', async () => {
    const pinned = await bodyOf('/pin-message', MessagesPin, 'acme', BOB, '3EB1', '--for', '30d');
    expect(pinned).to.deep.equal({ ...ADDRESSEE, messageId: '3EB1', pinned: true, duration: 2_592_000 });
    const argv = ['acme', '+15550000003', '3EB1', BOB, '--meta', '{"fromAI":true}'];
    expect(await bodyOf('/forward-message', MessagesForward, ...argv)).to.deep.equal({
      ...ADDRESSEE,
      from: '+15550000003',
      messageId: '3EB1',
      metaData: { fromAI: true },
    });
  });

  describe('switchboard send text', () => {
    beforeEach(() => void daemon.on('POST /send-message', SENT));

    it('sends a text with all fields of the message', async () => {
      const flags = ['--quote', '3EB1', '--mention', '100', '--mention', '200', '--meta', '{"fromAI":true}'];
      const argv = [...flags, '--idempotency-key', 'k', 'acme', BOB, 'hi @100'];
      const { stdout, exitCode } = await run(SendText, ...argv);
      expect({ stdout, exitCode }).to.deep.equal({ stdout: 'sent 3EB0\n', exitCode: 0 });
      const call = daemon.calls.at(-1);
      expect(call?.headers['idempotency-key']).to.equal('k');
      expect(call?.body).to.deep.equal({
        ...ADDRESSEE,
        body: 'hi @100',
        quotedMessageId: '3EB1',
        mentions: ['100', '200'],
        metaData: { fromAI: true },
      });
    });

    it('sends a text, and prints the answer as JSON', async () => {
      const { stdout } = await run(SendText, 'acme', BOB, 'hi', '--json');
      expect(JSON.parse(stdout)).to.deep.equal(SENT);
    });

    for (const meta of ['nonsense', '[1]', '"text"', 'null']) {
      it(`refuses --meta ${meta}`, async () => {
        expect((await run(SendText, 'acme', BOB, 'hi', '--meta', meta)).exitCode).to.equal(2);
        expect(daemon.calls).to.deep.equal([]);
      });
    }

    const suggested: [what: string, status: number, code: string, exitCode: number, suggestion: string][] = [
      ['a banned or replaced session', 404, 'session_suspended', 6, 'switchboard doctor'],
      ['a route that the daemon does not have', 404, 'route_unknown', 5, 'switchboard api /config'],
    ];
    for (const [what, status, code, exitCode, suggestion] of suggested) {
      it(`exits with ${exitCode} and suggests what to do: ${what}`, async () => {
        const headers = { 'x-sn-error': code };
        daemon.on('POST /send-message', () => ({ status, headers, body: { error: 'because' } }));
        const end = await run(SendText, 'acme', BOB, 'hi');
        expect(end.exitCode).to.equal(exitCode);
        expect(end.stderr).to.contain(suggestion).and.not.contain('sessions list');
      });
    }

    const refusals: [number, number][] = [
      [400, 2],
      [404, 5],
      [409, 6],
      [502, 7],
      [500, 1],
    ];
    for (const [status, code] of refusals) {
      it(`exits with ${code} when the daemon answers ${status}`, async () => {
        daemon.on('POST /send-message', () => ({ status, body: { error: 'because' } }));
        const { exitCode, stderr, stdout } = await run(SendText, 'acme', BOB, 'hi');
        expect({ exitCode, stdout }).to.deep.equal({ exitCode: code, stdout: '' });
        expect(stderr).to.contain('error: because');
      });
    }

    it('exits with 2 when an argument is missing, and names it', async () => {
      const { exitCode, stdout } = await run(SendText, 'acme', '--json');
      expect(exitCode).to.equal(2);
      expect(JSON.parse(stdout).error).to.match(/to .*body/s);
    });

    it('prints the command that repeats the send when the answer was lost', async () => {
      daemon.on('POST /send-message', () => {
        daemon.cutConnections();
        return new Promise(() => undefined);
      });
      const { exitCode, stderr } = await run(SendText, 'acme', BOB, 'hi');
      expect(exitCode).to.equal(3);
      expect(stderr)
        .to.contain('may have been sent')
        .and.match(/--idempotency-key [\w-]{36}/);
      const key = daemon.calls.at(-1)?.headers['idempotency-key'];
      expect(stderr).to.contain(String(key));
    });
  });

  it('send a poll', async () => {
    const argv = ['acme', BOB, 'Lunch?', '--option', 'Pizza', '--option', 'Soup', '--choose', '2'];
    expect(await bodyOf('/send-poll-message', SendPoll, ...argv)).to.deep.equal({
      ...ADDRESSEE,
      pollName: 'Lunch?',
      pollOptions: ['Pizza', 'Soup'],
      selectableCount: 2,
    });
  });

  it('send a location', async () => {
    for (const position of ['-33.8568,151.2153', ' -33.8568, 151.2153']) {
      const argv = ['acme', BOB, position, '--name', 'Opera', '--address', 'Bennelong Point'];
      expect(await bodyOf('/send-location', SendLocation, ...argv)).to.deep.equal({
        ...ADDRESSEE,
        latitude: -33.8568,
        longitude: 151.2153,
        name: 'Opera',
        address: 'Bennelong Point',
      });
    }
  });

  it('refuse an invalid location', async () => {
    const { exitCode, stderr } = await run(SendLocation, 'acme', BOB, 'Berlin');
    expect(exitCode).to.equal(2);
    expect(stderr).to.contain('latitude,longitude');
  });

  it('send a contact card by its number', async () => {
    const argv = ['acme', BOB, 'Carol', '--phone', '+1 555 000 0003'];
    const card = { displayName: 'Carol', phone: '15550000003' };
    expect(await bodyOf('/send-contact', SendContact, ...argv)).to.deep.equal({ ...ADDRESSEE, ...card });
  });

  it('send a whole vCard', async () => {
    const argv = ['acme', BOB, 'Carol', '--vcard', 'BEGIN:VCARD'];
    const card = { displayName: 'Carol', vcard: 'BEGIN:VCARD' };
    expect(await bodyOf('/send-contact', SendContact, ...argv)).to.deep.equal({ ...ADDRESSEE, ...card });
  });

  it('refuse a contact card without a number', async () => {
    expect((await run(SendContact, 'acme', BOB, 'Carol')).exitCode).to.equal(2);
  });

  it('send buttons of all kinds', async () => {
    const buttons = ['--reply', 'yes=Yes', '--link', 'https://example.com/?a=b=Open'];
    const others = ['--call', '+15550000001=Call us', '--copy', '123-456=Copy', '--footer', 'small'];
    const body = await bodyOf(
      '/send-interactive-message',
      SendButtons,
      'acme',
      BOB,
      'Ok?',
      ...buttons,
      ...others,
    );
    expect(body).to.deep.equal({
      ...ADDRESSEE,
      bodyText: 'Ok?',
      footerText: 'small',
      buttons: [
        { type: 'quick_reply', displayText: 'Yes', id: 'yes' },
        { type: 'cta_url', displayText: 'Open', url: 'https://example.com/?a=b' },
        { type: 'cta_call', displayText: 'Call us', phoneNumber: '+15550000001' },
        { type: 'cta_copy', displayText: 'Copy', id: '123-456', copyCode: '123-456' },
      ],
    });
  });

  it('refuse a button without a label', async () => {
    const { exitCode, stderr } = await run(SendButtons, 'acme', BOB, 'Ok?', '--reply', 'yes');
    expect(exitCode).to.equal(2);
    expect(stderr).to.contain('VALUE=LABEL');
  });

  it('end with the code of a refusal by the policy if the message cannot wait', async () => {
    const policy = { rule: 'quietHours', limit: 0, left: 0, allowedAt: '2026-11-28T08:00:00.000Z' };
    daemon.on('POST /edit-message', () => ({
      ...{ status: 429, headers: { 'x-sn-error': 'policy_refused' } },
      body: { error: 'the policy refuses the message', policy },
    }));
    const { exitCode, stderr } = await run(SendEdit, 'acme', BOB, '3A01', 'new text');
    expect(exitCode).to.equal(8);
    expect(stderr).to.contain('the policy refuses').and.not.to.contain('--when-allowed');
  });

  it('react, and remove the reaction', async () => {
    const target = { ...ADDRESSEE, messageId: '3A01' };
    expect(await bodyOf('/send-reaction', SendReaction, 'acme', BOB, '3A01', '👍')).to.deep.equal({
      ...target,
      emoji: '👍',
      targetFromMe: false,
    });
    expect(await bodyOf('/send-reaction', SendReaction, 'acme', BOB, '3A01', '', '--own')).to.deep.equal({
      ...target,
      emoji: '',
      targetFromMe: true,
    });
  });

  it('edit a message', async () => {
    const body = await bodyOf('/edit-message', SendEdit, 'acme', BOB, '3EB0', 'Hello!');
    expect(body).to.deep.equal({ ...ADDRESSEE, messageId: '3EB0', body: 'Hello!' });
  });

  it('delete a message for everyone, and for the own devices', async () => {
    daemon.on('POST /delete-message', { status: true });
    const { stdout } = await run(SendDelete, 'acme', BOB, '3EB0');
    expect(stdout).to.equal('deleted 3EB0\n');
    await run(SendDelete, 'acme', BOB, '3A01', '--for-me', '--theirs', '--room', 'acme-1-2');
    expect(daemon.callsOf('/delete-message').map(({ body }) => body)).to.deep.equal([
      { ...ADDRESSEE, messageId: '3EB0', fromMe: true, mode: 'everyone' },
      { ...ADDRESSEE, messageId: '3A01', fromMe: false, mode: 'me', chatRoomId: 'acme-1-2' },
    ]);
  });

  describe('switchboard send media', () => {
    const media = '/send-media-message';

    it('lets the daemon fetch a file that is given by URL', async () => {
      const argv = ['acme', BOB, 'https://example.com/a.pdf', '--file-name', 'A.pdf', '--caption', 'read me'];
      expect(await bodyOf(media, SendMedia, ...argv)).to.deep.equal({
        ...ADDRESSEE,
        downloadUrl: 'https://example.com/a.pdf',
        fileName: 'A.pdf',
        caption: 'read me',
        sendAudioAsVoice: false,
        asSticker: false,
      });
    });

    it('reports that a file was too large to send', async () => {
      daemon.on(`POST ${media}`, { ...SENT, fallback: 'text' });
      const { stdout, stderr } = await run(SendMedia, 'acme', BOB, 'https://example.com/a.pdf');
      expect(stdout).to.equal('sent 3EB0\n');
      expect(stderr).to.contain('too large');
    });

    it('uploads a file of this machine as a form', async () => {
      const path = join(folder.path, 'note.txt');
      await writeFile(path, 'the content');
      daemon.on(`POST ${media}`, { ...SENT, mediaType: 'document' });
      const argv = [
        path,
        '--mime-type',
        'text/plain',
        '--caption',
        'Look',
        '--mention',
        '1',
        '--mention',
        '2',
      ];
      const { exitCode } = await run(
        SendMedia,
        'acme',
        BOB,
        ...argv,
        '--meta',
        '{"fromAI":true}',
        '--quote',
        '3A',
      );
      expect(exitCode).to.equal(0);
      const [call] = daemon.callsOf(media);
      expect(call?.query.get('clientId')).to.equal('acme');
      expect(call?.headers['content-type']).to.match(/^multipart\/form-data; boundary=/);
      expect(call?.headers['idempotency-key']).to.match(/^[\w-]{36}$/);
      const parts = {
        clientId: 'acme',
        to: BOB,
        caption: 'Look',
        mentions: '1,2',
        metaData: '{"fromAI":true}',
        quotedMessageId: '3A',
      };
      for (const [name, value] of Object.entries(parts)) {
        expect(call?.text).to.contain(`name="${name}"\r\n\r\n${value}\r\n`);
      }
      expect(call?.text).to.match(/filename="note.txt"\r\nContent-Type: text\/plain\r\n\r\nthe content\r\n/i);
    });

    it('sends a file as a voice note on request', async () => {
      const path = join(folder.path, 'hello.bin');
      await writeFile(path, 'OggS');
      daemon.on(`POST ${media}`, SENT);
      await run(SendMedia, 'acme', BOB, path, '--voice');
      expect(daemon.callsOf(media).at(-1)?.text).to.contain('name="sendAudioAsVoice"\r\n\r\ntrue\r\n');
    });

    it('sends a file under another name than on the disk', async () => {
      const path = join(folder.path, 'note.txt');
      await writeFile(path, 'the content');
      daemon.on(`POST ${media}`, SENT);
      await run(SendMedia, 'acme', BOB, path, '--file-name', 'For you.txt');
      expect(daemon.callsOf(media).at(-1)?.text).to.contain('filename="For you.txt"');
    });

    it('refuses a file before the upload when it cannot be read', async () => {
      const { exitCode, stderr } = await run(SendMedia, 'acme', BOB, join(folder.path, 'none.jpg'));
      expect(exitCode).to.equal(2);
      expect(stderr).to.contain('cannot be read');
      expect(daemon.calls).to.deep.equal([]);
    });
  });
});
