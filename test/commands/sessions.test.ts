import { expect } from 'chai';
import ChatsRead from '../../commands/chats/read.js';
import ChatsUnread from '../../commands/chats/unread.js';
import ContactsLid from '../../commands/contacts/lid.js';
import ContactsRefreshAvatars from '../../commands/contacts/refresh-avatars.js';
import SendTyping from '../../commands/send/typing.js';
import SessionsGroupEvents from '../../commands/sessions/group-events.js';
import SessionsOrg from '../../commands/sessions/org.js';
import SessionsProxy from '../../commands/sessions/proxy.js';
import SessionsStart from '../../commands/sessions/start.js';
import SessionsState from '../../commands/sessions/state.js';
import { type CommandResult, runCommand } from '../support/run-command.js';
import { FakeDaemon } from '../terminal/cli/support/fake-daemon.js';

const BOB = '+15550000002';

describe('the commands that change a session and its chats', () => {
  let daemon: FakeDaemon;

  beforeEach(async () => {
    daemon = await FakeDaemon.start();
  });
  afterEach(() => daemon.stop());

  const run = (command: Parameters<typeof runCommand>[0], ...argv: string[]): Promise<CommandResult> =>
    runCommand(command, argv, { SWITCHBOARD_URL: daemon.url, SWITCHBOARD_TOKEN: 't' });

  it('start a session with a webhook', async () => {
    daemon.on('POST /start', { clientId: 'acme', status: 'qr', podName: 'n', webhookUrl: '' });
    const hook = 'https://example.com/hook';
    const { stdout, stderr } = await run(SessionsStart, 'acme', '--webhook', hook, '--webhook-token', 's');
    expect({ stdout, stderr }).to.deep.equal({
      stdout: 'acme is qr\n',
      stderr: 'pair it: switchboard pair acme\n',
    });
    const call = daemon.callsOf('/start').at(-1);
    expect(call?.query.get('clientId')).to.equal('acme');
    expect(call?.body).to.deep.equal({ webhookUrl: hook, webhookToken: 's' });
  });

  it('show whether a session is connected, in the exit code too', async () => {
    daemon.on('POST /check-state', { status: true, state: '15550000001@s.whatsapp.net' });
    expect(await run(SessionsState, 'acme')).to.deep.include({
      stdout: 'connected as 15550000001@s.whatsapp.net\n',
      exitCode: 0,
    });
    daemon.on('POST /check-state', { status: false, state: 'not connected' });
    daemon.on('GET /clients', { clients: [{ clientId: 'acme' }] });
    expect(await run(SessionsState, 'acme')).to.deep.include({ stdout: 'not connected\n', exitCode: 6 });
  });

  it('set the workspace, and remove it', async () => {
    daemon.on('POST /set-org-id', ({ body }) => ({ body: { ok: true, ...body } }));
    expect((await run(SessionsOrg, 'acme', 'workspace1')).stdout).to.contain('in workspace1');
    expect((await run(SessionsOrg, 'acme', '--off')).stdout).to.equal('acme keeps no history\n');
    expect(daemon.calls.map(({ body }) => body.orgId)).to.deep.equal(['workspace1', '']);
    for (const argv of [['acme'], ['acme', 'workspace1', '--off']]) {
      expect((await run(SessionsOrg, ...argv)).exitCode).to.equal(2);
    }
  });

  it('set the proxy of a session, and remove it, without showing its password', async () => {
    const shown = { kind: 'socks5', host: '10.0.0.7', port: 1080 };
    const url = 'socks5://alice:s3cret@10.0.0.7:1080';
    daemon.on('POST /set-proxy', ({ body }) => ({
      body: { ok: true, clientId: body.clientId, ...(body.proxy !== null && { proxy: shown }) },
    }));
    expect((await run(SessionsProxy, 'acme', url)).stdout).to.equal(
      'acme connects through socks5://10.0.0.7:1080\n',
    );
    expect((await run(SessionsProxy, 'acme', '--remove')).stdout).to.equal('acme connects directly\n');
    expect(daemon.calls.map(({ body }) => body.proxy)).to.deep.equal([url, null]);
    for (const argv of [['acme'], ['acme', url, '--remove']]) {
      expect((await run(SessionsProxy, ...argv)).exitCode).to.equal(2);
    }
    daemon.on('POST /start', { clientId: 'acme', status: 'initializing', podName: 'n', webhookUrl: '' });
    await run(SessionsStart, 'acme', '--proxy', url);
    expect(daemon.callsOf('/start').at(-1)?.body).to.deep.equal({ proxy: url });
  });

  it('enable and disable the events of groups', async () => {
    daemon.on('POST /set-enable-group-ai', ({ body }) => ({ body: { ok: true, ...body } }));
    expect((await run(SessionsGroupEvents, 'acme', 'on')).stdout).to.equal('group events of acme are on\n');
    await run(SessionsGroupEvents, 'acme', 'off');
    expect(daemon.calls.map(({ body }) => body.enabled)).to.deep.equal([true, false]);
    expect((await run(SessionsGroupEvents, 'acme', 'maybe')).exitCode).to.equal(2);
  });

  it('show that the number starts and stops typing', async () => {
    daemon.on('POST /send-typing', { status: 'ok' });
    expect((await run(SendTyping, 'acme', BOB)).stdout).to.equal(`typing to ${BOB}\n`);
    await run(SendTyping, 'acme', BOB, '--stop');
    expect(daemon.calls.map(({ body }) => body.composing)).to.deep.equal([true, false]);
  });

  it('send read receipts for several messages', async () => {
    daemon.on('POST /mark-read', { ok: true, count: 2 });
    const { stdout } = await run(ChatsRead, 'acme', BOB, '3A01', '3A02');
    expect(stdout).to.equal(`sent read receipts to ${BOB} for 2 messages\n`);
    expect(daemon.calls.at(-1)?.body).to.deep.equal({
      clientId: 'acme',
      to: BOB,
      messageIds: ['3A01', '3A02'],
    });
  });

  it('flag a chat as unread', async () => {
    daemon.on('POST /mark-unread', { ok: true });
    expect((await run(ChatsUnread, 'acme', BOB)).stdout).to.equal(`${BOB} is unread on the phone\n`);
    expect(daemon.calls.at(-1)?.body).to.deep.equal({ clientId: 'acme', to: BOB });
  });

  describe('contacts lid', () => {
    const OWN = { myLid: '90000000000001', myJid: '15550000001@s.whatsapp.net' };

    it('shows the own addresses', async () => {
      daemon.on('POST /check-owner-lid', { ...OWN, number: '', isOnWhatsApp: false });
      const { stdout, exitCode } = await run(ContactsLid, 'acme');
      expect({ stdout, exitCode }).to.deep.equal({
        stdout: `jid  ${OWN.myJid}\nlid  ${OWN.myLid}\n`,
        exitCode: 0,
      });
    });

    it('shows the addresses of a number', async () => {
      const found = { isOnWhatsApp: true, numberJid: 'b@s.whatsapp.net', numberLid: '9', username: '' };
      daemon.on('POST /check-owner-lid', { ...OWN, number: BOB, ...found });
      expect((await run(ContactsLid, 'acme', BOB)).stdout).to.match(/^jid +b@s\.whatsapp\.net\nlid +9\n/);
    });

    it('exits with 5 when the network does not know the number', async () => {
      daemon.on('POST /check-owner-lid', { ...OWN, number: BOB, isOnWhatsApp: false });
      expect(await run(ContactsLid, 'acme', BOB)).to.deep.include({ stdout: '', exitCode: 5 });
    });
  });

  it('fetch the pictures of rooms', async () => {
    daemon.on('POST /refresh-avatars', { rooms: 4, updated: 1, skipped: 1, noPhoto: 1, failed: 1 });
    const { stdout } = await run(ContactsRefreshAvatars, 'acme', '--force');
    expect(stdout).to.equal('4 rooms: 1 updated, 1 skipped, 1 without a picture, 1 failed\n');
    expect(daemon.calls.at(-1)?.body).to.deep.equal({ clientId: 'acme', force: true });
  });
});
