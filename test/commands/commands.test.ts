import { readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import Pair from '../../commands/pair.js';
import SessionsDisconnect from '../../commands/sessions/disconnect.js';
import SessionsList from '../../commands/sessions/list.js';
import SessionsSecret from '../../commands/sessions/secret.js';
import SessionsShow from '../../commands/sessions/show.js';
import SessionsWebhook from '../../commands/sessions/webhook.js';
import { reason, toFields } from '../../src/domain/reasons.js';
import { type CommandResult, runCommand } from '../support/run-command.js';
import { makeTempDir, type TempDir } from '../support/temp-dir.js';
import { until } from '../support/until.js';
import { statusEvent } from '../terminal/cli/support/entries.js';
import { FakeDaemon } from '../terminal/cli/support/fake-daemon.js';

const TOKEN = 'a-token-of-at-least-16-characters';
const JID = '15550000001@s.whatsapp.net';

describe('commands that use a daemon', () => {
  let daemon: FakeDaemon;
  let dataDir: TempDir;

  beforeEach(async () => {
    daemon = await FakeDaemon.start();
    daemon.token = TOKEN;
    dataDir = await makeTempDir();
    await writeFile(join(dataDir.path, 'token'), `${TOKEN}\n`, { mode: 0o600 });
    const row = {
      clientId: 'acme',
      jid: JID,
      podName: 'node-1',
      orgId: '',
      webhookUrl: 'https://example.com/hook',
    };
    daemon.on('GET /clients', { clients: [row, { ...row, clientId: 'Beta', jid: '' }] });
    const health = {
      clientId: 'acme',
      jid: JID,
      status: 'connected',
      connected: true,
      loggedIn: true,
      reconnects: 2,
    };
    daemon.on('GET /health/clients', { clients: [health] });
  });
  afterEach(async () => {
    await daemon.stop();
    await dataDir.remove();
  });

  const run = (command: Parameters<typeof runCommand>[0], ...argv: string[]): Promise<CommandResult> =>
    runCommand(command, argv, { SWITCHBOARD_URL: daemon.url, SWITCHBOARD_DATA_DIR: dataDir.path });

  describe('the token', () => {
    it('the token is read from the data directory', async () => {
      expect((await run(SessionsList, '--json')).exitCode).to.equal(0);
    });

    it('the token is taken from the flag first', async () => {
      const { exitCode, stderr } = await run(SessionsList, '--token', 'another');
      expect(exitCode).to.equal(4);
      expect(stderr).to.contain('does not know the token');
    });

    it('the token is reported as missing, with its expected location', async () => {
      await writeFile(join(dataDir.path, 'token'), '');
      const { exitCode, stderr } = await run(SessionsList);
      expect(exitCode).to.equal(4);
      expect(stderr).to.contain('--token').and.contain(dataDir.path);
    });

    it('the token is never sent to another machine', async () => {
      const { exitCode } = await run(SessionsList, '--url', daemon.url.replace('127.0.0.1', '0.0.0.0'));
      expect(exitCode).to.equal(4);
      expect(daemon.calls.at(-1)?.headers.authorization).to.equal(undefined);
    });
  });

  describe('sessions list', () => {
    it('shows a table', async () => {
      const { stdout, exitCode } = await run(SessionsList);
      const [head, first, second] = stdout.split('\n');
      expect(exitCode).to.equal(0);
      expect(head).to.match(/^SESSION +STATUS +JID +WEBHOOK +NODE$/);
      expect(first).to.match(
        /^acme +connected +15550000001@s\.whatsapp\.net +https:\/\/example\.com\/hook +node-1$/,
      );
      expect(second).to.match(/^Beta +elsewhere/);
    });

    it('asks all nodes for the sessions of other nodes', async () => {
      const beta = { clientId: 'Beta', status: 'reconnecting', reason: 'The network cannot be reached.' };
      daemon.on('GET /fleet', { at: '2026-11-21T12:00:00.000Z', nodes: [], sessions: [beta] });
      expect((await run(SessionsList)).stdout).to.match(/^Beta +reconnecting/m);
      expect((await run(SessionsShow, 'Beta')).stdout).to.match(/^reason +The network cannot be reached\.$/m);
      expect(daemon.callsOf('/fleet').map(({ query }) => query.get('clientId'))).to.deep.equal([
        null,
        'Beta',
      ]);
    });

    it('prints one JSON value', async () => {
      const { stdout } = await run(SessionsList, '--json');
      expect(JSON.parse(stdout).sessions[0]).to.deep.equal({
        clientId: 'acme',
        status: 'connected',
        reason: '',
        jid: JID,
        podName: 'node-1',
        orgId: '',
        webhookUrl: 'https://example.com/hook',
      });
    });

    it('suggests what to do when there are no sessions', async () => {
      daemon.on('GET /clients', { clients: [] });
      const { stdout, stderr } = await run(SessionsList);
      expect(stdout).to.equal('');
      expect(stderr).to.contain('switchboard pair');
    });

    it('keeps its exit code with --json', async () => {
      await daemon.stop();
      const { stdout, exitCode } = await run(SessionsList, '--json');
      expect(exitCode).to.equal(3);
      expect(JSON.parse(stdout)).to.include({ code: 'unreachable', exitCode: 3 });
      await daemon.listen();
    });
  });

  describe('sessions show', () => {
    it('shows the session and its health', async () => {
      const { stdout } = await run(SessionsShow, 'acme');
      expect(stdout)
        .to.match(/^session +acme$/m)
        .and.match(/^status +connected$/m)
        .and.match(/^reconnects +2$/m);
    });

    it('shows the progress of the history import', async () => {
      const history = { progress: 40, messages: 120 };
      daemon.on('GET /health/clients', { clients: [{ clientId: 'acme', status: 'connected', history }] });
      const { stdout } = await run(SessionsShow, 'acme');
      expect(stdout).to.match(/^history import +40 % \(120 messages\)$/m);
    });

    it('shows the extra events that are on, and names commands in place of routes', async () => {
      daemon.on('GET /clients', { clients: [{ clientId: 'acme', extraEvents: ['call', 'presence'] }] });
      const fields = toFields(reason('logged_out', { kind: 'removed' }), 'acme');
      daemon.on('GET /health/clients', { clients: [{ clientId: 'acme', status: 'logged_out', ...fields }] });
      const { stdout } = await run(SessionsShow, 'acme');
      expect(stdout)
        .to.match(/^extra events +call, presence$/m)
        .and.match(
          /^reason +The phone removed this linked device\. Run `switchboard pair acme` to pair again\.$/m,
        );
    });

    it('exits with 5 for an unknown session', async () => {
      const { stderr, exitCode } = await run(SessionsShow, 'nobody');
      expect(exitCode).to.equal(5);
      expect(stderr).to.contain('there is no session nobody').and.contain('sessions list');
    });
  });

  describe('sessions webhook', () => {
    it('sets address, token and extra events', async () => {
      daemon.on('POST /set-webhook', {
        ok: true,
        clientId: 'acme',
        webhookUrl: 'https://a.b/c',
        pollLookupUrl: '',
      });
      const argv = ['acme', 'https://a.b/c', '--webhook-token', 's3cret', '--extra-event', 'session_status'];
      argv.push('--retry', 'durable');
      const { stdout } = await run(SessionsWebhook, ...argv);
      expect(stdout).to.equal('events of acme go to https://a.b/c\n');
      expect(daemon.calls.at(-1)?.body).to.deep.equal({
        clientId: 'acme',
        webhookUrl: 'https://a.b/c',
        webhookToken: 's3cret',
        extraEvents: ['session_status'],
        retry: 'durable',
      });
    });

    it('also signs with the previous token for a time', async () => {
      const previousTokenUntil = '2026-11-24T10:00:00.000Z';
      const answer = { ok: true, clientId: 'acme', webhookUrl: 'https://a.b/c', pollLookupUrl: '' };
      daemon.on('POST /set-webhook', { ...answer, previousTokenUntil });
      const argv = ['acme', 'https://a.b/c', '--webhook-token', 'new', '--keep-previous-token', '1d'];
      const { stdout } = await run(SessionsWebhook, ...argv);
      expect(stdout).to.contain(`until ${previousTokenUntil} calls carry a second signature`);
      expect(daemon.calls.at(-1)?.body).to.include({ webhookToken: 'new', previousTokenFor: 86_400 });
    });

    it('disables delivery', async () => {
      daemon.on('POST /set-webhook', { ok: true, clientId: 'acme', webhookUrl: '', pollLookupUrl: '' });
      expect((await run(SessionsWebhook, 'acme', '--off')).stdout).to.equal('delivery is off\n');
      expect(daemon.calls.at(-1)?.body).to.deep.equal({ clientId: 'acme', webhookUrl: '' });
    });

    it('names the command that adds a broker', async () => {
      const { exitCode, stderr } = await run(SessionsWebhook, 'acme', 'nats://127.0.0.1:4222/events');
      expect(exitCode).to.equal(2);
      expect(stderr).to.contain('switchboard receivers add acme URL');
    });

    it('pauses the webhook, and resumes it', async () => {
      for (const paused of [true, false]) {
        daemon.on('POST /pause-webhook', { ok: true, clientId: 'acme', paused });
        const { stdout } = await run(SessionsWebhook, 'acme', paused ? '--pause' : '--resume');
        expect(stdout).to.equal(`the webhook of acme gets ${paused ? 'no calls' : 'calls'}\n`);
        expect(daemon.calls.at(-1)?.body).to.deep.equal({ clientId: 'acme', paused });
      }
    });

    it('requires exactly one of address, --off, --pause and --resume', async () => {
      expect((await run(SessionsWebhook, 'acme')).exitCode).to.equal(2);
      expect((await run(SessionsWebhook, 'acme', '--pause', '--resume')).exitCode).to.equal(2);
      expect((await run(SessionsWebhook, 'acme', 'https://a.b', '--off')).exitCode).to.equal(2);
      expect(daemon.calls).to.deep.equal([]);
    });
  });

  describe('sessions secret', () => {
    beforeEach(() => {
      daemon.on('POST /set-api-secret', ({ body }) => ({
        body: { clientId: body.clientId, hasSecret: body.secret !== '' },
      }));
    });

    it('creates a secret and prints it once', async () => {
      const { stdout } = await run(SessionsSecret, 'acme');
      expect(stdout).to.match(/^[\w-]{43}\n$/);
      expect(daemon.calls.at(-1)?.body.secret).to.equal(stdout.trim());
    });

    it('removes the secret', async () => {
      expect((await run(SessionsSecret, 'acme', '--remove')).stdout).to.equal('secret removed\n');
      expect(daemon.calls.at(-1)?.body.secret).to.equal('');
    });

    it('does not print a given secret', async () => {
      const { stdout } = await run(SessionsSecret, 'acme', '0123456789abcdef', '--json');
      expect(JSON.parse(stdout)).to.deep.equal({ clientId: 'acme', hasSecret: true });
    });
  });

  describe('sessions disconnect', () => {
    it('requires --yes without a terminal', async () => {
      const { exitCode, stderr } = await run(SessionsDisconnect, 'acme');
      expect(exitCode).to.equal(2);
      expect(stderr)
        .to.contain('--yes')
        .and.contain('there is no terminal to answer the question: Log acme out');
      expect((await run(SessionsDisconnect, 'acme', '--json')).exitCode).to.equal(2);
      expect(daemon.calls).to.deep.equal([]);
    });

    it('prints a warning of the daemon', async () => {
      daemon.on('POST /disconnect', { ok: true, clientId: 'acme', warning: 'the network did not confirm' });
      const { stdout, stderr, exitCode } = await run(SessionsDisconnect, 'acme', '--yes');
      expect({ stdout, exitCode }).to.deep.equal({ stdout: 'acme is disconnected\n', exitCode: 0 });
      expect(stderr).to.contain('the network did not confirm');
    });
  });

  describe('pair', () => {
    beforeEach(() => {
      daemon.on('POST /start', { clientId: 'acme', status: 'connected' });
      daemon.on('GET /qr', { clientId: 'acme', status: 'connected', qr: '' });
      daemon.on('POST /check-state', { status: true, state: JID });
    });

    it('exits with 6 for a number that was linked before, and says so', async () => {
      const { stdout, stderr, exitCode } = await run(Pair, 'acme');
      expect({ stdout, exitCode }).to.deep.equal({ stdout: `connected ${JID}\n`, exitCode: 6 });
      expect(stderr).to.contain('acme was linked before');
    });

    it('says that messages are not kept, unless the session has a workspace or the user wants none', async () => {
      const told = async (...argv: string[]) => (await run(Pair, ...argv)).stderr.includes('--org NAME');
      expect(await told('fresh')).to.equal(true);
      expect(await told('fresh', '--no-history')).to.equal(false);
      // linked before
      expect(await told('acme')).to.equal(false);
      daemon.on('GET /clients', { clients: [{ clientId: 'fresh', jid: '', orgId: 'workspace1' }] });
      expect(await told('fresh')).to.equal(false);
    });

    it('prints one JSON value per line', async () => {
      daemon.on('GET /qr', ({ path }) => {
        const first = daemon.callsOf(path).length === 1;
        return { body: { clientId: 'acme', status: first ? 'qr' : 'connected', qr: first ? 'text' : '' } };
      });
      // an event ends the wait for the next poll
      void daemon.called('/events').then(() => daemon.publish(statusEvent('connected', 'qr')));
      const { stdout } = await run(Pair, 'acme', '--json');
      expect(
        stdout
          .trim()
          .split('\n')
          .map((line) => JSON.parse(line)),
      ).to.deep.equal([
        { type: 'status', status: 'qr' },
        { type: 'qr', qr: 'text' },
        { type: 'connected', jid: JID },
      ]);
    });

    for (const [name, begins] of [
      ['qr.png', Buffer.from('\x89PNG', 'latin1')],
      ['qr.svg', Buffer.from('<svg ')],
    ] as const) {
      it(`keeps the current QR in ${name}, for its owner alone, until the number is linked`, async () => {
        let qr = 'text';
        daemon.on('GET /qr', () => ({ body: { clientId: 'acme', status: qr ? 'qr' : 'connected', qr } }));
        const path = join(dataDir.path, name);
        const ended = run(Pair, 'acme', '--qr-file', path);
        const isWritten = () =>
          stat(path).then(
            () => true,
            () => false,
          );
        await until('the QR file', isWritten);
        const image = await readFile(path);
        expect(image.subarray(0, begins.length)).to.deep.equal(begins);
        expect((await stat(path)).mode & 0o777).to.equal(0o600);
        await daemon.called('/events');
        qr = '';
        daemon.publish(statusEvent('connected', 'qr'));
        expect((await ended).exitCode).to.equal(0);
        expect(await readFile(path).catch(() => 'gone')).to.equal('gone');
      });
    }

    it('refuses a QR file that exists before it calls the daemon, and keeps the file', async () => {
      const path = join(dataDir.path, 'mine.png');
      await writeFile(path, 'mine');
      const { exitCode, stderr } = await run(Pair, 'acme', '--qr-file', path);
      expect({ exitCode, text: await readFile(path, 'utf8') }).to.deep.equal({ exitCode: 6, text: 'mine' });
      expect(stderr).to.contain('exists already');
      expect(daemon.calls).to.deep.equal([]);
    });

    it('keeps a file that appears at the path of the QR file before the first QR', async () => {
      const path = join(dataDir.path, 'mine.png');
      daemon.on('GET /qr', async () => {
        await writeFile(path, 'mine');
        return { body: { clientId: 'acme', status: 'qr', qr: 'text' } };
      });
      const { exitCode, stderr } = await run(Pair, 'acme', '--qr-file', path);
      expect({ exitCode, text: await readFile(path, 'utf8') }).to.deep.equal({ exitCode: 6, text: 'mine' });
      expect(stderr).to.contain('exists already');
    });

    it('refuses a QR file of another kind before it calls the daemon', async () => {
      const { exitCode, stderr } = await run(Pair, 'acme', '--qr-file', 'qr.jpg');
      expect(exitCode).to.equal(2);
      expect(stderr).to.contain('.png or .svg');
      expect(daemon.calls).to.deep.equal([]);
    });

    it('sets a workspace, and shows the history import', async () => {
      daemon.on('POST /set-org-id', { ok: true });
      daemon.on('GET /clients', { clients: [{ clientId: 'acme', orgId: 'workspace1' }] });
      const history = { progress: 100, messages: 7 };
      daemon.on('GET /health/clients', { clients: [{ clientId: 'acme', history }] });
      daemon.on('GET /qr', ({ path }) => {
        const first = daemon.callsOf(path).length === 1;
        return { body: { clientId: 'acme', status: first ? 'qr' : 'connected', qr: first ? 'text' : '' } };
      });
      void daemon.called('/events').then(() => daemon.publish(statusEvent('connected', 'qr')));
      const { stdout } = await run(Pair, 'acme', '--org', 'workspace1');
      expect(stdout).to.equal(`status qr\nqr text\nhistory 0 0\nhistory 100 7\nconnected ${JID}\n`);
      expect(daemon.callsOf('/set-org-id')[0]?.body).to.deep.equal({
        clientId: 'acme',
        orgId: 'workspace1',
      });
    });

    it('exits with the code of the last item', async () => {
      daemon.on('POST /start', () => ({ status: 400, body: { error: 'bad name' } }));
      const text = await run(Pair, 'no-good');
      expect({ code: text.exitCode, stdout: text.stdout }).to.deep.equal({ code: 2, stdout: '' });
      expect(text.stderr).to.contain('error: bad name');
      const json = await run(Pair, 'no-good', '--json');
      expect(json.exitCode).to.equal(2);
      expect(JSON.parse(json.stdout)).to.include({ type: 'failed', reason: 'bad name', code: 'usage' });
    });

    it('sets the webhook before it pairs', async () => {
      await run(Pair, 'acme', '--webhook', 'https://a.b/c', '--webhook-token', 't');
      expect(daemon.callsOf('/start')[0]?.body).to.deep.equal({
        webhookUrl: 'https://a.b/c',
        webhookToken: 't',
      });
    });

    it('refuses an invalid address', async () => {
      expect((await run(Pair, 'acme', '--webhook', 'ftp://a.b')).exitCode).to.equal(2);
      expect(daemon.calls).to.deep.equal([]);
    });
  });
});
